#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"
#include "tools/caching_settings.h"
#include "tools/storing_settings.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace comback::tools {

// Which search runs: the options that choose an engine and those that only some engines have. A new
// engine adds its options here and nowhere else.
class SearchSettings {
 public:
  // REQUIRES: it outlives `command`'s parsing. `new_run`: with the option that makes one.
  void add_to(CLI::App& command, bool new_run = true);

  // After parsing: refuses options that the chosen engine would not use.
  Status check() const;
  void apply(SearchOptions& options) const;
  // Where the run is to be kept; empty: nowhere.
  const std::filesystem::path& run_dir() const { return levels_.run_dir; }
  bool disk_limited() const { return levels_.disk_bytes.has_value(); }
  // What applies to the chosen engine, by the options' names, with defaults filled in.
  void describe(const SearchOptions& options, const Model& model,
                nlohmann::ordered_json& settings) const;
  // How the chosen engine keeps visited states: "full descriptors".
  std::string visited_in_words() const;

 private:
  enum class Visited { kComBack, kFull, kCompact, kCompactCache, kCache, kStore };
  enum class Compaction { kBasic, kImproved };
  enum class Detection { kImmediate, kDelayed, kLevel };

  // An option that only some choices use.
  struct Dependent {
    CLI::Option* option;
    std::string needs;  // "--visited compact"
    bool (SearchSettings::*used)() const;
  };

  void add_visited(CLI::App& command);
  void add_compact(CLI::App& command);
  void add_compact_cache(CLI::App& command);
  void add_caching(CLI::App& command);
  void add_comback(CLI::App& command);
  void add_levels(CLI::App& command, bool new_run);
  void add_descriptors(CLI::App& command);
  void depends(CLI::Option* option, const char* needs, bool (SearchSettings::*used)() const);

  bool compact() const { return visited_ == Visited::kCompact; }
  bool improved() const { return compact() && compaction_ == Compaction::kImproved; }
  bool compact_cache() const { return visited_ == Visited::kCompactCache; }
  bool fixed_table() const { return improved() || compact_cache(); }
  bool storing() const { return visited_ == Visited::kStore; }
  bool comback() const { return visited_ == Visited::kComBack; }
  bool caches() const { return visited_ == Visited::kCache; }
  bool has_descriptors() const { return caches() || visited_ == Visited::kFull; }
  bool has_cache_size() const { return as_published() || caches(); }
  bool has_seed() const {
    return compact_cache() || caches() || (storing() && storing_.at_random());
  }
  bool forgets() const { return caches() || storing(); }
  // What only a depth-first search can do.
  bool depth_first_only() const { return compact_cache() || caches() || caching_.reduces(); }
  // Breadth first unless told otherwise, where that can be.
  SearchOrder order() const {
    return order_.value_or(depth_first_only() ? SearchOrder::kDepthFirst
                                              : SearchOrder::kBreadthFirst);
  }
  // Level by level unless told otherwise, which a depth-first search cannot be.
  Detection detection() const {
    if (detection_) return *detection_;
    if (comback_.descriptors) return Detection::kDelayed;
    return order() == SearchOrder::kBreadthFirst ? Detection::kLevel : Detection::kImmediate;
  }
  bool by_levels() const { return comback() && detection() == Detection::kLevel; }
  bool keeps_run() const { return by_levels() && (resumes_ || !run_dir().empty()); }
  bool as_published() const { return comback() && !by_levels(); }
  bool delayed() const { return comback() && detection() == Detection::kDelayed; }
  bool splits() const { return delayed() && comback_.descriptors.has_value(); }
  bool hashed() const { return compact() || compact_cache() || comback(); }

  std::optional<SearchOrder> order_;
  Visited visited_ = Visited::kComBack;
  Compaction compaction_ = Compaction::kBasic;
  std::optional<unsigned> hash_bits_;
  std::optional<std::uint64_t> table_slots_;
  std::optional<Detection> detection_;
  std::optional<unsigned> probes_;
  std::optional<unsigned> seed_;
  ComBackOptions comback_;
  bool cache_given_ = false;
  LevelOptions levels_;
  CachingSettings caching_;
  StoringSettings storing_;
  std::optional<unsigned> threads_;
  std::optional<std::chrono::duration<double>> checkpoint_;
  bool resumes_ = false;
  std::vector<Dependent> dependents_;
  std::vector<CLI::Option*> set_by_descriptors_;
};

}  // namespace comback::tools

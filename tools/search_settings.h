#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/search.h"
#include "io/result.h"

namespace comback::tools {

// Which search runs: the options that choose an engine and those that only some engines have. A new
// engine adds its options here and nowhere else.
class SearchSettings {
 public:
  // REQUIRES: it outlives `command`'s parsing.
  void add_to(CLI::App& command);

  // After parsing: refuses options that the chosen engine would not use.
  Status check() const;
  void apply(SearchOptions& options) const;
  // What applies to the chosen engine, by the options' names.
  void describe(const SearchOptions& options, nlohmann::ordered_json& settings) const;
  // How the chosen engine keeps visited states, in words: "full descriptors".
  std::string visited_in_words() const;

 private:
  enum class Visited { kFull, kCompact };
  enum class Compaction { kBasic, kImproved };

  bool improved() const {
    return visited_ == Visited::kCompact && compaction_ == Compaction::kImproved;
  }

  SearchOrder order_ = SearchOrder::kBreadthFirst;
  Visited visited_ = Visited::kFull;
  Compaction compaction_ = Compaction::kBasic;
  std::optional<unsigned> hash_bits_;
  std::optional<std::uint64_t> table_slots_;

  CLI::Option* compaction_option_ = nullptr;
  CLI::Option* hash_bits_option_ = nullptr;
  CLI::Option* table_size_option_ = nullptr;
};

}  // namespace comback::tools

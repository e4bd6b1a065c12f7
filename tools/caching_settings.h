#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/search.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace comback::tools {

// The options of state-space caching and sleep sets. `--cache-size` is not here: descriptor caches
// have it, too.
class CachingSettings {
 public:
  // REQUIRES, of these: it outlives `command`'s parsing.
  CLI::Option* add_replacement(CLI::App& command);
  CLI::Option* add_max_revisits(CLI::App& command);
  CLI::Option* add_sleep_sets(CLI::App& command);
  CLI::Option* add_check_independence(CLI::App& command);

  // Whether states must be visited depth first for one of these.
  bool reduces() const { return sleep_sets_ || check_independence_; }
  // `--sleep-sets` or what else does.
  const char* why_depth_first() const {
    return sleep_sets_ ? "--sleep-sets" : "--check-independence";
  }

  void apply(SearchOptions& options) const;
  // Settings of a cache, and of the sleep sets that any depth-first search may have.
  void describe_cache(const SearchOptions& options, const Model& model,
                      nlohmann::ordered_json& settings) const;
  void describe_sleep_sets(nlohmann::ordered_json& settings) const;

 private:
  CachingOptions options_;
  bool sleep_sets_ = false;
  bool check_independence_ = false;
};

}  // namespace comback::tools

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/search.h"
#include "io/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace comback::tools {

// The options of a search that does not store every state.
class StoringSettings {
 public:
  // REQUIRES, of these: it outlives `command`'s parsing.
  CLI::Option* add_waiting(CLI::App& command);
  CLI::Option* add_count_states(CLI::App& command);
  CLI::Option* add_overhead(CLI::App& command);

  void set_rule(const StoringRule& rule) { options_.rule = rule; }
  // Whether the rule, or the covering set it needs, depends on chance.
  bool at_random() const {
    return options_.rule.kind == StoringRule::Kind::kRandom || options_.rule.needs_cover();
  }

  Status check(SearchOrder order) const;
  // REQUIRES: options.order is set.
  void apply(const std::optional<unsigned>& seed, SearchOptions& options) const;
  void describe(const SearchOptions& options, nlohmann::ordered_json& settings) const;

 private:
  StoringOptions options_;
  std::optional<StoringOptions::Waiting> waiting_;  // default: by the order of the search
};

}  // namespace comback::tools

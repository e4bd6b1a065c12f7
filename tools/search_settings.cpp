#include "tools/search_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tools/option_types.h"

namespace comback::tools {
namespace {

const std::vector<std::pair<std::string, SearchOrder>> kOrders = {
    {"bfs", SearchOrder::kBreadthFirst}, {"dfs", SearchOrder::kDepthFirst}};

}  // namespace

void SearchSettings::add_to(CLI::App& command) {
  add_choice(command, "--search", kOrders, order_,
             "Breadth first (shortest traces, levels) or depth first")
      ->group("Search");
  add_choice<Visited>(command, "--visited",
                      {{"full", Visited::kFull}, {"compact", Visited::kCompact}}, visited_,
                      "What is kept of a visited state: all of it (exact), or a hash (compact: "
                      "smaller, and may omit states)")
      ->group("Search");
  compaction_option_ =
      add_choice<Compaction>(
          command, "--compaction",
          {{"basic", Compaction::kBasic}, {"improved", Compaction::kImproved}}, compaction_,
          "With --visited compact: basic stores hashes in a table that grows; improved "
          "(Stern and Dill) has a table of fixed size and omits far fewer states per bit")
          ->group("Search");
  hash_bits_option_ = add_number(command, "--hash-bits", hash_bits_, 8, 64,
                                 "With --visited compact: bits stored per state, 8 to 64; "
                                 "default 64")
                          ->group("Search");
  table_size_option_ = add_count(command, "--table-size", table_slots_,
                                 "With --compaction improved: slots of the table; default: what "
                                 "--memory allows")
                           ->group("Search");
}

Status SearchSettings::check() const {
  const auto needs = [](const CLI::Option* option, bool used, const char* what) -> Status {
    if (used || option->count() == 0) return Done{};
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} does nothing without {}", option->get_name(), what)};
  };
  const bool compact = visited_ == Visited::kCompact;
  if (Status s = needs(compaction_option_, compact, "--visited compact"); !s) return s;
  if (Status s = needs(hash_bits_option_, compact, "--visited compact"); !s) return s;
  return needs(table_size_option_, improved(), "--visited compact --compaction improved");
}

void SearchSettings::apply(SearchOptions& options) const {
  options.order = order_;
  if (visited_ == Visited::kCompact) {
    options.visited = improved() ? VisitedMode::kCompactImproved : VisitedMode::kCompact;
    if (hash_bits_) options.hash_bits = *hash_bits_;
    options.table_slots = table_slots_;
  }
}

void SearchSettings::describe(const SearchOptions& options,
                              nlohmann::ordered_json& settings) const {
  settings["search"] = word_for(kOrders, order_);
  if (visited_ == Visited::kFull) {
    settings["visited"] = "full";
    return;
  }
  settings["visited"] = "compact";
  settings["compaction"] = improved() ? "improved" : "basic";
  settings["hash_bits"] = options.hash_bits;
  if (table_slots_) settings["table_size"] = *table_slots_;
}

std::string SearchSettings::visited_in_words() const {
  if (visited_ == Visited::kFull) return "full descriptors";
  return fmt::format("hashes of {} bits, {}", hash_bits_.value_or(64),
                     improved() ? "improved" : "basic");
}

}  // namespace comback::tools

#include "tools/search_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/cache_spec.h"
#include "engine/comback_set.h"
#include "tools/option_types.h"

namespace comback::tools {
namespace {

constexpr const char* kGroup = "Search";

const std::vector<std::pair<std::string, SearchOrder>> kOrders = {
    {"bfs", SearchOrder::kBreadthFirst}, {"dfs", SearchOrder::kDepthFirst}};
const std::vector<std::pair<std::string, ComBackOptions::Detection>> kDetections = {
    {"immediate", ComBackOptions::Detection::kImmediate},
    {"delayed", ComBackOptions::Detection::kDelayed}};
const std::vector<std::pair<std::string, ComBackOptions::Queue>> kQueues = {
    {"states", ComBackOptions::Queue::kStates}, {"ids", ComBackOptions::Queue::kIds}};

std::string check_cache(const std::string& text) {
  const Result<CacheSpec> spec = parse_cache_spec(text);
  return spec ? "" : spec.error().what;
}

}  // namespace

void SearchSettings::add_to(CLI::App& command) {
  add_choice(command, "--search", kOrders, order_,
             "Breadth first (shortest traces, levels) or depth first")
      ->group(kGroup);
  add_choice<Visited>(
      command, "--visited",
      {{"comback", Visited::kComBack}, {"full", Visited::kFull}, {"compact", Visited::kCompact}},
      visited_,
      "What is kept of a visited state: a hash and how it was reached (comback: "
      "exact), all of it (full: exact), or only a hash (compact: may omit states)")
      ->group(kGroup);
  depends(add_number(command, "--hash-bits", hash_bits_, 8, 64,
                     "Bits of a hash, 8 to 64; default 64. comback is exact with any"),
          "--visited comback or compact", &SearchSettings::hashed);
  add_comback(command);
  add_compact(command);
}

void SearchSettings::add_comback(CLI::App& command) {
  const char* kNeeds = "--visited comback";
  depends(add_choice(command, "--detection", kDetections, comback_.detection,
                     "With comback: compare a state with those of its hash at once, or many "
                     "candidates together"),
          kNeeds, &SearchSettings::comback);
  depends(command
              .add_option_function<std::string>(
                  "--cache",
                  [this](const std::string& text) { comback_.cache = *parse_cache_spec(text); },
                  "With comback: which descriptors stay at hand to reconstruct from: F, R:0.5, H, "
                  "D:5, F20-D80, level, none")
              ->check(CLI::Validator(check_cache, ""))
              ->option_text("SPEC")
              ->default_str(to_string(comback_.cache)),
          kNeeds, &SearchSettings::comback);
  depends(add_count(command, "--cache-size", comback_.cache_size,
                    "With comback: states in the cache; default: an eighth of --memory"),
          kNeeds, &SearchSettings::comback);
  depends(add_count(command, "--candidates", comback_.candidates,
                    "With --detection delayed: states that wait to be compared; default: as many "
                    "as in the cache"),
          "--visited comback --detection delayed", &SearchSettings::delayed);
  depends(
      add_choice(command, "--queue", kQueues, comback_.queue,
                 "With comback: descriptors wait to be expanded, or ids that are reconstructed"),
      kNeeds, &SearchSettings::comback);
}

void SearchSettings::add_compact(CLI::App& command) {
  depends(add_choice<Compaction>(
              command, "--compaction",
              {{"basic", Compaction::kBasic}, {"improved", Compaction::kImproved}}, compaction_,
              "With compact: basic has a table that grows; improved (Stern and Dill) has one of "
              "fixed size and omits far fewer states per bit"),
          "--visited compact", &SearchSettings::compact);
  depends(add_count(command, "--table-size", table_slots_,
                    "With --compaction improved: slots of the table; default: what half of "
                    "--memory holds"),
          "--visited compact --compaction improved", &SearchSettings::improved);
}

void SearchSettings::depends(CLI::Option* option, const char* needs,
                             bool (SearchSettings::*used)() const) {
  option->group(kGroup);
  dependents_.push_back({option, needs, used});
}

Status SearchSettings::check() const {
  for (const Dependent& dependent : dependents_) {
    if ((this->*dependent.used)() || dependent.option->count() == 0) continue;
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{} does nothing without {}", dependent.option->get_name(), dependent.needs)};
  }
  return Done{};
}

void SearchSettings::apply(SearchOptions& options) const {
  options.order = order_;
  if (hash_bits_) options.hash_bits = *hash_bits_;
  switch (visited_) {
    case Visited::kFull:
      options.visited = VisitedMode::kFull;
      break;
    case Visited::kCompact:
      options.visited = improved() ? VisitedMode::kCompactImproved : VisitedMode::kCompact;
      options.table_slots = table_slots_;
      break;
    case Visited::kComBack:
      options.visited = VisitedMode::kComBack;
      options.comback = comback_;
      break;
  }
}

void SearchSettings::describe(const SearchOptions& options, const Model& model,
                              nlohmann::ordered_json& settings) const {
  settings["search"] = word_for(kOrders, order_);
  switch (visited_) {
    case Visited::kFull:
      settings["visited"] = "full";
      return;
    case Visited::kCompact:
      settings["visited"] = "compact";
      settings["compaction"] = improved() ? "improved" : "basic";
      if (table_slots_) settings["table_size"] = *table_slots_;
      break;
    case Visited::kComBack: {
      const ComBackOptions resolved = ComBackSet::resolve(options, model.width()).comback;
      settings["visited"] = "comback";
      settings["detection"] = word_for(kDetections, resolved.detection);
      settings["cache"] = to_string(resolved.cache);
      settings["cache_size"] = *resolved.cache_size;
      if (delayed()) settings["candidates"] = *resolved.candidates;
      settings["queue"] = word_for(kQueues, resolved.queue);
      settings["tables"] = "memory";
      break;
    }
  }
  settings["hash_bits"] = options.hash_bits;
}

std::string SearchSettings::visited_in_words() const {
  switch (visited_) {
    case Visited::kFull:
      return "full descriptors";
    case Visited::kCompact:
      return fmt::format("hashes of {} bits, {}", hash_bits_.value_or(64),
                         improved() ? "improved" : "basic");
    case Visited::kComBack:
      return fmt::format("hashes of {} bits and backedges", hash_bits_.value_or(64));
  }
  return {};
}

}  // namespace comback::tools

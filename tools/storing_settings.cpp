#include "tools/storing_settings.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tools/option_types.h"
#include "tools/quantity.h"

namespace comback::tools {
namespace {

using Waiting = StoringOptions::Waiting;

const std::vector<std::pair<std::string, Waiting>> kWaiting = {
    {"fifo", Waiting::kFifo}, {"lifo", Waiting::kLifo}, {"priority", Waiting::kPriority}};
const std::vector<std::pair<std::string, bool>> kCounting = {{"auto", true}, {"no", false}};

// 0: none.
std::optional<std::uint32_t> parse_overhead(const std::string& text) {
  if (text == "none") return 0;
  const Result<std::uint64_t> count = parse_count(text);
  if (!count || *count < 1 || *count > 1000000) return {};
  return static_cast<std::uint32_t>(*count);
}

Waiting waiting_of(SearchOrder order) {
  return order == SearchOrder::kBreadthFirst ? Waiting::kFifo : Waiting::kLifo;
}

}  // namespace

CLI::Option* StoringSettings::add_waiting(CLI::App& command) {
  std::vector<std::pair<std::string, std::optional<Waiting>>> choices(kWaiting.begin(),
                                                                      kWaiting.end());
  return add_choice(command, "--waiting", choices, waiting_,
                    "With --visited store:RULE, which state is explored next: the one that has "
                    "waited longest (fifo, what --search bfs means), shortest (lifo, --search "
                    "dfs), or first those that will not be stored (priority), which keeps fewer "
                    "waiting")
      ->default_str("");
}

CLI::Option* StoringSettings::add_count_states(CLI::App& command) {
  return add_choice(command, "--count-states", kCounting, options_.count_states,
                    "With --visited store:RULE: count distinct states by hashes of 64 bits, while "
                    "--memory has room for that beside the search (auto), or only estimate them "
                    "(no)");
}

CLI::Option* StoringSettings::add_overhead(CLI::App& command) {
  return command
      .add_option_function<std::string>(
          "--overhead",
          [this](const std::string& text) { options_.overhead = *parse_overhead(text); },
          "With --visited store:RULE: while states have been explored more than N times each, on "
          "average, store one in four whatever the rule, so that the time stays linear; none: "
          "the rule alone, whose time can be exponential")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            if (parse_overhead(text)) return "";
            return "'" + text + "': expected a whole number from 1 to 1000000, or none";
          },
          ""))
      ->option_text("N|none")
      ->default_str(std::to_string(options_.overhead));
}

Status StoringSettings::check(SearchOrder order) const {
  if (order == SearchOrder::kDepthFirst && waiting_ && *waiting_ != Waiting::kLifo) {
    return Error{Errc::kInvalidArgument,
                 "--search dfs explores last in, first out: leave it out, or --waiting"};
  }
  if (waiting_ == Waiting::kPriority && options_.rule.kind == StoringRule::Kind::kSuccessors) {
    return Error{Errc::kInvalidArgument,
                 "--waiting priority: whether store:successors stores a state is only known when "
                 "it has been explored, so there is nothing to put first: use fifo or lifo"};
  }
  return Done{};
}

void StoringSettings::apply(const std::optional<unsigned>& seed, SearchOptions& options) const {
  options.storing = options_;
  options.storing.waiting = waiting_.value_or(waiting_of(options.order));
  options.storing.seed = seed.value_or(1);
}

void StoringSettings::describe(const SearchOptions& options,
                               nlohmann::ordered_json& settings) const {
  settings["visited"] = "store:" + options.storing.rule.to_string();
  settings["waiting"] = word_for(kWaiting, options.storing.waiting);
  settings["count_states"] = word_for(kCounting, options.storing.count_states);
  settings["overhead"] = options.storing.overhead;
  if (at_random()) settings["seed"] = options.storing.seed;
}

}  // namespace comback::tools

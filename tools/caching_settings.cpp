#include "tools/caching_settings.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/revisiting_stores.h"
#include "tools/option_types.h"

namespace comback::tools {
namespace {

std::string check_replacement(const std::string& text) {
  const Result<Replacement> replacement = Replacement::parse(text);
  return replacement ? "" : replacement.error().what;
}

}  // namespace

CLI::Option* CachingSettings::add_replacement(CLI::App& command) {
  return command
      .add_option_function<std::string>(
          "--replacement",
          [this](const std::string& text) { options_.replacement = *Replacement::parse(text); },
          "With --visited cache, which state gives way when it is full: any (random), the one "
          "visited most or least often, one of the largest class of equally often visited ones, "
          "the deepest (subtree), or by the type of events that lead to it: of N random ones the "
          "least likely to be met again (type:N, N is 16 by default)")
      ->check(CLI::Validator(check_replacement, ""))
      ->option_text("random|most|least|class|subtree|type|type:N")
      ->default_str(options_.replacement.to_string());
}

CLI::Option* CachingSettings::add_max_revisits(CLI::App& command) {
  return add_count(
      command, "--max-revisits", options_.max_revisits,
      "With --visited cache or store:RULE: stop when about N states were explored again because "
      "they had not been kept");
}

CLI::Option* CachingSettings::add_sleep_sets(CLI::App& command) {
  return command.add_flag("--sleep-sets", sleep_sets_,
                          "With --visited full or cache, depth first: leave out events that only "
                          "lead to what another order of independent events leads to. All states "
                          "are still visited");
}

CLI::Option* CachingSettings::add_check_independence(CLI::App& command) {
  return command.add_flag("--check-independence", check_independence_,
                          "With --visited full or cache, for testing: execute, in every state, "
                          "both orders of all enabled events that are taken for independent");
}

void CachingSettings::apply(SearchOptions& options) const {
  const auto cache_size = options.caching.cache_size;
  options.caching = options_;
  options.caching.cache_size = cache_size;
  options.sleep_sets = sleep_sets_;
  options.check_independence = check_independence_;
}

void CachingSettings::describe_cache(const SearchOptions& options, const Model& model,
                                     nlohmann::ordered_json& settings) const {
  settings["cache_size"] = options.caching.cache_size.value_or(
      CacheStore::default_size(model.width(), options.memory_bytes));
  settings["replacement"] = options.caching.replacement.to_string();
  settings["seed"] = options.caching.seed;
  if (options.caching.max_revisits) settings["max_revisits"] = *options.caching.max_revisits;
}

void CachingSettings::describe_sleep_sets(nlohmann::ordered_json& settings) const {
  settings["sleep_sets"] = sleep_sets_;
  if (check_independence_) settings["check_independence"] = true;
}

}  // namespace comback::tools

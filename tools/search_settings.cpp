#include "tools/search_settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/cache_spec.h"
#include "engine/comback_set.h"
#include "storage/run_directory.h"
#include "tools/machine.h"
#include "tools/option_types.h"
#include "tools/quantity.h"

namespace comback::tools {
namespace {

constexpr const char* kGroup = "Search";

using Order = std::optional<SearchOrder>;
const std::vector<std::pair<std::string, Order>> kOrders = {{"bfs", SearchOrder::kBreadthFirst},
                                                            {"dfs", SearchOrder::kDepthFirst}};
const std::vector<std::pair<std::string, LevelOptions::Tables>> kTables = {
    {"auto", LevelOptions::Tables::kAuto},
    {"memory", LevelOptions::Tables::kMemory},
    {"disk", LevelOptions::Tables::kDisk}};
const std::vector<std::pair<std::string, IoKind>> kIo = {
    {"auto", IoKind::kAuto}, {"uring", IoKind::kUring}, {"pread", IoKind::kPread}};
const std::vector<std::pair<std::string, ComBackOptions::Queue>> kQueues = {
    {"states", ComBackOptions::Queue::kStates}, {"ids", ComBackOptions::Queue::kIds}};

std::string check_keep_levels(const std::string& text) {
  if (KeepLevels::parse(text)) return "";
  return "'" + text + "' is none of all, every:K, last:W, none, auto";
}

std::string check_cache(const std::string& text) {
  const Result<CacheSpec> spec = parse_cache_spec(text);
  return spec ? "" : spec.error().what;
}

std::string check_descriptors(const std::string& text) {
  if (text == "auto") return "";
  const Result<std::uint64_t> count = parse_count(text);
  return count && *count >= 10 ? "" : "'" + text + "': expected a number of at least 10, or auto";
}

// "60/20/20"
std::optional<DescriptorSplit> parse_split(const std::string& text) {
  DescriptorSplit split;
  int end = 0;
  if (std::sscanf(text.c_str(), "%3u/%3u/%3u%n", &split.cache, &split.candidates, &split.queue,
                  &end) != 3 ||
      static_cast<std::size_t>(end) != text.size() ||
      split.cache + split.candidates + split.queue != 100) {
    return {};
  }
  return split;
}

std::string check_split(const std::string& text) {
  if (parse_split(text)) return "";
  return "'" + text + "': expected three percentages that add up to 100, such as 60/20/20";
}

// The rule of "store:RULE".
std::optional<std::string> storing_rule(const std::string& text) {
  if (!text.starts_with("store:")) return {};
  return text.substr(6);
}

}  // namespace

void SearchSettings::add_to(CLI::App& command, bool new_run) {
  resumes_ = !new_run;
  add_choice(command, "--search", kOrders, order_,
             "Breadth first (shortest traces, levels; the default) or depth first (the default, "
             "and the only way, of compact-cache, cache and --sleep-sets)")
      ->group(kGroup);
  add_visited(command);
  depends(add_number(command, "--hash-bits", hash_bits_, 8, 64,
                     "Bits of a stored hash, 8 to 64; default 64, with --detection level 32 to 42 "
                     "by --memory. "
                     "comback is exact with any"),
          "--visited comback, compact or compact-cache", &SearchSettings::hashed);
  add_comback(command);
  add_levels(command, new_run);
  add_compact(command);
  add_compact_cache(command);
  add_caching(command);
  const char* kNeeds = "--visited store:RULE";
  depends(storing_.add_waiting(command), kNeeds, &SearchSettings::storing);
  depends(storing_.add_count_states(command), kNeeds, &SearchSettings::storing);
  depends(storing_.add_overhead(command), kNeeds, &SearchSettings::storing);
}

void SearchSettings::add_visited(CLI::App& command) {
  const std::vector<std::pair<std::string, Visited>> choices = {
      {"comback", Visited::kComBack},
      {"full", Visited::kFull},
      {"compact", Visited::kCompact},
      {"compact-cache", Visited::kCompactCache},
      {"cache", Visited::kCache}};
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  words.emplace_back("store:RULE");
  const auto check = [words](const std::string& text) -> std::string {
    if (const auto rule = storing_rule(text)) {
      const Result<StoringRule> parsed = StoringRule::parse(*rule);
      return parsed ? "" : parsed.error().what;
    }
    std::string word = text;
    return one_of(words)(word);
  };
  command
      .add_option_function<std::string>(
          "--visited",
          [this, choices](const std::string& text) {
            for (const auto& [word, meaning] : choices) {
              if (word == text) visited_ = meaning;
            }
            if (const auto rule = storing_rule(text)) {
              visited_ = Visited::kStore;
              storing_.set_rule(*StoringRule::parse(*rule));
            }
          },
          "What is kept of a visited state: a hash and how it was reached (comback: exact), all of "
          "it (full: exact), only a hash (compact: may omit states), a hash until another state "
          "needs its place (compact-cache: may omit states, and visit them again), all of it as "
          "long "
          "(cache: exact, may visit states again), or all of some states, while others are visited "
          "again (store:RULE: exact). RULE is distance:K, "
          "successors:K, cover, random:P or combination:K")
      ->check(CLI::Validator(check, ""))
      ->option_text(CLI::detail::join(words, "|"))
      ->default_str(word_for(choices, visited_))
      ->group(kGroup);
}

void SearchSettings::add_comback(CLI::App& command) {
  depends(add_choice<std::optional<Detection>>(
              command, "--detection",
              {{"level", Detection::kLevel},
               {"immediate", Detection::kImmediate},
               {"delayed", Detection::kDelayed}},
              detection_,
              "With comback, when states are compared with those of their hash: level by level, "
              "with all threads, on disk where memory is short (the default of a breadth-first "
              "search); at once; or when a set of candidates is full"),
          "--visited comback", &SearchSettings::comback);
  const char* kNeeds = "--detection immediate or delayed";
  add_descriptors(command);
  depends(command
              .add_option_function<std::string>(
                  "--cache",
                  [this](const std::string& text) {
                    comback_.cache = *parse_cache_spec(text);
                    cache_given_ = true;
                  },
                  "With immediate or delayed: which descriptors stay at hand to reconstruct from: "
                  "F, R:0.5, H, D:5, F20-D80, F20/D80, level, none")
              ->check(CLI::Validator(check_cache, ""))
              ->option_text("SPEC")
              ->default_str(to_string(comback_.cache)),
          kNeeds, &SearchSettings::as_published);
  CLI::Option* const cache_size =
      add_count(command, "--cache-size", comback_.cache_size,
                "With immediate, delayed or --visited cache: states in the cache; default: an "
                "eighth of --memory, with --visited cache half of it");
  depends(cache_size, "--detection immediate or delayed, or --visited cache",
          &SearchSettings::has_cache_size);
  CLI::Option* const candidates =
      add_count(command, "--candidates", comback_.candidates,
                "With --detection delayed: states that wait to be compared; default: as many as in "
                "the cache");
  depends(candidates, "--visited comback --detection delayed", &SearchSettings::delayed);
  CLI::Option* const queue = add_choice(
      command, "--queue", kQueues, comback_.queue,
      "With immediate or delayed: descriptors wait to be expanded, or ids that are reconstructed");
  depends(queue, kNeeds, &SearchSettings::as_published);
  set_by_descriptors_ = {cache_size, candidates, queue};
}

void SearchSettings::add_descriptors(CLI::App& command) {
  depends(command
              .add_option_function<std::string>(
                  "--descriptors",
                  [this](const std::string& text) {
                    comback_.descriptors =
                        text == "auto" ? ComBackOptions::kFromMemory : *parse_count(text);
                  },
                  "At most so many full descriptors in memory, split among cache, candidates and "
                  "queue as was found best: implies --detection delayed --queue ids --cache "
                  "F80-D20. auto: as many of the model's width as half of --memory holds")
              ->check(CLI::Validator(check_descriptors, ""))
              ->option_text("N|auto"),
          "--visited comback --detection delayed", &SearchSettings::delayed);
  depends(
      command
          .add_option_function<std::string>(
              "--split", [this](const std::string& text) { comback_.split = parse_split(text); },
              "With --descriptors: percentages of cache, candidates and queue, such as "
              "60/20/20; default: by their number, as in the paper")
          ->check(CLI::Validator(check_split, ""))
          ->option_text("C/D/Q"),
      "--descriptors", &SearchSettings::splits);
}

void SearchSettings::add_levels(CLI::App& command, bool new_run) {
  const char* kNeeds = "--detection level";
  depends(add_choice(command, "--tables", kTables, levels_.tables,
                     "With --detection level, where states are kept: in memory, on disk, or in "
                     "memory until the budget is used up"),
          kNeeds, &SearchSettings::by_levels);
  depends(
      command
          .add_option_function<std::string>(
              "--keep-levels",
              [this](const std::string& text) { levels_.keep_levels = *KeepLevels::parse(text); },
              "With --detection level: whose descriptors stay on disk to reconstruct from: "
              "all, every:K, last:W, none, auto")
          ->check(CLI::Validator(check_keep_levels, ""))
          ->option_text("LEVELS")
          ->default_str(levels_.keep_levels.to_string()),
      kNeeds, &SearchSettings::by_levels);
  if (new_run) {
    depends(command
                .add_option("--run", levels_.run_dir,
                            "With --detection level: keep the run in DIR, which must not hold one "
                            "yet: it can be resumed and asked questions. Without it, what is on "
                            "disk goes to a temporary folder")
                ->option_text("DIR"),
            kNeeds, &SearchSettings::by_levels);
  }
  depends(add_duration(command, "--checkpoint", checkpoint_,
                       "With --run: how much exploration may be lost at the most, such as 60s or "
                       "5m; default 60s"),
          new_run ? "--run" : kNeeds, &SearchSettings::keeps_run);
  depends(add_size(command, "--disk", levels_.disk_bytes,
                   "With --detection level: stop before the run takes more of the disk than that, "
                   "such as 20G; default: as much as there is"),
          kNeeds, &SearchSettings::by_levels);
  depends(add_choice(command, "--io", kIo, levels_.io,
                     "With --detection level: read with io_uring, with threads that call pread, "
                     "or io_uring if it can be had"),
          kNeeds, &SearchSettings::by_levels);
  add_number(command, "--threads", threads_, 1, 256,
             fmt::format("At most so many threads search; default: the cores granted, here {}. "
                         "Only --detection level uses more than one",
                         granted_cores()))
      ->group("Resources");
}

void SearchSettings::add_compact(CLI::App& command) {
  depends(add_choice<Compaction>(
              command, "--compaction",
              {{"basic", Compaction::kBasic}, {"improved", Compaction::kImproved}}, compaction_,
              "With compact: basic has a table that grows; improved (Stern and Dill) has one of "
              "fixed size and omits far fewer states per bit"),
          "--visited compact", &SearchSettings::compact);
  depends(add_count(command, "--table-size", table_slots_,
                    "With --compaction improved and with compact-cache: slots of the table; "
                    "default: what half of --memory holds"),
          "--visited compact --compaction improved, or --visited compact-cache",
          &SearchSettings::fixed_table);
}

void SearchSettings::add_compact_cache(CLI::App& command) {
  depends(
      add_number(command, "--probes", probes_, 1, 1000,
                 "With compact-cache: slots that are tried for a state; where all are taken, it "
                 "replaces one. More make omissions likelier and revisits rarer; default 3"),
      "--visited compact-cache", &SearchSettings::compact_cache);
  depends(add_number(command, "--seed", seed_, 0, std::numeric_limits<unsigned>::max(),
                     "With compact-cache: which hash functions are used, and what is replaced; "
                     "what one seed omits, another does not. With cache: what is replaced. With "
                     "store:random, cover and combination: what is stored. Default 1"),
          "--visited compact-cache, cache, store:random, store:cover or store:combination",
          &SearchSettings::has_seed);
}

void SearchSettings::add_caching(CLI::App& command) {
  const char* const kNeedsCache = "--visited cache";
  depends(caching_.add_replacement(command), kNeedsCache, &SearchSettings::caches);
  depends(caching_.add_max_revisits(command), "--visited cache or store:RULE",
          &SearchSettings::forgets);
  const char* const kNeedsDescriptors = "--visited full or cache";
  depends(caching_.add_sleep_sets(command), kNeedsDescriptors, &SearchSettings::has_descriptors);
  depends(caching_.add_check_independence(command), kNeedsDescriptors,
          &SearchSettings::has_descriptors);
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
  for (const CLI::Option* option : set_by_descriptors_) {
    if (!splits() || option->count() == 0) continue;
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{} is set by --descriptors: leave out one of them, or say with --split "
                    "how the descriptors are divided",
                    option->get_name())};
  }
  if (order() == SearchOrder::kBreadthFirst && (caches() || caching_.reduces())) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} works depth first only: use --search dfs, or leave it out",
                             caches() ? "--visited cache" : caching_.why_depth_first())};
  }
  if (by_levels() && order() == SearchOrder::kDepthFirst) {
    return Error{Errc::kInvalidArgument,
                 "--detection level is breadth first: use --search bfs, or --detection immediate"};
  }
  if (!run_dir().empty() && RunDirectory::holds_run(run_dir())) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--run: {0} holds a run already: go on with it by 'comback resume "
                             "{0}', or name another directory",
                             run_dir().string())};
  }
  if (compact_cache() && order() == SearchOrder::kBreadthFirst) {
    return Error{Errc::kInvalidArgument,
                 "--visited compact-cache is depth first: use --search dfs, or leave --search out. "
                 "Breadth first, states that replace each other would be found again for ever"};
  }
  if (compact_cache() && table_slots_ &&
      *table_slots_ < probes_.value_or(LimitedOptions().probes)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--table-size {}: must be at least --probes, {}", *table_slots_,
                             probes_.value_or(LimitedOptions().probes))};
  }
  if (storing()) {
    if (Status status = storing_.check(order()); !status) return status;
  }
  std::error_code error;
  if (!run_dir().empty() && std::filesystem::exists(run_dir(), error) &&
      !std::filesystem::is_empty(run_dir(), error)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--run: {} is not empty: name a folder that does not exist yet",
                             run_dir().string())};
  }
  return Done{};
}

void SearchSettings::apply(SearchOptions& options) const {
  options.order = order();
  caching_.apply(options);
  if (hash_bits_) options.hash_bits = *hash_bits_;
  switch (visited_) {
    case Visited::kFull:
      options.visited = VisitedMode::kFull;
      break;
    case Visited::kCache:
      options.visited = VisitedMode::kCache;
      options.caching.cache_size = comback_.cache_size;
      if (seed_) options.caching.seed = *seed_;
      break;
    case Visited::kCompact:
      options.visited = improved() ? VisitedMode::kCompactImproved : VisitedMode::kCompact;
      options.table_slots = table_slots_;
      break;
    case Visited::kCompactCache:
      options.visited = VisitedMode::kCompactCache;
      options.table_slots = table_slots_;
      options.limited.probes = probes_.value_or(options.limited.probes);
      if (seed_) options.limited.seed = *seed_;
      break;
    case Visited::kStore:
      options.visited = VisitedMode::kStoring;
      storing_.apply(seed_, options);
      options.storing.max_revisits = options.caching.max_revisits;
      break;
    case Visited::kComBack:
      options.visited = by_levels() ? VisitedMode::kLevels : VisitedMode::kComBack;
      options.comback = comback_;
      if (splits() && !cache_given_) options.comback.cache = *parse_cache_spec("F80-D20");
      options.comback.detection =
          delayed() ? ComBackOptions::Detection::kDelayed : ComBackOptions::Detection::kImmediate;
      options.levels = levels_;
      options.levels.threads = threads_.value_or(granted_cores());
      options.levels.write_run = !run_dir().empty();
      if (checkpoint_) options.levels.checkpoint_interval = *checkpoint_;
      options.levels.hash_bits =
          hash_bits_.value_or(LevelOptions::hash_bits_for(options.memory_bytes));
      break;
  }
}

void SearchSettings::describe(const SearchOptions& options, const Model& model,
                              nlohmann::ordered_json& settings) const {
  settings["search"] = word_for(kOrders, Order(order()));
  switch (visited_) {
    case Visited::kFull:
      settings["visited"] = "full";
      if (order() == SearchOrder::kDepthFirst) caching_.describe_sleep_sets(settings);
      return;
    case Visited::kCache:
      settings["visited"] = "cache";
      caching_.describe_cache(options, model, settings);
      caching_.describe_sleep_sets(settings);
      return;
    case Visited::kCompact:
      settings["visited"] = "compact";
      settings["compaction"] = improved() ? "improved" : "basic";
      if (table_slots_) settings["table_size"] = *table_slots_;
      break;
    case Visited::kCompactCache:
      settings["visited"] = "compact-cache";
      settings["probes"] = options.limited.probes;
      settings["seed"] = options.limited.seed;
      if (table_slots_) settings["table_size"] = *table_slots_;
      break;
    case Visited::kStore:
      storing_.describe(options, settings);
      return;
    case Visited::kComBack: {
      if (by_levels()) {
        settings["visited"] = "comback";
        settings["detection"] = "level";
        settings["tables"] = word_for(kTables, options.levels.tables);
        settings["keep_levels"] = options.levels.keep_levels.to_string();
        settings["threads"] = options.levels.threads;
        settings["hash_bits"] = options.levels.hash_bits;
        // What auto comes to on this machine.
        if (const auto reader = AsyncReader::open(options.levels.io, 1)) {
          settings["io"] = std::string((*reader)->name());
        }
        return;
      }
      const ComBackOptions resolved = ComBackSet::resolve(options, model.width()).comback;
      settings["visited"] = "comback";
      const bool is_delayed = resolved.detection == ComBackOptions::Detection::kDelayed;
      settings["detection"] = is_delayed ? "delayed" : "immediate";
      if (resolved.descriptors) settings["descriptors"] = *resolved.descriptors;
      settings["cache"] = to_string(resolved.cache);
      settings["cache_size"] = *resolved.cache_size;
      if (is_delayed) settings["candidates"] = *resolved.candidates;
      settings["queue"] = word_for(kQueues, resolved.queue);
      if (resolved.queue == ComBackOptions::Queue::kIds && order() == SearchOrder::kBreadthFirst) {
        settings["queue_block"] = *resolved.queue_block;
      }
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
    case Visited::kCache:
      return "full descriptors, as many as the cache holds";
    case Visited::kCompact:
      return fmt::format("hashes of {} bits, {}", hash_bits_.value_or(64),
                         improved() ? "improved" : "basic");
    case Visited::kCompactCache:
      return fmt::format("hashes of {} bits, forgotten after {} probes", hash_bits_.value_or(64),
                         probes_.value_or(LimitedOptions().probes));
    case Visited::kStore:
      return "descriptors of stored and waiting states";
    case Visited::kComBack:
      if (by_levels()) return "by levels";
      return fmt::format("hashes of {} bits and backedges", hash_bits_.value_or(64));
  }
  return {};
}

}  // namespace comback::tools

#include <fmt/format.h>

#include <array>
#include <optional>

#include "engine/recording_model.h"
#include "engine/study.h"
#include "storage/memory_budget.h"

namespace comback {
namespace {

// A search that explores states this often again is taken for exploded.
constexpr std::uint64_t kMostRevisits = 4;  // times the states
constexpr std::array<double, 11> kShares = {1.0,  0.5,  0.33, 0.25,  0.1,  0.05,
                                            0.03, 0.02, 0.01, 0.005, 0.002};
constexpr std::array<double, 5> kReplacementShares = {0.5, 0.33, 0.25, 0.1, 0.03};

constexpr std::array<Replacement::Kind, 6> kReplacements = {
    Replacement::Kind::kRandom, Replacement::Kind::kMost,    Replacement::Kind::kLeast,
    Replacement::Kind::kClass,  Replacement::Kind::kSubtree, Replacement::Kind::kType};

const char* algorithm(bool sleep_sets) { return sleep_sets ? "2 (sleep sets)" : "1"; }

std::uint64_t matched(const Summary& summary) {
  // All but one state are reached by a transition that is not matched.
  return summary.caching ? summary.caching->matched : summary.transitions - (summary.states - 1);
}

class CachingStudy {
 public:
  CachingStudy(const StudyOptions& options, Monitor& monitor, Study& study)
      : options_(options), monitor_(monitor), study_(study) {
    study_.tables = {
        {.name = "search",
         .title = "All states kept, without and with sleep sets (Tables 1 and 2 of the paper)",
         .columns = {"model", "algorithm", "states", "matched", "transitions", "depth", "slept",
                     "sleep sets", "seconds"}},
        {.name = "cache",
         .title =
             fmt::format("Transitions by the size of the cache, random replacement (Figure 4); "
                         "explosion: more than {} times the states explored again",
                         kMostRevisits),
         .columns = {"model", "algorithm", "cache", "share", "explored", "transitions", "times",
                     "outcome"}},
        {.name = "replacement",
         .title = "Transitions by what is replaced (Figure 5)",
         .columns = {"model", "algorithm", "replaced", "cache", "share", "explored", "transitions",
                     "times", "outcome"}}};
  }

  Status measure(const StudyInstance& instance) {
    add_search(instance, false, instance.full);
    bool sleep_sets = !instance.model.events().empty();
    if (!sleep_sets) {
      options_.note(
          fmt::format("{}: without sleep sets, its events have no fixed numbers", instance.name));
    }
    if (sleep_sets) {
      SearchOptions search = this->search();
      search.sleep_sets = true;
      const Result<Summary> summary = explore(instance.model, search, monitor_);
      if (!summary) return summary.error();
      if (monitor_.stop_requested()) return Done{};
      if (summary->verdict != Verdict::kComplete || summary->states != instance.full.states) {
        return disagrees(instance, summary->states);
      }
      add_search(instance, true, *summary);
    }
    if (Status status = measure_sizes(instance, sleep_sets); !status) return status;
    return measure_replacements(instance, sleep_sets);
  }

 private:
  SearchOptions search() const {
    SearchOptions search;
    search.order = SearchOrder::kDepthFirst;
    search.visited = VisitedMode::kFull;
    search.memory_bytes = options_.memory_bytes;
    return search;
  }

  static Error disagrees(const StudyInstance& instance, std::uint64_t states) {
    return {Errc::kCorruption, fmt::format("{}: {} states where there are {}: please report this",
                                           instance.name, states, instance.full.states)};
  }

  void add_search(const StudyInstance& instance, bool sleep_sets, const Summary& summary) {
    study_.tables[0].rows.push_back(
        {instance.name, std::string(algorithm(sleep_sets)), summary.states, matched(summary),
         summary.transitions, summary.max_depth, summary.caching ? summary.caching->slept : 0,
         summary.caching ? summary.caching->sleep_sets : 0, summary.seconds});
  }

  // One search with a cache, which has visited all states where it is complete. Empty where it was
  // stopped.
  Result<std::optional<Summary>> cached(const StudyInstance& instance, bool sleep_sets,
                                        Replacement::Kind replacement, std::uint64_t size) {
    MemoryBudget budget(options_.memory_bytes);
    RecordingModel recorded(instance.model, budget);
    const Error no_memory{Errc::kOutOfMemory,
                          fmt::format("{}: --memory does not hold all states", instance.name)};
    if (!recorded.begin()) return no_memory;
    SearchOptions search = this->search();
    search.visited = VisitedMode::kCache;
    search.sleep_sets = sleep_sets;
    search.caching.cache_size = size;
    search.caching.replacement.kind = replacement;
    search.caching.seed = options_.seed;
    search.caching.max_revisits = kMostRevisits * instance.full.states;
    Result<Summary> summary = explore(recorded, search, monitor_);
    if (!summary) return summary.error();
    if (monitor_.stop_requested()) return std::optional<Summary>();
    const std::optional<std::uint64_t> expanded = recorded.expanded();
    if (!expanded) return no_memory;
    if (summary->verdict == Verdict::kComplete && *expanded != instance.full.states) {
      return disagrees(instance, *expanded);
    }
    return std::optional<Summary>(std::move(*summary));
  }

  static std::string outcome(const Summary& summary) {
    if (summary.verdict == Verdict::kComplete) return "complete";
    if (summary.stop_reason == StopReason::kMaxRevisits) return "explosion";
    if (summary.stop_reason == StopReason::kCacheFull) return "smaller than the stack";
    return to_string(summary.stop_reason);
  }

  // Whether it is worth to go on with smaller caches; adds a point where it is complete.
  bool add(const StudyInstance& instance, const Summary& summary, std::uint64_t size,
           std::vector<StudyTable::Cell> row, StudyTable& table, StudyPlot::Curve& curve) const {
    const bool complete = summary.verdict == Verdict::kComplete;
    const double times =
        static_cast<double>(summary.transitions) / static_cast<double>(instance.full.transitions);
    row.insert(row.end(),
               {size, static_cast<double>(size) / static_cast<double>(instance.full.states),
                summary.states, summary.transitions, times, outcome(summary)});
    table.rows.push_back(std::move(row));
    if (complete || summary.stop_reason == StopReason::kMaxRevisits) {
      curve.points.insert(curve.points.begin(), {.x = static_cast<double>(size),
                                                 .y = static_cast<double>(summary.transitions)});
    }
    return complete;
  }

  static std::uint64_t size_of(const StudyInstance& instance, double share) {
    return static_cast<std::uint64_t>(share * static_cast<double>(instance.full.states));
  }

  Status measure_sizes(const StudyInstance& instance, bool with_sleep_sets) {
    StudyPlot plot = this->plot(instance, "cache", "caches with random replacement");
    for (const bool sleep_sets : {false, true}) {
      if (sleep_sets && !with_sleep_sets) continue;
      StudyPlot::Curve curve{.name = fmt::format("Algorithm {}", algorithm(sleep_sets)),
                             .points = {}};
      for (const double share : kShares) {
        const std::uint64_t size = size_of(instance, share);
        if (size == 0) break;
        auto summary = cached(instance, sleep_sets, Replacement::Kind::kRandom, size);
        if (!summary) return summary.error();
        if (!*summary) return Done{};
        if (!add(instance, **summary, size, {instance.name, std::string(algorithm(sleep_sets))},
                 study_.tables[1], curve)) {
          break;
        }
      }
      plot.curves.push_back(std::move(curve));
    }
    keep(std::move(plot));
    return Done{};
  }

  Status measure_replacements(const StudyInstance& instance, bool sleep_sets) {
    StudyPlot plot =
        this->plot(instance, "replacement",
                   fmt::format("what is replaced, Algorithm {}", algorithm(sleep_sets)));
    for (const Replacement::Kind kind : kReplacements) {
      const std::string name = Replacement{.kind = kind}.to_string();
      StudyPlot::Curve curve{.name = name, .points = {}};
      for (const double share : kReplacementShares) {
        const std::uint64_t size = size_of(instance, share);
        if (size == 0) break;
        auto summary = cached(instance, sleep_sets, kind, size);
        if (!summary) return summary.error();
        if (!*summary) return Done{};
        if (!add(instance, **summary, size,
                 {instance.name, std::string(algorithm(sleep_sets)), name}, study_.tables[2],
                 curve)) {
          break;
        }
      }
      plot.curves.push_back(std::move(curve));
    }
    keep(std::move(plot));
    return Done{};
  }

  static StudyPlot plot(const StudyInstance& instance, const std::string& what,
                        const std::string& title) {
    return {.name = fmt::format("{}-{}", what, instance.name),
            .title = fmt::format("{}: {}", instance.name, title),
            .x_label = "states in the cache",
            .y_label = "transitions executed",
            .curves = {},
            .log_x = true,
            .log_y = true};
  }
  void keep(StudyPlot plot) {
    for (const StudyPlot::Curve& curve : plot.curves) {
      if (curve.points.empty()) continue;
      study_.plots.push_back(std::move(plot));
      return;
    }
  }

  const StudyOptions& options_;
  Monitor& monitor_;
  Study& study_;
};

}  // namespace

Status run_caching_study(const StudyOptions& options, Monitor& monitor, Study& study) {
  CachingStudy measurements(options, monitor, study);
  return for_each_instance(
      options, SearchOrder::kDepthFirst, monitor,
      [&](const StudyInstance& instance) { return measurements.measure(instance); });
}

}  // namespace comback

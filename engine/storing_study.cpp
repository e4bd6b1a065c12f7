#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "engine/study.h"

namespace comback {
namespace {

// The strategies of the paper's Table 2, with its parameters.
constexpr std::array<const char*, 5> kRules = {"cover", "successors", "random:0.1", "distance:10",
                                               "combination:3"};
// A search that explores states this often again is given up.
constexpr std::uint64_t kMostRevisits = 30;  // times the states

const char* to_text(StoringOptions::Waiting waiting) {
  switch (waiting) {
    case StoringOptions::Waiting::kFifo:
      return "fifo";
    case StoringOptions::Waiting::kLifo:
      return "lifo";
    case StoringOptions::Waiting::kPriority:
      return "priority";
  }
  return "?";
}

class StoringStudy {
 public:
  StoringStudy(const StudyOptions& options, Monitor& monitor, Study& study)
      : options_(options), monitor_(monitor), study_(study) {
    study_.tables = {
        {.name = "storing",
         .title = "Memory: the most states stored and waiting at a time, in percent of all states. "
                  "Overhead: states explored, divided by states (Table 2 of the paper). "
                  "-: more than 30 times",
         .columns = {"model", "states", "strategy", "stored", "stored %", "memory %", "overhead",
                     "outcome"}},
        {.name = "waiting",
         .title = "combination:3 by the order of the waiting list",
         .columns = {"model", "states", "waiting", "stored %", "memory %", "overhead", "outcome"}},
        {.name = "cover",
         .title = "Covering sets by heuristic: transitions, and the sum of their random walk "
                  "coefficients (Table 1 of the paper)",
         .columns = {"model", "heuristic", "edges", "coefficients", "taken"}}};
  }

  Status measure(const StudyInstance& instance) {
    bool listed = false;
    for (const char* text : kRules) {
      Result<StoringRule> rule = StoringRule::parse(text);
      if (!rule) return rule.error();
      auto summary = search(instance, *rule, StoringOptions::Waiting::kFifo);
      if (!summary) return summary.error();
      if (monitor_.stop_requested()) return Done{};
      if (!*summary) continue;
      const StoringCounts& counts = *(*summary)->storing;
      const bool complete = (*summary)->verdict == Verdict::kComplete;
      study_.tables[0].rows.push_back({instance.name, instance.full.states, std::string(text),
                                       counts.stored, share(instance, counts.stored),
                                       share(instance, counts.peak_held),
                                       overhead(instance, counts), outcome(**summary)});
      if (complete) {
        memory_[text].push_back({.x = static_cast<double>(instance.full.states),
                                 .y = share(instance, counts.peak_held)});
        overhead_[text].push_back(
            {.x = static_cast<double>(instance.full.states), .y = overhead(instance, counts)});
      }
      if (!listed && rule->needs_cover()) {
        add_cover(instance, counts.cover);
        listed = true;
      }
      if (rule->kind == StoringRule::Kind::kCombination) {
        add_waiting(instance, StoringOptions::Waiting::kFifo, **summary);
      }
    }
    return measure_waiting(instance);
  }

  void conclude() {
    add_plot("storing-memory", "memory", "states stored and waiting, % of all", false, memory_);
    add_plot("storing-overhead", "overhead", "states explored / states", true, overhead_);
  }

 private:
  using Points = std::map<std::string, std::vector<StudyPlot::Point>>;

  static double share(const StudyInstance& instance, std::uint64_t states) {
    return 100 * static_cast<double>(states) / static_cast<double>(instance.full.states);
  }
  static double overhead(const StudyInstance& instance, const StoringCounts& counts) {
    return static_cast<double>(counts.explored) / static_cast<double>(instance.full.states);
  }
  static std::string outcome(const Summary& summary) {
    return summary.verdict == Verdict::kComplete ? "complete" : to_string(summary.stop_reason);
  }

  // Empty, with a note, where the strategy cannot be used with the model. Where it is complete, it
  // has found all states.
  Result<std::optional<Summary>> search(const StudyInstance& instance, const StoringRule& rule,
                                        StoringOptions::Waiting waiting) {
    SearchOptions search;
    search.order = waiting == StoringOptions::Waiting::kLifo ? SearchOrder::kDepthFirst
                                                             : SearchOrder::kBreadthFirst;
    search.visited = VisitedMode::kStoring;
    search.memory_bytes = options_.memory_bytes;
    search.storing.rule = rule;
    search.storing.waiting = waiting;
    search.storing.seed = options_.seed;
    search.storing.max_revisits = kMostRevisits * instance.full.states;
    Result<Summary> summary = explore(instance.model, search, monitor_);
    if (!summary) {
      if (summary.error().code != Errc::kUnsupported) return summary.error();
      options_.note(
          fmt::format("{}, {}: {}", instance.name, rule.to_string(), summary.error().what));
      return std::optional<Summary>();
    }
    if (summary->verdict == Verdict::kComplete && summary->storing->counted &&
        summary->states != instance.full.states) {
      return Error{
          Errc::kCorruption,
          fmt::format("{}, {}: {} states where there are {}: please report this", instance.name,
                      rule.to_string(), summary->states, instance.full.states)};
    }
    return std::optional<Summary>(std::move(*summary));
  }

  Status measure_waiting(const StudyInstance& instance) {
    for (const auto waiting :
         {StoringOptions::Waiting::kLifo, StoringOptions::Waiting::kPriority}) {
      auto summary = search(instance, StoringRule{}, waiting);
      if (!summary) return summary.error();
      if (monitor_.stop_requested()) return Done{};
      if (*summary) add_waiting(instance, waiting, **summary);
    }
    return Done{};
  }

  void add_waiting(const StudyInstance& instance, StoringOptions::Waiting waiting,
                   const Summary& summary) {
    const StoringCounts& counts = *summary.storing;
    study_.tables[1].rows.push_back({instance.name, instance.full.states,
                                     std::string(to_text(waiting)), share(instance, counts.stored),
                                     share(instance, counts.peak_held), overhead(instance, counts),
                                     outcome(summary)});
  }

  void add_cover(const StudyInstance& instance, const CoveringSet& cover) {
    for (const CoveringSet::Candidate& candidate : cover.candidates) {
      study_.tables[2].rows.push_back(
          {instance.name, candidate.heuristic, std::uint64_t{candidate.edges}, candidate.weight,
           std::string(candidate.heuristic == cover.heuristic ? "yes" : "")});
    }
  }

  void add_plot(const std::string& name, const std::string& title, const std::string& y_label,
                bool log_y, const Points& points) {
    if (points.empty()) return;
    StudyPlot plot{.name = name,
                   .title = fmt::format("Storing strategies: {} by the size of the model", title),
                   .x_label = "states of the model",
                   .y_label = y_label,
                   .curves = {},
                   .log_x = true,
                   .log_y = log_y};
    for (const char* rule : kRules) {
      const auto found = points.find(rule);
      if (found == points.end()) continue;
      StudyPlot::Curve curve{.name = rule, .points = found->second};
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const auto& a, const auto& b) { return a.x < b.x; });
      plot.curves.push_back(std::move(curve));
    }
    study_.plots.push_back(std::move(plot));
  }

  const StudyOptions& options_;
  Monitor& monitor_;
  Study& study_;
  Points memory_;
  Points overhead_;
};

}  // namespace

Status run_storing_study(const StudyOptions& options, Monitor& monitor, Study& study) {
  StoringStudy measurements(options, monitor, study);
  const Status status = for_each_instance(
      options, SearchOrder::kBreadthFirst, monitor,
      [&](const StudyInstance& instance) { return measurements.measure(instance); });
  measurements.conclude();
  return status;
}

}  // namespace comback

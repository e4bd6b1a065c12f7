#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/binomial.h"
#include "engine/omission.h"
#include "engine/recording_model.h"
#include "engine/study.h"
#include "engine/synthetic_model.h"
#include "storage/memory_budget.h"

namespace comback {
namespace {

constexpr std::uint32_t kSyntheticStates = 38'181;  // as many as the paper's Mulog protocol has
constexpr double kConfidence = 0.9;
// From where omissions are certain to where there hardly ever are any, by the expected number of
// comparisons that go wrong.
constexpr double kMostWrong = 16;
constexpr double kLeastWrong = 0.001;
// A search that visits states more often than this on average is given up.
constexpr std::uint64_t kMostVisits = 4;

constexpr std::array<unsigned, 3> kProbes = {1, 3, 10};  // of Tables 2 and 3
constexpr std::array<double, 7> kShares = {1.0, 0.5, 0.4, 0.25, 0.1, 0.05, 0.02};

// The comparisons that equation (1) counts, with the load that insertions really give: one of a
// table of load x fills a slot with probability 1 - x^t.
double expected_comparisons(std::uint64_t observed, std::uint64_t slots, unsigned probes) {
  double load = 0;
  double sum = 0;
  for (std::uint64_t k = 0; k < observed; ++k) {
    double power = 1;
    for (unsigned j = 0; j < probes; ++j) sum += power *= load;
    load += (1 - power) / static_cast<double>(slots);
  }
  return sum;
}

double wrong_at_least_once(double comparisons, unsigned bits) {
  return -std::expm1(comparisons * std::log1p(-1 / (std::ldexp(1.0, static_cast<int>(bits)) - 1)));
}

class OmissionStudy {
 public:
  OmissionStudy(const StudyOptions& options, Monitor& monitor, Study& study)
      : options_(options), monitor_(monitor), study_(study), seed_(options.seed << 32) {
    study_.tables = {
        {.name = "coverage",
         .title =
             fmt::format("Points at which the formula is in the {:.0f}% confidence interval of "
                         "what {} runs show",
                         100 * kConfidence, options.runs),
         .columns = {"model", "case", "points", "within", "share"}},
        {.name = "omission",
         .title =
             "Runs in which a state was omitted, by the bits of a stored hash (Figures 3 and 4 "
             "of the paper). formula: equation (1); load: the same with the load the table "
             "really has",
         .columns = {"model", "case", "states", "m", "t", "n", "bits", "formula", "load", "runs",
                     "with omission", "observed", "low", "high", "within"}},
        {.name = "observed",
         .title =
             "Observed states n (Tables 2 and 3 of the paper); -: more than 4 times the states",
         .columns = {"model", "states", "m", "1-limited", "3-limited", "10-limited"}}};
  }

  void conclude() {
    if (coverage().rows.size() < 2) return;
    coverage().rows.push_back(
        {std::string("all"), std::string(), all_points_, all_within_,
         static_cast<double>(all_within_) / static_cast<double>(all_points_)});
  }

  Status measure(const std::string& name, const Model& model, std::uint64_t states) {
    for (const auto& [what, slots] :
         {std::pair{"n about m", states}, std::pair{"n about 5m", states / 5}}) {
      if (Status status = measure_case(name, what, model, states, slots); !status) return status;
    }
    return measure_observed(name, model, states);
  }

 private:
  StudyTable& coverage() { return study_.tables[0]; }
  StudyTable& omission() { return study_.tables[1]; }
  StudyTable& observed() { return study_.tables[2]; }

  // One run; empty where it was stopped, or has come to more than kMostVisits.
  Result<std::optional<Summary>> run(const Model& model, std::uint64_t states, std::uint64_t slots,
                                     unsigned probes, unsigned bits) {
    SearchOptions search;
    search.order = SearchOrder::kDepthFirst;
    search.visited = VisitedMode::kCompactCache;
    search.memory_bytes = options_.memory_bytes;
    search.max_states = kMostVisits * states;
    search.table_slots = slots;
    search.hash_bits = bits;
    search.limited = {.probes = probes, .seed = ++seed_};
    Result<Summary> summary = explore(model, search, monitor_);
    if (!summary) return summary.error();
    if (summary->stop_reason == StopReason::kMemory) {
      return Error{Errc::kOutOfMemory,
                   fmt::format("{}: --memory is used up by a search with a table of {} slots",
                               model.name(), slots)};
    }
    if (summary->verdict != Verdict::kComplete) return std::optional<Summary>();
    return std::optional<Summary>(std::move(*summary));
  }

  Status measure_case(const std::string& name, const std::string& what, const Model& model,
                      std::uint64_t states, std::uint64_t slots) {
    if (slots < 100) {
      options_.note(fmt::format("{}, {}: left out, too few states", name, what));
      return Done{};
    }
    // n is that of a run without omissions.
    auto exact = run(model, states, slots, options_.probes, 64);
    if (!exact) return exact.error();
    if (!*exact) {
      if (!monitor_.stop_requested()) {
        options_.note(fmt::format("{}, {}: left out, states are visited more than {} times each",
                                  name, what, kMostVisits));
      }
      return Done{};
    }
    const std::uint64_t n = (*exact)->states;
    const std::uint64_t m = (*exact)->table->slots;
    const double comparisons = limited_comparisons(n, m, options_.probes);
    const double expected = expected_comparisons(n, m, options_.probes);

    StudyPlot plot{.name = fmt::format("omission-{}-{}", name, m),
                   .title = fmt::format("{}: omissions with m = {}, n = {}, t = {}", name, m, n,
                                        options_.probes),
                   .x_label = "bits of a stored hash",
                   .y_label = "probability of an omission"};
    plot.curves = {{.name = "formula", .points = {}},
                   {.name = "observed", .points = {}, .dashed = true},
                   {.name = "with the real load", .points = {}}};
    MemoryBudget budget(options_.memory_bytes);
    RecordingModel recorded(model, budget);
    std::uint64_t points = 0;
    std::uint64_t within = 0;
    const auto first =
        static_cast<unsigned>(std::max(8.0, std::ceil(std::log2(comparisons / kMostWrong))));
    for (unsigned bits = first; bits <= 64 && wrong_at_least_once(comparisons, bits) > kLeastWrong;
         ++bits) {
      std::uint64_t omitted = 0;
      for (unsigned i = 0; i < options_.runs; ++i) {
        if (!recorded.begin()) return out_of_memory(name);
        auto summary = run(recorded, states, slots, options_.probes, bits);
        if (!summary) return summary.error();
        if (monitor_.stop_requested()) return Done{};
        const std::optional<std::uint64_t> expanded = recorded.expanded();
        if (!expanded) return out_of_memory(name);
        omitted += *expanded != states;
      }
      const double formula = limited_omission_probability(n, m, options_.probes, bits);
      const double share = static_cast<double>(omitted) / options_.runs;
      const ProbabilityInterval interval = binomial_interval(omitted, options_.runs, kConfidence);
      const bool inside = interval.contains(formula);
      ++points;
      within += inside;
      omission().rows.push_back({name, what, states, m, std::uint64_t{options_.probes}, n,
                                 std::uint64_t{bits}, formula, wrong_at_least_once(expected, bits),
                                 std::uint64_t{options_.runs}, omitted, share, interval.low,
                                 interval.high, std::string(inside ? "yes" : "no")});
      plot.curves[0].points.push_back({.x = static_cast<double>(bits), .y = formula});
      plot.curves[2].points.push_back(
          {.x = static_cast<double>(bits), .y = wrong_at_least_once(expected, bits)});
      plot.curves[1].points.push_back(
          {.x = static_cast<double>(bits), .y = share, .low = interval.low, .high = interval.high});
    }
    all_points_ += points;
    all_within_ += within;
    coverage().rows.push_back(
        {name, what, points, within, static_cast<double>(within) / static_cast<double>(points)});
    study_.plots.push_back(std::move(plot));
    options_.note(fmt::format("{}, {}: {} of {} points agree", name, what, within, points));
    return Done{};
  }

  Status measure_observed(const std::string& name, const Model& model, std::uint64_t states) {
    std::vector<StudyPlot::Curve> curves;
    for (const unsigned probes : kProbes) {
      curves.push_back({.name = fmt::format("{}-limited", probes), .points = {}});
    }
    for (const double share : kShares) {
      const auto slots = static_cast<std::uint64_t>(share * static_cast<double>(states));
      if (slots < 100) continue;
      std::vector<StudyTable::Cell> row = {name, states, slots};
      bool any = false;
      for (std::size_t i = 0; i < kProbes.size(); ++i) {
        auto summary = run(model, states, slots, kProbes[i], 64);
        if (!summary) return summary.error();
        if (monitor_.stop_requested()) return Done{};
        if (!*summary) {
          row.emplace_back("-");
          continue;
        }
        any = true;
        row[2] = (*summary)->table->slots;
        row.emplace_back((*summary)->states);
        curves[i].points.push_back({.x = static_cast<double>((*summary)->table->slots),
                                    .y = static_cast<double>((*summary)->states)});
      }
      observed().rows.push_back(std::move(row));
      if (!any) break;
    }
    for (auto& curve : curves) std::reverse(curve.points.begin(), curve.points.end());
    if (std::any_of(curves.begin(), curves.end(),
                    [](const auto& c) { return !c.points.empty(); })) {
      study_.plots.push_back({.name = fmt::format("observed-{}", name),
                              .title = fmt::format("{}: observed states by the table's size", name),
                              .x_label = "slots of the table",
                              .y_label = "observed states",
                              .curves = std::move(curves),
                              .log_x = true});
    }
    return Done{};
  }

  static Error out_of_memory(const std::string& name) {
    return {Errc::kOutOfMemory, fmt::format("{}: --memory does not hold all states", name)};
  }

  const StudyOptions& options_;
  Monitor& monitor_;
  Study& study_;
  std::uint64_t seed_;
  std::uint64_t all_points_ = 0;
  std::uint64_t all_within_ = 0;
};

}  // namespace

Status run_omission_study(const StudyOptions& options, Monitor& monitor, Study& study) {
  OmissionStudy measurements(options, monitor, study);
  Status status = Done{};
  if (options.instances.empty()) {
    const SyntheticModel model(kSyntheticStates, options.seed);
    status = measurements.measure(model.name(), model, kSyntheticStates);
  } else {
    status = for_each_instance(
        options, SearchOrder::kDepthFirst, monitor, [&](const StudyInstance& instance) {
          return measurements.measure(instance.name, instance.model, instance.full.states);
        });
  }
  measurements.conclude();
  return status;
}

}  // namespace comback

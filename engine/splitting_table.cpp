#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/cache_spec.h"
#include "engine/experiment_figures.h"
#include "engine/experiment_table.h"

namespace comback {
namespace {

// Configurations of Table 5(b).
struct Configuration {
  std::uint64_t descriptors;
  const char* strategy;
  double cache;
  double candidates;
  double queue;
};
constexpr Configuration kConfigurations[] = {{100, "F80-D20", 0.5, 0.3, 0.2},
                                             {100, "F", 0.4, 0.3, 0.3},
                                             {100, "F20-D80", 0.9, 0, 0.1},
                                             {100, "F20-D80", 0.5, 0.5, 0},
                                             {100, "F80-D20", 0.8, 0.2, 0},
                                             {100, "F", 1, 0, 0},
                                             {100, "none", 0, 1, 0},
                                             {1000, "F80-D20", 0.6, 0.2, 0.2},
                                             {1000, "F", 0.4, 0.3, 0.3},
                                             {1000, "F20-D80", 0.9, 0, 0.1},
                                             {1000, "F20-D80", 0.8, 0.2, 0},
                                             {1000, "F80-D20", 0.8, 0.2, 0},
                                             {1000, "F", 1, 0, 0},
                                             {1000, "none", 0, 1, 0},
                                             {10'000, "F80-D20", 0.6, 0.3, 0.1},
                                             {10'000, "F", 0.4, 0.3, 0.3},
                                             {10'000, "F80-D20", 0.8, 0.2, 0},
                                             {10'000, "F20-D80", 0.9, 0, 0.1},
                                             {10'000, "F80-D20", 0.1, 0.9, 0},
                                             {10'000, "none", 0, 1, 0},
                                             {10'000, "F", 1, 0, 0}};

std::string name_of(const Configuration& c) {
  return fmt::format("F={} {} {:g}/{:g}/{:g}", c.descriptors, c.strategy, c.cache, c.candidates,
                     c.queue);
}

// Splits of a budget of descriptors among cache, candidates and queue: event executions relative to
// the classical search, on the instances that have 100 to 1,000 times as many states.
class SplittingTable : public ExperimentTable {
 public:
  explicit SplittingTable(ExperimentBench& bench) : bench_(bench) {}

  Status measure(const ExperimentBaseline& base) override {
    bool any = false;
    for (const Configuration& configuration : kConfigurations) {
      const std::uint64_t descriptors = configuration.descriptors;
      if (base.states < 100 * descriptors - 1 || base.states > 1000 * descriptors) continue;
      any = true;
      auto summary = bench_.search(*base.model, base, options_of(configuration));
      if (!summary) return summary.error();
      if (!*summary) return Done{};
      const double events =
          static_cast<double>((*summary)->events) / static_cast<double>(base.transitions);
      events_[&configuration].add(events);
      bench_.sink().row({.instance = base.name,
                         .configuration = name_of(configuration),
                         .quantity = "E-up",
                         .measured = events});
    }
    if (!any) bench_.sink().note(fmt::format("{}: left out, no budget has its size", base.name));
    return Done{};
  }

  // The paper averages over instances that are not all here, so nothing is marked.
  void conclude() override {
    for (const Configuration& configuration : kConfigurations) {
      ExperimentRow row{.instance = average_name(events_[&configuration].count()),
                        .configuration = name_of(configuration),
                        .quantity = "E-up",
                        .measured = events_[&configuration].value(),
                        .published = published(configuration)};
      row.agreement = quotient(row.measured, row.published);
      bench_.sink().row(row);
    }
  }

 private:
  static ComBackOptions options_of(const Configuration& configuration) {
    const auto percent = [](double share) { return static_cast<unsigned>(share * 100 + 0.5); };
    ComBackOptions comback = split_descriptors(
        configuration.descriptors, {percent(configuration.cache), percent(configuration.candidates),
                                    percent(configuration.queue)});
    comback.cache = *parse_cache_spec(configuration.strategy);
    return comback;
  }

  std::optional<double> published(const Configuration& configuration) const {
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
    for (const PublishedTables::Splitting& row : bench_.published().table5) {
      if (row.descriptors == configuration.descriptors && row.strategy == configuration.strategy &&
          near(row.cache, configuration.cache) && near(row.candidates, configuration.candidates) &&
          near(row.queue, configuration.queue)) {
        return row.events;
      }
    }
    return {};
  }

  ExperimentBench& bench_;
  std::map<const Configuration*, Mean> events_;
};

}  // namespace

std::unique_ptr<ExperimentTable> make_splitting_table(ExperimentBench& bench) {
  return std::make_unique<SplittingTable>(bench);
}

}  // namespace comback

#include "engine/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/authors_order.h"
#include "engine/cache_spec.h"

namespace comback {
namespace {

constexpr std::array<const char*, 10> kStrategies = {
    "R:0.5", "F", "H", "F20-H80", "F50-H50", "F80-H20", "D:5", "F20-D80", "F50-D50", "F80-D20"};
constexpr std::array<double, 4> kFractions = {1e-4, 1e-3, 1e-2, 1e-1};
constexpr std::array<double, 5> kCandidateSizes = {0, 0.1, 0.2, 0.5, 1};
constexpr std::array<const char*, 2> kDelayedStrategies = {"F", "F20-D80"};

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

// A mean that knows how many figures it is of.
struct Mean {
  double sum = 0;
  std::uint64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  std::optional<double> value() const {
    if (count == 0) return {};
    return sum / static_cast<double>(count);
  }
};

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

bool off_by_more_than(std::optional<double> agreement, double tolerance) {
  return agreement && std::abs(*agreement - 1) > tolerance;
}

// "1.4 M" has two digits: the true value is up to 0.1 M larger (the paper cuts off) or 0.05 M away.
double printed_precision(const PublishedTables::Caching& row) {
  const std::string& text = row.events_of_r_text;
  const std::size_t point = text.find('.');
  const double unit = text.find('M') != std::string::npos ? 1e6 : 1e3;
  return row.events_of_r == 0 ? 0
                              : (point == std::string::npos ? unit : unit / 10) / row.events_of_r;
}

// Two digits after the point, which the paper rounds in some figures and cuts off in others.
bool prints_as(double value, double printed) {
  const auto hundredths = std::lround(printed * 100);
  return std::lround(value * 100) == hundredths || std::floor(value * 100 + 1e-9) == hundredths;
}

std::string power(double fraction) {
  return fmt::format("10^{}", std::lround(std::log10(fraction)));
}

std::string detection(double size) { return size == 0 ? "no DDD" : fmt::format("DDD({:g})", size); }

class Experiment {
 public:
  Experiment(const ExperimentOptions& options, Monitor& monitor, ExperimentSink& sink)
      : options_(options), monitor_(monitor), sink_(sink) {}

  Status run() {
    for (const ExperimentInstance& instance : options_.instances) {
      if (monitor_.stop_requested()) break;
      if (!wanted(instance.name)) continue;
      Result<bool> done = run_instance(instance);
      if (!done) return done.error();
    }
    if (options_.table == PaperTable::kTable2) average_table6();
    if (options_.table == PaperTable::kTable3 || options_.table == PaperTable::kTable4 ||
        options_.table == PaperTable::kTable7) {
      average_table7();
    }
    if (options_.table == PaperTable::kTable5) average_table5();
    return Done{};
  }

 private:
  // The classical search of one instance, which all others are measured against.
  struct Baseline {
    const Model* model;
    std::string name;
    std::uint64_t states;
    std::uint64_t transitions;
    double seconds;
  };

  bool wanted(const std::string& name) {
    const auto size = options_.published.sizes.find(name);
    if (size != options_.published.sizes.end() && options_.max_states &&
        size->second.states > *options_.max_states) {
      sink_.note(fmt::format("{}: left out, {} states", name, size->second.states));
      return false;
    }
    return true;
  }

  // False where the instance is left out.
  Result<bool> run_instance(const ExperimentInstance& instance) {
    sink_.note(fmt::format("{}: exploring", instance.name));
    Result<std::unique_ptr<Model>> model = instance.load();
    if (!model) {
      sink_.note(fmt::format("{}: left out, {}", instance.name, model.error().what));
      return false;
    }
    if (options_.authors_order && AuthorsOrder::wanted(**model)) {
      *model = std::make_unique<AuthorsOrder>(std::move(*model));
    }
    SearchOptions full;
    full.memory_bytes = options_.memory_bytes;
    full.max_states = options_.max_states;
    Result<Summary> summary = explore(**model, full, monitor_);
    if (!summary) return summary.error();
    if (summary->verdict != Verdict::kComplete) {
      sink_.note(fmt::format("{}: left out, the search of all states did not end ({} states)",
                             instance.name, summary->states));
      return false;
    }
    const Baseline base{model->get(), instance.name, summary->states, summary->transitions,
                        summary->seconds};
    switch (options_.table) {
      case PaperTable::kTable2:
      case PaperTable::kTable6:
        return run_caching(base);
      case PaperTable::kTable5:
        return run_splitting(base);
      default:
        return run_delaying(base);
    }
  }

  // One search with the ComBack method; empty where it was asked to stop.
  Result<std::optional<Summary>> search(const Baseline& base, const ComBackOptions& comback) {
    SearchOptions options;
    options.visited = VisitedMode::kComBack;
    options.memory_bytes = options_.memory_bytes;
    options.comback = comback;
    Result<Summary> summary = explore(*base.model, options, monitor_);
    if (!summary) return summary.error();
    if (summary->stop_reason == StopReason::kInterrupted) return std::optional<Summary>();
    if (summary->states != base.states || summary->transitions != base.transitions) {
      return Error{Errc::kCorruption,
                   fmt::format("{}: {} states and {} transitions with the ComBack method, {} and "
                               "{} without: please report this",
                               base.name, summary->states, summary->transitions, base.states,
                               base.transitions)};
    }
    return std::optional<Summary>(std::move(*summary));
  }

  // --- Tables 6 and 2 ---------------------------------------------------------------------------

  Result<bool> run_caching(const Baseline& base) {
    for (const double fraction : kFractions) {
      std::map<std::string, double> events;
      for (const char* strategy : kStrategies) {
        const bool random = strategy[0] == 'R';
        Mean mean;
        for (unsigned seed = 1; seed <= (random ? options_.seeds : 1); ++seed) {
          ComBackOptions comback;
          comback.cache = *parse_cache_spec(strategy);
          comback.cache_size = fraction_of(fraction, base.states);
          comback.seed = seed;
          auto summary = search(base, comback);
          if (!summary) return summary.error();
          if (!*summary) return false;
          mean.add(static_cast<double>((*summary)->reconstruction_events));
        }
        events[strategy] = *mean.value();
      }
      report_caching(base.name, fraction, events);
    }
    return true;
  }

  void report_caching(const std::string& name, double fraction,
                      const std::map<std::string, double>& events) {
    const PublishedTables::Caching* published = nullptr;
    if (const auto rows = options_.published.table6.find(name);
        rows != options_.published.table6.end()) {
      for (const PublishedTables::Caching& row : rows->second) {
        if (std::abs(row.fraction / fraction - 1) < 1e-6) published = &row;
      }
    }
    const double r = events.at("R:0.5");
    double best = r;
    for (const auto& [strategy, count] : events) best = std::min(best, count);
    for (const char* strategy : kStrategies) {
      const double count = events.at(strategy);
      ExperimentRow row{.instance = name,
                        .configuration = fmt::format("{} {}", power(fraction), strategy),
                        .quantity = "events/R",
                        .measured = r == 0 ? std::optional<double>() : count / r};
      const bool random = strategy[0] == 'R';
      if (random) {
        row.quantity = "events";
        row.measured = count;
        if (published != nullptr) {
          row.published = published->events_of_r;
          row.agreement = quotient(row.measured, row.published);
          row.differs = off_by_more_than(row.agreement, 0.05 + printed_precision(*published));
        }
      } else if (published != nullptr && published->ratios.count(strategy) != 0) {
        row.published = published->ratios.at(strategy);
        if (std::string_view(strategy) == "F") {
          // Event executions, as far as two printed figures tell them.
          row.agreement = quotient(count, *row.published * published->events_of_r);
          row.differs = off_by_more_than(
              row.agreement, 0.002 + 0.0005 / *row.published + printed_precision(*published));
        } else {
          row.agreement = quotient(quotient(count, events.at("F")),
                                   quotient(row.published, published->ratios.at("F")));
          row.differs = off_by_more_than(
              row.agreement, 0.03 + 0.0005 / *row.published + 0.0005 / published->ratios.at("F"));
        }
      }
      caching_[{fraction, strategy}].add(r == 0 ? 1 : count / r);
      caching_best_[{fraction, strategy}] += count == best;
      if (row.published && !random) caching_published_[{fraction, strategy}].add(*row.published);
      if (options_.table == PaperTable::kTable6) sink_.row(row);
    }
  }

  void average_table6() {
    for (const double fraction : kFractions) {
      for (const char* strategy : kStrategies) {
        const auto key = std::pair<double, std::string>(fraction, strategy);
        const std::string configuration = fmt::format("{} {}", power(fraction), strategy);
        ExperimentRow row{.instance = average_name(caching_[key].count),
                          .configuration = configuration,
                          .quantity = "events/R",
                          .measured = caching_[key].value()};
        row.published = strategy[0] == 'R' ? 1 : caching_published_[key].value();
        row.agreement = quotient(row.measured, row.published);
        row.differs = off_by_more_than(row.agreement, 0.05);
        sink_.row(row);
        // Over all instances of the paper, whether or not they were run here.
        Mean all;
        for (const auto& [name, rows] : options_.published.table6) {
          for (const PublishedTables::Caching& published : rows) {
            const auto ratio = published.ratios.find(strategy);
            if (std::abs(published.fraction / fraction - 1) < 1e-6 &&
                ratio != published.ratios.end()) {
              all.add(ratio->second);
            }
          }
        }
        sink_.row({.instance = average_name(all.count),
                   .configuration = configuration,
                   .quantity = "events/R",
                   .published = all.value()});
        sink_.row({.instance = "all",
                   .configuration = configuration,
                   .quantity = "times best",
                   .measured = static_cast<double>(caching_best_[key])});
      }
    }
  }

  // --- Tables 7, 3 and 4 ------------------------------------------------------------------------

  Result<bool> run_delaying(const Baseline& base) {
    for (const char* strategy : kDelayedStrategies) {
      for (const double size : kCandidateSizes) {
        ComBackOptions comback;
        comback.cache = *parse_cache_spec(strategy);
        comback.cache_size = fraction_of(0.01, base.states);
        if (size > 0) {
          comback.detection = ComBackOptions::Detection::kDelayed;
          comback.candidates = std::max<std::uint64_t>(1, fraction_of(size, *comback.cache_size));
        }
        auto summary = search(base, comback);
        if (!summary) return summary.error();
        if (!*summary) return false;
        report_delaying(base, strategy, size, **summary);
      }
    }
    return true;
  }

  void report_delaying(const Baseline& base, const std::string& strategy, double size,
                       const Summary& summary) {
    const double events =
        static_cast<double>(summary.events) / static_cast<double>(base.transitions);
    const double time = summary.seconds / base.seconds;
    ExperimentRow row{.instance = base.name,
                      .configuration = fmt::format("{}, {}", strategy, detection(size)),
                      .quantity = "E-up",
                      .measured = events};
    std::optional<double> published_time;
    if (const auto rows = options_.published.table7.find(base.name);
        rows != options_.published.table7.end()) {
      for (const PublishedTables::Delaying& published : rows->second) {
        if (published.strategy != strategy || published.events.count(size) == 0) continue;
        row.published = published.events.at(size);
        published_time = published.time.at(size);
      }
    }
    row.agreement = quotient(row.measured, row.published);
    if (row.published) {
      // A first-in-first-out cache leaves nothing open.
      row.differs = strategy == "F" && size == 0
                        ? !prints_as(events, *row.published)
                        : std::abs(events - *row.published) > 0.005 + 0.02 * *row.published;
      const auto key = std::pair(strategy, size);
      published_events_[key].add(*row.published);
      published_times_[key].add(*published_time);
    }
    sink_.row(row);
    events_[{strategy, size}].add(events);
    ++distribution_[{strategy, size}][range_of(events)];
    if (options_.authors_order) return;
    times_[{strategy, size}].add(time);
    sink_.row({.instance = base.name,
               .configuration = row.configuration,
               .quantity = "T-up",
               .measured = time,
               .published = published_time,
               .agreement = quotient(time, published_time)});
  }

  static constexpr std::array<double, 5> kRanges = {1.25, 1.5, 1.75, 2, 4};  // upper ends
  static std::size_t range_of(double events) {
    return static_cast<std::size_t>(std::upper_bound(kRanges.begin(), kRanges.end(), events) -
                                    kRanges.begin());
  }
  static std::string range_name(std::size_t range) {
    if (range == kRanges.size()) return "> 4";
    return fmt::format("{:g} - {:g}", range == 0 ? 1 : kRanges[range - 1], kRanges[range]);
  }

  void average_table7() {
    for (const char* strategy : kDelayedStrategies) {
      for (const double size : kCandidateSizes) {
        const auto key = std::pair<std::string, double>(strategy, size);
        const std::string configuration = fmt::format("{}, {}", strategy, detection(size));
        ExperimentRow row{.instance = average_name(events_[key].count),
                          .configuration = configuration,
                          .quantity = "E-up",
                          .measured = events_[key].value(),
                          .published = published_events_[key].value()};
        row.agreement = quotient(row.measured, row.published);
        row.differs = off_by_more_than(row.agreement, 0.02);
        sink_.row(row);
        if (!options_.authors_order) {
          sink_.row({.instance = row.instance,
                     .configuration = configuration,
                     .quantity = "T-up",
                     .measured = times_[key].value(),
                     .published = published_times_[key].value(),
                     .agreement = quotient(times_[key].value(), published_times_[key].value())});
        }
        if (options_.table != PaperTable::kTable4) continue;
        average_all_of_table7(strategy, size, configuration);
      }
    }
  }

  // Over all instances of the paper, whether or not they were run here; and the distribution.
  void average_all_of_table7(const std::string& strategy, double size,
                             const std::string& configuration) {
    Mean events;
    Mean times;
    std::map<std::size_t, std::uint64_t> published;
    for (const auto& [name, rows] : options_.published.table7) {
      for (const PublishedTables::Delaying& row : rows) {
        if (row.strategy != strategy || row.events.count(size) == 0) continue;
        events.add(row.events.at(size));
        times.add(row.time.at(size));
        ++published[range_of(row.events.at(size))];
      }
    }
    const std::string all = average_name(events.count);
    sink_.row({.instance = all,
               .configuration = configuration,
               .quantity = "E-up",
               .published = events.value()});
    sink_.row({.instance = all,
               .configuration = configuration,
               .quantity = "T-up",
               .published = times.value()});
    for (std::size_t range = 0; range <= kRanges.size(); ++range) {
      sink_.row({.instance = "all",
                 .configuration = configuration,
                 .quantity = fmt::format("E-up {}", range_name(range)),
                 .measured = static_cast<double>(distribution_[{strategy, size}][range]),
                 .published = events.count == 0 ? std::optional<double>()
                                                : static_cast<double>(published[range])});
    }
  }

  // --- Table 5 ----------------------------------------------------------------------------------

  Result<bool> run_splitting(const Baseline& base) {
    bool any = false;
    for (const Configuration& configuration : kConfigurations) {
      const std::uint64_t descriptors = configuration.descriptors;
      if (base.states < 100 * descriptors - 1 || base.states > 1000 * descriptors) continue;
      any = true;
      ComBackOptions comback;
      comback.cache = *parse_cache_spec(configuration.strategy);
      comback.queue = ComBackOptions::Queue::kIds;
      comback.cache_size = fraction_of(configuration.cache, descriptors);
      // Without candidates duplicates are detected at once, without a block the queue goes id by
      // id.
      if (configuration.candidates > 0) {
        comback.detection = ComBackOptions::Detection::kDelayed;
        comback.candidates = fraction_of(configuration.candidates, descriptors);
      }
      comback.queue_block =
          std::max<std::uint64_t>(1, fraction_of(configuration.queue, descriptors));
      auto summary = search(base, comback);
      if (!summary) return summary.error();
      if (!*summary) return false;
      const double events =
          static_cast<double>((*summary)->events) / static_cast<double>(base.transitions);
      splitting_[&configuration].add(events);
      sink_.row({.instance = base.name,
                 .configuration = name_of(configuration),
                 .quantity = "E-up",
                 .measured = events});
    }
    if (!any) sink_.note(fmt::format("{}: left out, no budget has its size", base.name));
    return any;
  }

  static std::string name_of(const Configuration& c) {
    return fmt::format("F={} {} {:g}/{:g}/{:g}", c.descriptors, c.strategy, c.cache, c.candidates,
                       c.queue);
  }

  // The paper averages over instances that are not all here, so nothing is marked.
  void average_table5() {
    for (const Configuration& configuration : kConfigurations) {
      ExperimentRow row{.instance = average_name(splitting_[&configuration].count),
                        .configuration = name_of(configuration),
                        .quantity = "E-up",
                        .measured = splitting_[&configuration].value()};
      for (const PublishedTables::Splitting& published : options_.published.table5) {
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
        if (published.descriptors == configuration.descriptors &&
            published.strategy == configuration.strategy &&
            near(published.cache, configuration.cache) &&
            near(published.candidates, configuration.candidates) &&
            near(published.queue, configuration.queue)) {
          row.published = published.events;
        }
      }
      row.agreement = quotient(row.measured, row.published);
      sink_.row(row);
    }
  }

  // Rounded down; 0.1 of 30 is 3.
  static std::uint64_t fraction_of(double fraction, std::uint64_t count) {
    return static_cast<std::uint64_t>(fraction * static_cast<double>(count) + 1e-6);
  }
  static std::string average_name(std::uint64_t count) {
    return fmt::format("average of {}", count);
  }

  const ExperimentOptions& options_;
  Monitor& monitor_;
  ExperimentSink& sink_;

  template <class Value>
  using ByCache = std::map<std::pair<double, std::string>, Value>;  // fraction, strategy
  template <class Value>
  using ByCandidates = std::map<std::pair<std::string, double>, Value>;  // strategy, size

  ByCache<Mean> caching_;
  ByCache<Mean> caching_published_;
  ByCache<std::uint64_t> caching_best_;
  ByCandidates<Mean> events_;
  ByCandidates<Mean> times_;
  ByCandidates<Mean> published_events_;
  ByCandidates<Mean> published_times_;
  ByCandidates<std::map<std::size_t, std::uint64_t>> distribution_;
  std::map<const Configuration*, Mean> splitting_;
};

}  // namespace

std::optional<PaperTable> parse_paper_table(std::string_view text) {
  constexpr std::pair<std::string_view, PaperTable> kTables[] = {
      {"table2", PaperTable::kTable2}, {"table3", PaperTable::kTable3},
      {"table4", PaperTable::kTable4}, {"table5", PaperTable::kTable5},
      {"table6", PaperTable::kTable6}, {"table7", PaperTable::kTable7}};
  for (const auto& [name, table] : kTables) {
    if (name == text) return table;
  }
  return {};
}

Status run_experiment(const ExperimentOptions& options, Monitor& monitor, ExperimentSink& sink) {
  return Experiment(options, monitor, sink).run();
}

}  // namespace comback

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/cache_spec.h"
#include "engine/experiment_figures.h"
#include "engine/experiment_table.h"

namespace comback {
namespace {

constexpr std::array<double, 5> kCandidateSizes = {0, 0.1, 0.2, 0.5, 1};
constexpr std::array<const char*, 2> kStrategies = {"F", "F20-D80"};
constexpr std::array<double, 5> kRanges = {1.25, 1.5, 1.75, 2, 4};  // of E-up, upper ends

std::string name_of(const std::string& strategy, double size) {
  return size == 0 ? strategy + ", no DDD" : fmt::format("{}, DDD({:g})", strategy, size);
}

// Two digits after the point, which the paper rounds in some figures and cuts off in others.
bool prints_as(double value, double printed) {
  const auto hundredths = std::lround(printed * 100);
  return std::lround(value * 100) == hundredths || std::floor(value * 100 + 1e-9) == hundredths;
}

std::size_t range_of(double events) {
  return static_cast<std::size_t>(std::upper_bound(kRanges.begin(), kRanges.end(), events) -
                                  kRanges.begin());
}
std::string range_name(std::size_t range) {
  if (range == kRanges.size()) return "> 4";
  return fmt::format("{:g} - {:g}", range == 0 ? 1 : kRanges[range - 1], kRanges[range]);
}

// Delayed detection with four sizes of the candidate set, and without: event executions and time
// relative to the classical search.
class DelayingTable : public ExperimentTable {
 public:
  explicit DelayingTable(ExperimentBench& bench) : bench_(bench) {}

  Status measure(const ExperimentBaseline& base) override {
    for (const char* strategy : kStrategies) {
      for (const double size : kCandidateSizes) {
        ComBackOptions comback;
        comback.cache = *parse_cache_spec(strategy);
        comback.cache_size = fraction_of(0.01, base.states);
        if (size > 0) {
          comback.detection = ComBackOptions::Detection::kDelayed;
          comback.candidates = std::max<std::uint64_t>(1, fraction_of(size, *comback.cache_size));
        }
        auto summary = bench_.search(*base.model, base, comback);
        if (!summary) return summary.error();
        if (!*summary) return Done{};
        double seconds = (*summary)->seconds;
        if (base.timed != base.model) {
          auto timed = bench_.search(*base.timed, base, comback);
          if (!timed) return timed.error();
          if (!*timed) return Done{};
          seconds = (*timed)->seconds;
        }
        report(base, strategy, size,
               static_cast<double>((*summary)->events) / static_cast<double>(base.transitions),
               seconds / base.seconds);
      }
    }
    return Done{};
  }

  void conclude() override {
    for (const char* strategy : kStrategies) {
      for (const double size : kCandidateSizes) {
        const Key key(strategy, size);
        events_[key].report(name_of(strategy, size), "E-up", 0.02, bench_.sink());
        times_[key].report(name_of(strategy, size), "T-up", {}, bench_.sink());
        if (bench_.options().table == PaperTable::kTable4) average_all(key);
      }
    }
  }

 private:
  using Key = std::pair<std::string, double>;  // strategy, size of the candidate set

  void report(const ExperimentBaseline& base, const std::string& strategy, double size,
              double events, double time) {
    ExperimentRow row{.instance = base.name,
                      .configuration = name_of(strategy, size),
                      .quantity = "E-up",
                      .measured = events};
    std::optional<double> published_time;
    if (const auto rows = bench_.published().table7.find(base.name);
        rows != bench_.published().table7.end()) {
      for (const PublishedTables::Delaying& published : rows->second) {
        if (published.strategy != strategy || published.events.count(size) == 0) continue;
        row.published = published.events.at(size);
        if (const auto t = published.time.find(size); t != published.time.end()) {
          published_time = t->second;
        }
      }
    }
    row.agreement = quotient(row.measured, row.published);
    if (row.published) {
      // A first-in-first-out cache leaves nothing open.
      row.differs = strategy == "F" && size == 0
                        ? !prints_as(events, *row.published)
                        : std::abs(events - *row.published) > 0.005 + 0.02 * *row.published;
    }
    const Key key(strategy, size);
    events_[key].add(events, row.published);
    times_[key].add(time, published_time);
    ++distribution_[key][range_of(events)];
    bench_.sink().row(row);
    bench_.sink().row({.instance = base.name,
                       .configuration = row.configuration,
                       .quantity = "T-up",
                       .measured = time,
                       .published = published_time,
                       .agreement = quotient(time, published_time)});
  }

  // Over all instances of the paper, whether or not they were run here; and the distribution.
  void average_all(const Key& key) {
    const auto& [strategy, size] = key;
    const std::string configuration = name_of(strategy, size);
    Mean events;
    Mean times;
    std::map<std::size_t, std::uint64_t> published;
    for (const auto& [name, rows] : bench_.published().table7) {
      for (const PublishedTables::Delaying& row : rows) {
        if (row.strategy != strategy || row.events.count(size) == 0) continue;
        events.add(row.events.at(size));
        if (const auto t = row.time.find(size); t != row.time.end()) times.add(t->second);
        ++published[range_of(row.events.at(size))];
      }
    }
    for (const auto& [quantity, mean] : {std::pair{"E-up", events}, std::pair{"T-up", times}}) {
      if (mean.count() == 0) continue;
      bench_.sink().row({.instance = average_name(mean.count()),
                         .configuration = configuration,
                         .quantity = quantity,
                         .published = mean.value()});
    }
    for (std::size_t range = 0; range <= kRanges.size(); ++range) {
      bench_.sink().row({.instance = "all",
                         .configuration = configuration,
                         .quantity = fmt::format("E-up {}", range_name(range)),
                         .measured = static_cast<double>(distribution_[key][range]),
                         .published = events.count() == 0 ? std::optional<double>()
                                                          : static_cast<double>(published[range])});
    }
  }

  ExperimentBench& bench_;
  std::map<Key, Averages> events_;
  std::map<Key, Averages> times_;
  std::map<Key, std::map<std::size_t, std::uint64_t>> distribution_;
};

}  // namespace

std::unique_ptr<ExperimentTable> make_delaying_table(ExperimentBench& bench) {
  return std::make_unique<DelayingTable>(bench);
}

}  // namespace comback

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "engine/cache_spec.h"
#include "engine/experiment_figures.h"
#include "engine/experiment_table.h"

namespace comback {
namespace {

constexpr std::array<const char*, 10> kStrategies = {
    "R:0.5", "F", "H", "F20-H80", "F50-H50", "F80-H20", "D:5", "F20-D80", "F50-D50", "F80-D20"};
constexpr std::array<double, 4> kFractions = {1e-4, 1e-3, 1e-2, 1e-1};

bool is_random(std::string_view strategy) { return strategy[0] == 'R'; }

// "1.4 M" has two digits: the true value is up to 0.1 M larger (the paper cuts off) or 0.05 M away.
double printed_precision(const PublishedTables::Caching& row) {
  const std::string& text = row.events_of_r_text;
  const std::size_t point = text.find('.');
  const double unit = text.find('M') != std::string::npos ? 1e6 : 1e3;
  return row.events_of_r == 0 ? 0
                              : (point == std::string::npos ? unit : unit / 10) / row.events_of_r;
}

std::string name_of(double fraction, std::string_view strategy) {
  return fmt::format("10^{} {}", std::lround(std::log10(fraction)), strategy);
}

// Ten strategies with caches of four sizes: the event executions of reconstruction, relative to R.
class CachingTable : public ExperimentTable {
 public:
  explicit CachingTable(ExperimentBench& bench) : bench_(bench) {}

  Status measure(const ExperimentBaseline& base) override {
    for (const double fraction : kFractions) {
      Events events;
      for (const char* strategy : kStrategies) {
        Mean mean;
        for (unsigned seed = 1; seed <= (is_random(strategy) ? bench_.options().seeds : 1);
             ++seed) {
          ComBackOptions comback;
          comback.cache = *parse_cache_spec(strategy);
          comback.cache_size = fraction_of(fraction, base.states);
          comback.seed = seed;
          auto summary = bench_.search(*base.model, base, comback);
          if (!summary) return summary.error();
          if (!*summary) return Done{};
          mean.add(static_cast<double>((*summary)->reconstruction_events));
        }
        events[strategy] = *mean.value();
      }
      report(base.name, fraction, events);
    }
    return Done{};
  }

  void conclude() override {
    for (const double fraction : kFractions) {
      for (const char* strategy : kStrategies) {
        const Key key(fraction, strategy);
        const std::string configuration = name_of(fraction, strategy);
        averages_[key].report(configuration, "events/R", 0.05, bench_.sink());
        // Over all instances of the paper, whether or not they were run here.
        Mean all;
        for (const auto& [name, rows] : bench_.published().table6) {
          for (const PublishedTables::Caching& row : rows) {
            const auto ratio = row.ratios.find(strategy);
            if (std::abs(row.fraction / fraction - 1) < 1e-6 && ratio != row.ratios.end()) {
              all.add(ratio->second);
            }
          }
        }
        if (all.count() > 0) {
          bench_.sink().row({.instance = average_name(all.count()),
                             .configuration = configuration,
                             .quantity = "events/R",
                             .published = all.value()});
        }
        bench_.sink().row({.instance = "all",
                           .configuration = configuration,
                           .quantity = "times best",
                           .measured = static_cast<double>(times_best_[key])});
      }
    }
  }

 private:
  using Events = std::map<std::string, double>;      // by strategy
  using Key = std::pair<double, std::string>;        // fraction, strategy
  using Published = const PublishedTables::Caching;  // of one instance and size

  Published* find(const std::string& name, double fraction) const {
    const auto rows = bench_.published().table6.find(name);
    if (rows == bench_.published().table6.end()) return nullptr;
    for (Published& row : rows->second) {
      if (std::abs(row.fraction / fraction - 1) < 1e-6) return &row;
    }
    return nullptr;
  }

  void report(const std::string& name, double fraction, const Events& events) {
    Published* const published = find(name, fraction);
    const double r = events.at("R:0.5");
    double best = r;
    for (const auto& [strategy, count] : events) best = std::min(best, count);
    for (const char* strategy : kStrategies) {
      const double count = events.at(strategy);
      const Key key(fraction, strategy);
      ExperimentRow row{.instance = name,
                        .configuration = name_of(fraction, strategy),
                        .quantity = "events/R",
                        .measured = r == 0 ? std::optional<double>() : count / r};
      std::optional<double> ratio;  // published
      if (is_random(strategy)) {
        row.quantity = "events";
        row.measured = count;
        if (published != nullptr) ratio = 1;
        if (published != nullptr) judge_random(*published, row);
      } else if (published != nullptr && r != 0 && published->ratios.count(strategy) != 0) {
        row.published = ratio = published->ratios.at(strategy);
        judge(*published, strategy, count, events.at("F"), row);
      }
      averages_[key].add(r == 0 ? 1 : count / r, ratio);
      times_best_[key] += count == best;
      if (bench_.options().table == PaperTable::kTable6) bench_.sink().row(row);
    }
  }

  static void judge_random(Published& published, ExperimentRow& row) {
    row.published = published.events_of_r;
    row.agreement = quotient(row.measured, row.published);
    row.differs = off_by_more_than(row.agreement, 0.05 + printed_precision(published));
  }

  // The published ratios share the authors' one run of R: F is compared by its event executions,
  // as far as two printed figures tell them, and all others through F, which has no dice.
  // REQUIRES: row.measured and row.published are set.
  static void judge(Published& published, std::string_view strategy, double count,
                    double count_of_f, ExperimentRow& row) {
    if (strategy == "F") {
      const double events = *row.published * published.events_of_r;
      row.agreement = count == events ? 1 : quotient(count, events);
      row.differs = off_by_more_than(
          row.agreement, 0.002 + 0.0005 / *row.published + printed_precision(published));
      return;
    }
    const double ratio_of_f = published.ratios.at("F");
    if (ratio_of_f < 0.05) {
      // Too few digits of F are printed, or it executed no events at all: as good as R's dice.
      row.agreement = *row.published == *row.measured ? 1 : quotient(row.measured, row.published);
      row.differs = std::abs(*row.measured - *row.published) > 0.0005 + 0.05 * *row.published;
      return;
    }
    row.agreement = quotient(quotient(count, count_of_f), quotient(row.published, ratio_of_f));
    row.differs =
        off_by_more_than(row.agreement, 0.03 + 0.0005 / *row.published + 0.0005 / ratio_of_f);
  }

  ExperimentBench& bench_;
  std::map<Key, Averages> averages_;
  std::map<Key, std::uint64_t> times_best_;
};

}  // namespace

std::unique_ptr<ExperimentTable> make_caching_table(ExperimentBench& bench) {
  return std::make_unique<CachingTable>(bench);
}

}  // namespace comback

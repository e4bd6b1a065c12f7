#include "engine/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "engine/binomial.h"
#include "engine/synthetic_model.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::GridModel;
using test::Oracle;

TEST(Binomial, AtMostIsTheSumOfTheDistribution) {
  EXPECT_DOUBLE_EQ(binomial_at_most(0, 10, 0.5), std::pow(0.5, 10));
  EXPECT_NEAR(binomial_at_most(5, 10, 0.5), (1 + 252.0 / 1024) / 2, 1e-12);
  EXPECT_EQ(binomial_at_most(10, 10, 0.3), 1);
  EXPECT_EQ(binomial_at_most(3, 10, 0), 1);
  EXPECT_EQ(binomial_at_most(3, 10, 1), 0);
}

// The published interval of 95% for 5 of 10 and 0 of 10 [clopper34].
TEST(Binomial, IntervalsAreTheKnownOnes) {
  const ProbabilityInterval half = binomial_interval(5, 10, 0.95);
  EXPECT_NEAR(half.low, 0.1871, 1e-4);
  EXPECT_NEAR(half.high, 0.8129, 1e-4);
  const ProbabilityInterval none = binomial_interval(0, 10, 0.95);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.3085, 1e-4);
  const ProbabilityInterval all = binomial_interval(10, 10, 0.95);
  EXPECT_NEAR(all.low, 1 - 0.3085, 1e-4);
  EXPECT_EQ(all.high, 1);
}

TEST(SyntheticModel, HasAsManyStatesAsItSays) {
  const SyntheticModel model(2000, 5);
  const Oracle oracle(model);
  EXPECT_EQ(oracle.states.size(), 2000u);
  EXPECT_GT(oracle.transitions, 2000u) << "there are cycles";
  EXPECT_GT(oracle.deadlocks, 0u);
}

class StudyTest : public ::testing::Test {
 protected:
  StudyOptions options() {
    StudyOptions options;
    options.memory_bytes = 64 << 20;
    options.note = [this](const std::string& text) { notes_ += text + "\n"; };
    return options;
  }
  static ExperimentInstance instance(const std::string& name, std::uint32_t states) {
    return {name, [states]() -> Result<std::unique_ptr<Model>> {
              return std::unique_ptr<Model>(std::make_unique<SyntheticModel>(states, 3));
            }};
  }
  static const StudyTable& table(const Study& study, const std::string& name) {
    for (const StudyTable& table : study.tables) {
      if (table.name == name) return table;
    }
    ADD_FAILURE() << "no table " << name;
    return study.tables.front();
  }
  static double number(const StudyTable& table, std::size_t row, const std::string& column) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i] != column) continue;
      const StudyTable::Cell& cell = table.rows[row][i];
      if (const auto* count = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*count);
      return std::get<double>(cell);
    }
    ADD_FAILURE() << "no column " << column;
    return 0;
  }

  std::string notes_;
};

// Searches that forget and omit, against equation (1), within what a hundred runs can tell. A fixed
// seed, so this never changes by itself.
TEST_F(StudyTest, OmissionsAreAsFrequentAsTheFormulaSays) {
  StudyOptions options = this->options();
  options.instances = {instance("small", 4000)};
  Monitor monitor;
  Study study;
  const Status status = run_omission_study(options, monitor, study);
  ASSERT_TRUE(status) << status.error().what;

  // Where n is about m, the formula is an upper estimate: it takes the table for fuller than it is.
  // With the load that the table really has, these points agree, too.
  const StudyTable& coverage = table(study, "coverage");
  ASSERT_EQ(coverage.rows.size(), 3u) << "n about m, n about 5m, all";
  EXPECT_GE(number(coverage, 1, "share"), 0.8);

  const StudyTable& omission = table(study, "omission");
  EXPECT_EQ(number(coverage, 2, "points"), static_cast<double>(omission.rows.size()));
  EXPECT_GT(omission.rows.size(), 20u);
  double most = 0;
  double least = 1;
  std::size_t agree_with_load = 0;
  for (std::size_t row = 0; row < omission.rows.size(); ++row) {
    SCOPED_TRACE(row);
    const double load = number(omission, row, "load");
    const double low = number(omission, row, "low");
    most = std::max(most, number(omission, row, "observed"));
    least = std::min(least, number(omission, row, "observed"));
    EXPECT_GE(number(omission, row, "n"), 4000);
    EXPECT_LE(load, number(omission, row, "formula"));
    EXPECT_LE(low, number(omission, row, "formula"));
    agree_with_load += low <= load && load <= number(omission, row, "high");
  }
  EXPECT_GT(most, 0.95);
  EXPECT_LE(least, 0.02);
  EXPECT_GE(agree_with_load * 10, omission.rows.size() * 8);
  EXPECT_EQ(study.plots.size(), 3u);
}

// What a search with a small table would take too long for is left out and said.
TEST_F(StudyTest, OmissionLeavesOutWhatIsVisitedTooOften) {
  StudyOptions options = this->options();
  options.runs = 1;
  options.instances = {{"grid", []() -> Result<std::unique_ptr<Model>> {
                          return std::unique_ptr<Model>(std::make_unique<GridModel>(4, 7, 16));
                        }}};
  Monitor monitor;
  Study study;
  const Status status = run_omission_study(options, monitor, study);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_NE(notes_.find("grid, n about 5m: left out, states are visited more than 4 times"),
            std::string::npos)
      << notes_;
}

TEST_F(StudyTest, StopsWhereItIsAskedTo) {
  StudyOptions options = this->options();
  options.instances = {instance("small", 4000)};
  Monitor monitor;
  monitor.request_stop();
  Study study;
  EXPECT_TRUE(run_omission_study(options, monitor, study));
  for (const StudyTable& table : study.tables) EXPECT_TRUE(table.rows.empty()) << table.name;
}

// Of a graph without processes there are no sleep sets; caches shrink until the search explodes.
TEST_F(StudyTest, CachingShrinksTheCacheUntilTheSearchExplodes) {
  StudyOptions options = this->options();
  options.instances = {{"grid", []() -> Result<std::unique_ptr<Model>> {
                          return std::unique_ptr<Model>(std::make_unique<GridModel>(4, 7, 16));
                        }}};
  Monitor monitor;
  Study study;
  const Status status = run_caching_study(options, monitor, study);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_NE(notes_.find("without sleep sets"), std::string::npos) << notes_;
  const StudyTable& search = table(study, "search");
  ASSERT_EQ(search.rows.size(), 1u);
  EXPECT_EQ(number(search, 0, "states"), 2401);
  EXPECT_EQ(number(search, 0, "transitions"), 4 * 6 * 343);
  EXPECT_EQ(number(search, 0, "matched"), 4 * 6 * 343 - 2400);
  const StudyTable& cache = table(study, "cache");
  ASSERT_GT(cache.rows.size(), 1u);
  EXPECT_EQ(number(cache, 0, "transitions"), 4 * 6 * 343) << "all states fit";
  for (std::size_t row = 1; row < cache.rows.size(); ++row) {
    EXPECT_GT(number(cache, row, "explored"), number(cache, row - 1, "explored"));
  }
  EXPECT_EQ(std::get<std::string>(cache.rows.back().back()), "explosion");
  EXPECT_FALSE(table(study, "replacement").rows.empty());
}

}  // namespace
}  // namespace comback

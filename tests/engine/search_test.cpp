#include "engine/search.h"

#include <gtest/gtest.h>

#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::GridModel;
using test::Oracle;
using test::RandomModel;

class SearchProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(SearchProperty, BreadthFirstAgreesWithBruteForce) {
  const unsigned seed = GetParam();
  const RandomModel model(
      seed, {.vertices = 50 + 37 * seed, .max_degree = 1 + seed % 7, .width = 4 + seed % 30});
  const Oracle oracle(model);
  Monitor monitor;
  auto summary = explore(model, {}, monitor);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->verdict, Verdict::kComplete);
  EXPECT_EQ(summary->states, oracle.states.size());
  EXPECT_EQ(summary->transitions, oracle.transitions);
  EXPECT_EQ(summary->deadlocks, oracle.deadlocks);
  EXPECT_EQ(summary->level_sizes, oracle.level_sizes);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SearchProperty, ::testing::Range(0u, 50u));

TEST(Search, ExploresAGridWithItsDeadlockAndLevels) {
  const GridModel model(5, 17, 20);
  Monitor monitor;
  auto summary = explore(model, {}, monitor);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->states, 17u * 17 * 17 * 17 * 17);
  EXPECT_EQ(summary->deadlocks, 1u);
  EXPECT_EQ(summary->level_sizes.size(), 16u * 5 + 1);
}

}  // namespace
}  // namespace comback

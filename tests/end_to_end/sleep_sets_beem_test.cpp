// Sleep sets on the BEEM instances with up to COMBACK_BEEM_TO states: the same states and
// deadlocks, never more transitions, and what is taken for independent is so in every state.

#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "engine/search.h"
#include "tests/support/beem.h"
#include "tests/support/dve_models.h"

namespace comback::test {
namespace {

std::unique_ptr<Model> model_of(const BeemInstance& instance) {
  dve::RangeErrors range_errors = dve::RangeErrors::kStop;
  if (instance.range_errors == "wrap") range_errors = dve::RangeErrors::kWrap;
  if (instance.range_errors == "error-state") range_errors = dve::RangeErrors::kErrorState;
  if (instance.range_errors == "terminal") range_errors = dve::RangeErrors::kTerminal;
  return loaded(
      dve::load_file(beem_dir() / (instance.name + ".dve"),
                     {.range_errors = range_errors, .backend = dve::Backend::kInterpreted}));
}

Summary explore_or_die(const Model& model, const SearchOptions& options) {
  Monitor monitor;
  auto summary = explore(model, options, monitor);
  if (summary) return *summary;
  ADD_FAILURE() << summary.error().what;
  return {};
}

SearchOptions depth_first() {
  SearchOptions options;
  options.order = SearchOrder::kDepthFirst;
  options.visited = VisitedMode::kFull;
  return options;
}

class SleepSetsBeem : public ::testing::TestWithParam<BeemInstance> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SleepSetsBeem);  // there may be no models

TEST_P(SleepSetsBeem, LeaveOutTransitionsAndNoStates) {
  const std::unique_ptr<Model> model = model_of(GetParam());
  ASSERT_NE(model, nullptr);
  SearchOptions options = depth_first();
  const Summary plain = explore_or_die(*model, options);
  options.sleep_sets = true;
  options.check_independence = true;
  const Summary reduced = explore_or_die(*model, options);
  EXPECT_EQ(reduced.verdict, Verdict::kComplete);
  EXPECT_EQ(reduced.states, GetParam().states);
  EXPECT_EQ(reduced.states, plain.states);
  EXPECT_EQ(reduced.deadlocks, plain.deadlocks);
  EXPECT_LE(reduced.transitions, plain.transitions);
  ASSERT_TRUE(reduced.caching);
  EXPECT_EQ(reduced.transitions + reduced.caching->slept, plain.transitions);
  EXPECT_EQ(reduced.caching->matched, reduced.transitions - (reduced.states - 1));
  std::cout << GetParam().name << ": " << plain.transitions - (plain.states - 1) << " matched, "
            << reduced.caching->matched << " with sleep sets" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Instances, SleepSetsBeem,
                         ::testing::ValuesIn(beem_instances(0, COMBACK_BEEM_TO + 1)),
                         [](const auto& test) { return test.param.identifier(); });

// As in Table 2 and Figure 4 of [godefroid95]: hardly anything is matched, and a cache of 3% of the
// states does; without sleep sets the same cache is lost.
TEST(SleepSetsBeemModels, FirewireLinkFitsInASmallCache) {
  for (const BeemInstance& instance : beem_instances(0, 200000)) {
    if (instance.name != "firewire_link.2") continue;
    const std::unique_ptr<Model> model = model_of(instance);
    ASSERT_NE(model, nullptr);
    SearchOptions options = depth_first();
    const Summary plain = explore_or_die(*model, options);
    options.sleep_sets = true;
    const Summary reduced = explore_or_die(*model, options);
    EXPECT_LT(reduced.caching->matched * 10, plain.transitions - (plain.states - 1));

    options.visited = VisitedMode::kCache;
    options.caching.cache_size = instance.states * 3 / 100;
    options.caching.max_revisits = 500'000;
    const Summary cached = explore_or_die(*model, options);
    EXPECT_EQ(cached.verdict, Verdict::kComplete);
    EXPECT_LE(cached.transitions, 4 * plain.transitions);
    options.sleep_sets = false;
    const Summary lost = explore_or_die(*model, options);
    EXPECT_EQ(lost.stop_reason, StopReason::kMaxRevisits);
    EXPECT_EQ(lost.caching->outlook(lost.states, lost.transitions, lost.max_depth + 1),
              CacheOutlook::kExploded);
    return;
  }
  GTEST_SKIP() << "no BEEM models";
}

}  // namespace
}  // namespace comback::test

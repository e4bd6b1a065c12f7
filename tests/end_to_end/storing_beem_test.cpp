// Every storing strategy finds the published counts of the BEEM instances with up to
// COMBACK_BEEM_TO states, breadth and depth first.
//
// One case per instance. The models are not part of the project: where they are absent, there are
// no cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/search.h"
#include "models/dve/dve.h"
#include "tests/support/beem.h"
#include "tests/support/dve_models.h"

namespace comback::test {
namespace {

dve::RangeErrors range_errors(const std::string& word) {
  if (word == "wrap") return dve::RangeErrors::kWrap;
  if (word == "error-state") return dve::RangeErrors::kErrorState;
  if (word == "terminal") return dve::RangeErrors::kTerminal;
  return dve::RangeErrors::kStop;
}

class StoringBeem : public ::testing::TestWithParam<BeemInstance> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoringBeem);

TEST_P(StoringBeem, HasItsPublishedCounts) {
  const BeemInstance& instance = GetParam();
  const auto model = loaded(dve::load_file(beem_dir() / (instance.name + ".dve"),
                                           {.range_errors = range_errors(instance.range_errors),
                                            .backend = dve::Backend::kInterpreted}));
  ASSERT_NE(model, nullptr);
  for (const char* rule :
       {"distance:10", "successors:1000", "cover", "random:0.1", "combination:3"}) {
    for (const auto waiting : {StoringOptions::Waiting::kFifo, StoringOptions::Waiting::kLifo}) {
      SCOPED_TRACE(rule);
      SearchOptions options;
      options.visited = VisitedMode::kStoring;
      options.storing.rule = *StoringRule::parse(rule);
      options.storing.waiting = waiting;
      Monitor monitor;
      const auto summary = explore(*model, options, monitor);
      ASSERT_TRUE(summary) << summary.error().what;
      EXPECT_EQ(summary->verdict, Verdict::kComplete);
      EXPECT_TRUE(summary->storing->counted);
      EXPECT_EQ(summary->states, instance.states);
      if (instance.transitions) {
        EXPECT_EQ(summary->transitions, *instance.transitions);
      }
      if (instance.levels && waiting == StoringOptions::Waiting::kFifo) {
        EXPECT_EQ(summary->level_sizes.size(), *instance.levels);
      }
      // The relief keeps the time linear.
      EXPECT_LE(summary->storing->explored, 16 * instance.states + 20000);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Instances, StoringBeem,
                         ::testing::ValuesIn(beem_instances(0, COMBACK_BEEM_TO)),
                         [](const auto& i) { return i.param.identifier(); });

}  // namespace
}  // namespace comback::test

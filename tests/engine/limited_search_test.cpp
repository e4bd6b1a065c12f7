#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/recording_model.h"
#include "engine/search.h"
#include "engine/trace.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;

SearchOptions limited(std::uint64_t slots, unsigned probes, unsigned bits = 64) {
  SearchOptions options;
  options.order = SearchOrder::kDepthFirst;
  options.visited = VisitedMode::kCompactCache;
  options.hash_bits = bits;
  options.memory_bytes = 64 << 20;
  options.table_slots = slots;
  options.limited.probes = probes;
  return options;
}

Result<Summary> search(const Model& model, const SearchOptions& options) {
  Monitor monitor;
  return explore(model, options, monitor);
}

class LimitedProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  // Of at least twenty reachable states.
  RandomModel model() const {
    for (unsigned salt = 0;; salt += 1000) {
      RandomModel model(GetParam() + salt, {.vertices = 40 + 11 * GetParam(), .max_degree = 3});
      if (Oracle(model).states.size() >= 20) return model;
    }
  }
};

// With hashes of 64 bits nothing is omitted: whatever the table forgets, on graphs full of cycles,
// the search ends and has expanded every state, forgotten ones again.
TEST_P(LimitedProperty, EndsAndVisitsAllStatesWhateverIsForgotten) {
  const RandomModel model = this->model();
  const Oracle oracle(model);
  MemoryBudget budget;
  RecordingModel recorded(model, budget);
  for (const unsigned probes : {1u, 2u, 3u, 10u}) {
    for (const double share : {0.7, 0.9, 1.5, 20.0}) {
      const auto slots = static_cast<std::uint64_t>(
          std::max(11.0, share * static_cast<double>(oracle.states.size())));
      ASSERT_TRUE(recorded.begin());
      const auto summary = search(recorded, limited(slots, probes));
      ASSERT_TRUE(summary) << summary.error().what;
      EXPECT_EQ(summary->verdict, Verdict::kComplete);
      EXPECT_EQ(recorded.expanded(), oracle.states.size()) << slots << " slots";
      ASSERT_TRUE(summary->table);
      EXPECT_EQ(summary->states, summary->table->occupied + summary->table->replacements);
      EXPECT_GE(summary->states, oracle.states.size());
      EXPECT_GE(summary->transitions, oracle.transitions);
      EXPECT_GE(summary->deadlocks, oracle.deadlocks);
      if (summary->table->replacements == 0) {
        EXPECT_EQ(summary->states, oracle.states.size());
        EXPECT_EQ(summary->transitions, oracle.transitions);
        EXPECT_EQ(summary->deadlocks, oracle.deadlocks);
        EXPECT_EQ(summary->max_depth, oracle.depth_first().second);
      }
      ASSERT_TRUE(summary->omission_probability);
      EXPECT_LT(*summary->omission_probability, 1e-10);
    }
  }
}

// Where hashes are short, states are omitted, and never invented.
TEST_P(LimitedProperty, ShortHashesFindASubset) {
  const RandomModel model = this->model();
  const Oracle oracle(model);
  MemoryBudget budget;
  RecordingModel recorded(model, budget);
  ASSERT_TRUE(recorded.begin());
  const auto summary = search(recorded, limited(oracle.states.size() + 11, 3, 8));
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_LE(recorded.expanded(), oracle.states.size());
  EXPECT_GT(*summary->omission_probability, 0);
}

// A trace is a path of the graph to a state that fails, whatever was forgotten on the way.
TEST_P(LimitedProperty, ViolationsHaveTraces) {
  RandomModel model = this->model();
  const Oracle oracle(model);
  const std::uint64_t bad = oracle.states.size() - 1 - GetParam() % 5;
  const std::uint32_t vertex = model.decode(oracle.bytes(bad));
  SearchOptions options = limited(std::max<std::uint64_t>(11, oracle.states.size() * 9 / 10), 2);
  options.invariants.push_back(std::make_shared<FunctionPredicate>(
      "good", [&](const std::byte* s) { return model.decode(s) == vertex ? 0 : 1; }));
  const auto summary = search(model, options);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->verdict, Verdict::kInvariant);
  ASSERT_EQ(summary->violations.size(), 1u);
  const Violation& violation = summary->violations[0];
  ASSERT_EQ(violation.trace.states.size(), violation.depth + 1);
  const auto replayed = replay(model, violation.trace.events);
  ASSERT_TRUE(replayed) << replayed.error().what;
  EXPECT_EQ(oracle.id_of(replayed->states.back().data()), bad);
}

TEST_P(LimitedProperty, ASeedIsARun) {
  const RandomModel model = this->model();
  SearchOptions options = limited(101, 3, 10);
  options.max_states = 5000;
  const auto first = search(model, options);
  const auto second = search(model, options);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->states, second->states);
  EXPECT_EQ(first->transitions, second->transitions);
  EXPECT_EQ(first->table->replacements, second->table->replacements);
}
INSTANTIATE_TEST_SUITE_P(Seeds, LimitedProperty, ::testing::Range(1u, 21u));

// A chain is longer than the table, and stays on the stack.
TEST(LimitedSearch, AStackMayBeLargerThanTheTable) {
  const GridModel chain(1, 20'000);
  const auto summary = search(chain, limited(101, 3));
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->verdict, Verdict::kComplete);
  EXPECT_EQ(summary->states, 20'000u);
  EXPECT_EQ(summary->max_depth, 19'999u);
  EXPECT_EQ(summary->table->occupied, 101u);
}

TEST(LimitedSearch, EndsAtItsLimits) {
  const GridModel grid(4, 12, 16);  // each state has up to 24^12 paths
  SearchOptions options = limited(503, 3);
  options.max_states = 30'000;
  const auto states = search(grid, options);
  ASSERT_TRUE(states) << states.error().what;
  EXPECT_EQ(states->verdict, Verdict::kIncomplete);
  EXPECT_EQ(states->stop_reason, StopReason::kMaxStates);
  EXPECT_EQ(states->states, 30'000u);

  options = limited(100'003, 3);
  options.max_depth = 5;
  const auto depth = search(grid, options);
  ASSERT_TRUE(depth) << depth.error().what;
  EXPECT_EQ(depth->stop_reason, StopReason::kMaxDepth);
  EXPECT_EQ(depth->max_depth, 6u);

  options = limited(503, 3);
  options.memory_bytes = 200 << 10;
  const auto memory = search(GridModel(1, 100'000), options);
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_EQ(memory->stop_reason, StopReason::kMemory);
  EXPECT_EQ(memory->verdict, Verdict::kIncomplete);
}

TEST(LimitedSearch, RefusesWhatCannotEnd) {
  const GridModel grid(2, 5);
  SearchOptions options = limited(101, 3);
  options.order = SearchOrder::kBreadthFirst;
  const auto breadth_first = search(grid, options);
  ASSERT_FALSE(breadth_first);
  EXPECT_EQ(breadth_first.error().code, Errc::kUnsupported);
  EXPECT_NE(breadth_first.error().what.find("depth-first"), std::string::npos);
  for (const unsigned probes : {0u, 102u}) {
    const auto refused = search(grid, limited(101, probes));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  }
  options = limited(1'000'000, 3);
  options.memory_bytes = 1 << 20;
  const auto small = search(grid, options);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, Errc::kOutOfMemory);
}

}  // namespace
}  // namespace comback

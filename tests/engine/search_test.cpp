#include "engine/search.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>

#include "engine/trace.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;

constexpr SearchOrder kOrders[] = {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst};
constexpr VisitedMode kModes[] = {VisitedMode::kFull, VisitedMode::kCompact,
                                  VisitedMode::kCompactImproved};

// Of at least twenty reachable states.
RandomModel random_model(unsigned seed) {
  for (unsigned salt = 0;; salt += 1000) {
    RandomModel model(
        seed + salt,
        {.vertices = 50 + 37 * seed, .max_degree = 2 + seed % 7, .width = 4 + seed % 30});
    if (Oracle(model).states.size() >= 20) return model;
  }
}

SearchOptions options_for(SearchOrder order, VisitedMode visited) {
  SearchOptions options;
  options.order = order;
  options.visited = visited;
  options.memory_bytes = 64 << 20;
  return options;
}

Summary explore_or_die(const Model& model, const SearchOptions& options) {
  Monitor monitor;
  auto summary = explore(model, options, monitor);
  if (!summary) {
    ADD_FAILURE() << summary.error().what;
    return {};
  }
  return *summary;
}

// The trace starts in the initial state, every step is an edge of the graph, and it ends in the
// violation's state.
void expect_path(const Oracle& oracle, const Violation& violation, std::uint64_t target) {
  const Trace& trace = violation.trace;
  ASSERT_EQ(trace.states.size(), trace.events.size() + 1);
  ASSERT_EQ(trace.events.size(), violation.depth);
  std::uint64_t at = 0;
  EXPECT_EQ(oracle.id_of(trace.states[0].data()), at);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& out = oracle.out[at];
    const auto edge = std::find_if(out.begin(), out.end(),
                                   [&](const auto& e) { return e.first == trace.events[i]; });
    ASSERT_NE(edge, out.end()) << "step " << i;
    at = edge->second;
    EXPECT_EQ(oracle.id_of(trace.states[i + 1].data()), at);
  }
  EXPECT_EQ(at, target);
}

class SearchProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(SearchProperty, AgreesWithBruteForce) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const SearchOrder order : kOrders) {
    for (const VisitedMode visited : kModes) {  // with 64 bits the compact ones omit nothing
      const Summary summary = explore_or_die(model, options_for(order, visited));
      EXPECT_EQ(summary.verdict, Verdict::kComplete);
      EXPECT_EQ(summary.states, oracle.states.size());
      EXPECT_EQ(summary.transitions, oracle.transitions);
      EXPECT_EQ(summary.events, oracle.transitions);
      EXPECT_EQ(summary.deadlocks, oracle.deadlocks);
      if (order == SearchOrder::kBreadthFirst) {
        EXPECT_EQ(summary.level_sizes, oracle.level_sizes);
      } else {
        EXPECT_EQ(summary.max_depth, oracle.depth_first().second);
      }
      EXPECT_EQ(summary.omission_probability.has_value(), visited != VisitedMode::kFull);
      if (summary.omission_probability) {
        EXPECT_LT(*summary.omission_probability, 1e-10);
      }
    }
  }
}

// Short hashes omit states and what lies behind them; they never invent any.
TEST_P(SearchProperty, ShortHashesFindASubset) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const SearchOrder order : kOrders) {
    for (const unsigned bits : {8u, 12u, 33u}) {
      SearchOptions options = options_for(order, VisitedMode::kCompact);
      options.hash_bits = bits;
      for (const VisitedMode visited : {VisitedMode::kCompact, VisitedMode::kCompactImproved}) {
        options.visited = visited;
        const Summary summary = explore_or_die(model, options);
        EXPECT_LE(summary.states, oracle.states.size());
        EXPECT_LE(summary.transitions, oracle.transitions);
        if (visited == VisitedMode::kCompact && bits == 8) {
          EXPECT_LE(summary.states, 256u);
        }
        if (bits == 33) {
          EXPECT_EQ(summary.states, oracle.states.size());
        }
      }
    }
  }
}

// A first violation is the first in the search's order: the first state of the order of visits
// for which it holds.
TEST_P(SearchProperty, FirstViolationsHaveTraces) {
  RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  const std::uint64_t bad = oracle.states.size() - 1 - GetParam() % 7;
  const std::uint32_t bad_vertex = model.decode(oracle.bytes(bad));
  for (const SearchOrder order : kOrders) {
    for (const VisitedMode visited : kModes) {
      SearchOptions options = options_for(order, visited);
      options.invariants.push_back(std::make_shared<FunctionPredicate>(
          "good", [&](const std::byte* s) { return model.decode(s) == bad_vertex ? 0 : 1; }));
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.verdict, Verdict::kInvariant);
      ASSERT_EQ(summary.violations.size(), 1u);
      const Violation& violation = summary.violations[0];
      EXPECT_EQ(violation.what, "invariant 'good'");
      expect_path(oracle, violation, bad);
      if (order == SearchOrder::kBreadthFirst) {
        EXPECT_EQ(violation.state, bad);
        EXPECT_EQ(violation.depth, oracle.depths[bad]) << "shortest";
      } else {
        EXPECT_EQ(oracle.depth_first().first[violation.state], bad);
      }
      EXPECT_LT(summary.transitions, oracle.transitions + 1);
    }
  }
}

TEST_P(SearchProperty, DeadlocksAreViolationsWhereAsked) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  if (oracle.deadlocks == 0) GTEST_SKIP() << "no deadlock in this graph";
  for (const SearchOrder order : kOrders) {
    SearchOptions options = options_for(order, VisitedMode::kFull);
    options.deadlock_is_violation = true;
    const Summary first = explore_or_die(model, options);
    EXPECT_EQ(first.verdict, Verdict::kDeadlock);
    ASSERT_EQ(first.violations.size(), 1u);
    EXPECT_EQ(first.deadlocks, 1u);
    const std::uint64_t id = oracle.id_of(first.violations[0].trace.states.back().data());
    EXPECT_TRUE(oracle.out[id].empty());
    expect_path(oracle, first.violations[0], id);

    options.continue_after_violation = true;
    const Summary all = explore_or_die(model, options);
    EXPECT_EQ(all.verdict, Verdict::kDeadlock);
    EXPECT_EQ(all.violations.size(), 1u);
    EXPECT_EQ(all.states, oracle.states.size());
    EXPECT_EQ(all.deadlocks, oracle.deadlocks);
  }
}

TEST_P(SearchProperty, CountsEveryViolationWhenItGoesOn) {
  RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  std::uint64_t bad = 0;
  for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
    const std::uint32_t vertex = model.decode(oracle.bytes(id));
    if (vertex % 3 == 1) model.failing.insert(vertex);
    if (vertex % 5 == 1) ++bad;
  }
  for (const SearchOrder order : kOrders) {
    SearchOptions options = options_for(order, VisitedMode::kFull);
    options.continue_after_violation = true;
    options.invariants.push_back(std::make_shared<FunctionPredicate>(
        "good", [&](const std::byte* s) { return model.decode(s) % 5 == 1 ? 0 : 1; }));
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.states, oracle.states.size());
    EXPECT_EQ(summary.assertion_violations, model.failing.size());
    EXPECT_EQ(summary.invariant_violations, bad);
    EXPECT_LE(summary.violations.size(), 2u);
    for (const Violation& v : summary.violations) {
      expect_path(oracle, v, oracle.id_of(v.trace.states.back().data()));
    }
  }
}

TEST_P(SearchProperty, AFaultEndsTheSearchWithItsTrace) {
  RandomModel model = random_model(GetParam());
  const Oracle healthy(model);
  const std::uint64_t source = healthy.states.size() / 2;
  if (healthy.out[source].empty()) GTEST_SKIP() << "a deadlock has no event to fail";
  model.faults.insert({model.decode(healthy.bytes(source)), healthy.out[source][0].first});
  const Oracle oracle(model);
  for (const SearchOrder order : kOrders) {
    for (const VisitedMode visited : kModes) {
      SearchOptions options = options_for(order, visited);
      options.continue_after_violation = true;
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.verdict, Verdict::kError);
      ASSERT_EQ(summary.violations.size(), 1u);
      EXPECT_EQ(summary.violations[0].event, healthy.out[source][0].first);
      expect_path(oracle, summary.violations[0], oracle.id_of(healthy.bytes(source)));
    }
  }
}

TEST_P(SearchProperty, LimitsStopTheSearchWhereTheySay) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      SearchOptions options = options_for(order, visited);
      options.max_states = oracle.states.size() / 2;
      const Summary half = explore_or_die(model, options);
      EXPECT_EQ(half.states, *options.max_states);
      EXPECT_EQ(half.verdict, Verdict::kIncomplete);
      EXPECT_EQ(half.stop_reason, StopReason::kMaxStates);

      options.max_states = oracle.states.size();
      EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
    }

    SearchOptions options = options_for(SearchOrder::kBreadthFirst, visited);
    const std::uint64_t deepest = oracle.level_sizes.size() - 1;
    options.max_depth = deepest;
    EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
    if (deepest < 2) continue;
    options.max_depth = deepest - 2;
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.stop_reason, StopReason::kMaxDepth);
    EXPECT_EQ(summary.level_sizes,
              std::vector<std::uint64_t>(oracle.level_sizes.begin(), oracle.level_sizes.end() - 1));
  }
}

TEST_P(SearchProperty, DepthFirstDoesNotExpandBelowItsLimit) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  const std::uint64_t deepest = oracle.depth_first().second;
  SearchOptions options = options_for(SearchOrder::kDepthFirst, VisitedMode::kFull);
  options.max_depth = deepest;
  EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
  options.max_depth = deepest / 2;
  if (deepest / 2 == deepest) GTEST_SKIP() << "one state";
  const Summary summary = explore_or_die(model, options);
  EXPECT_EQ(summary.stop_reason, StopReason::kMaxDepth);
  EXPECT_EQ(summary.max_depth, *options.max_depth + 1);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SearchProperty, ::testing::Range(0u, 30u));

TEST(Search, ExploresAGridWithItsDeadlockAndLevels) {
  const GridModel model(4, 20, 20);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      const Summary summary = explore_or_die(model, options_for(order, visited));
      EXPECT_EQ(summary.states, 160'000u);
      EXPECT_EQ(summary.deadlocks, 1u);
      if (order == SearchOrder::kBreadthFirst) {
        EXPECT_EQ(summary.level_sizes.size(), 19u * 4 + 1);
      } else {
        EXPECT_EQ(summary.max_depth, 19u * 4);
      }
    }
  }
}

// The successors of buried frames are forgotten and generated again.
TEST(Search, DepthFirstGoesDeepAndComesBack) {
  const RandomModel model(1, {.vertices = 60'000, .max_degree = 6, .width = 12});
  const Oracle oracle(model);
  const auto [preorder, deepest] = oracle.depth_first();
  ASSERT_GT(deepest, 20'000u) << "the test needs a deep graph";
  for (const VisitedMode visited : kModes) {
    const Summary summary = explore_or_die(model, options_for(SearchOrder::kDepthFirst, visited));
    EXPECT_EQ(summary.states, oracle.states.size());
    EXPECT_EQ(summary.transitions, oracle.transitions);
    EXPECT_EQ(summary.max_depth, deepest);
  }
}

TEST(Search, ATraceFromDeepInTheStackReplays) {
  const GridModel chain(1, 50'000);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      SearchOptions options = options_for(order, visited);
      options.deadlock_is_violation = true;
      const Summary summary = explore_or_die(chain, options);
      ASSERT_EQ(summary.violations.size(), 1u);
      EXPECT_EQ(summary.violations[0].trace.events.size(), 49'999u);
    }
  }
}

TEST(Search, ABudgetThatIsTooSmallIsAnError) {
  const GridModel model(3, 10);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      SearchOptions options = options_for(order, visited);
      options.memory_bytes = 100;
      Monitor monitor;
      const auto summary = explore(model, options, monitor);
      ASSERT_FALSE(summary);
      EXPECT_EQ(summary.error().code, Errc::kOutOfMemory);
      EXPECT_NE(summary.error().what.find("at least"), std::string::npos);
    }
  }
}

// Whatever is used up first: the search ends in order, with the states that fitted.
TEST(Search, AnExhaustedBudgetIsIncomplete) {
  const GridModel model(4, 120, 40);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      for (const std::uint64_t megabytes : {5, 6, 9}) {
        SearchOptions options = options_for(order, visited);
        options.memory_bytes = megabytes << 20;
        const Summary summary = explore_or_die(model, options);
        EXPECT_EQ(summary.verdict, Verdict::kIncomplete);
        EXPECT_TRUE(summary.stop_reason == StopReason::kMemory ||
                    (visited == VisitedMode::kCompactImproved &&
                     summary.stop_reason == StopReason::kTableFull));
        EXPECT_GT(summary.states, 10'000u);
        EXPECT_LE(summary.visited_bytes, options.memory_bytes);
      }
    }
  }
}

TEST(Search, AFixedTableThatIsFullStopsTheSearch) {
  const GridModel model(3, 20);
  for (const SearchOrder order : kOrders) {
    SearchOptions options = options_for(order, VisitedMode::kCompactImproved);
    options.table_slots = 1000;  // 997 is prime
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.stop_reason, StopReason::kTableFull);
    EXPECT_EQ(summary.states, 997u);
    options.table_slots = 8011;
    EXPECT_EQ(explore_or_die(model, options).states, 8000u);
  }
}

TEST(Search, RefusesHashesOfImpossibleWidth) {
  const GridModel model(2, 3);
  for (const unsigned bits : {0u, 7u, 65u}) {
    SearchOptions options = options_for(SearchOrder::kBreadthFirst, VisitedMode::kCompact);
    options.hash_bits = bits;
    Monitor monitor;
    const auto summary = explore(model, options, monitor);
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().code, Errc::kInvalidArgument);
  }
}

TEST(Search, StopsOnRequestAndOnTime) {
  const GridModel model(5, 40);
  for (const VisitedMode visited : kModes) {
    for (const SearchOrder order : kOrders) {
      SearchOptions options = options_for(order, visited);
      Monitor stopped;
      stopped.request_stop();
      auto summary = explore(model, options, stopped);
      ASSERT_TRUE(summary);
      EXPECT_EQ(summary->stop_reason, StopReason::kInterrupted);
      options.time_limit = std::chrono::duration<double>(0.0);
      EXPECT_EQ(explore_or_die(model, options).stop_reason, StopReason::kTimeLimit);
    }
  }
}

// --visited full promises descriptor width + 8 bytes per state, beyond a constant.
TEST(Search, FullTakesAtMostEightBytesBesideTheDescriptor) {
  const GridModel model(4, 38, 24);
  SearchOptions options = options_for(SearchOrder::kBreadthFirst, VisitedMode::kFull);
  options.memory_bytes = 256 << 20;
  const Summary summary = explore_or_die(model, options);
  EXPECT_EQ(summary.states, 38u * 38 * 38 * 38);
  EXPECT_LE(summary.visited_bytes, summary.states * (24 + 8) + (4 << 20));
}

}  // namespace
}  // namespace comback

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/search.h"
#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"
#include "tests/support/random_dve.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;

SearchOptions options_for(VisitedMode visited) {
  SearchOptions options;
  options.order = SearchOrder::kDepthFirst;
  options.visited = visited;
  options.memory_bytes = 64 << 20;
  return options;
}
SearchOptions cache_of(std::uint64_t states, const std::string& replacement = "random") {
  SearchOptions options = options_for(VisitedMode::kCache);
  options.caching.cache_size = states;
  options.caching.replacement = *Replacement::parse(replacement);
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

// Notes every state that is visited.
class Visits {
 public:
  explicit Visits(const Model& model) : width_(model.width()) {}
  void watch(SearchOptions& options) {
    options.invariants.push_back(
        std::make_shared<FunctionPredicate>("noted", [this](const std::byte* state) {
          seen_.insert(test::bytes_of(state, width_));
          return 1;
        }));
  }
  std::size_t different() const { return seen_.size(); }

 private:
  std::size_t width_;
  std::set<std::string> seen_;
};

const char* const kStrategies[] = {"random", "most", "least", "class", "subtree", "type"};

class CachingProperty : public ::testing::TestWithParam<unsigned> {};

// Graphs full of cycles; every state is visited whatever gives way.
TEST_P(CachingProperty, VisitsEveryState) {
  const RandomModel model(GetParam(), {.vertices = 40 + 5 * GetParam(), .max_degree = 3});
  const Oracle oracle(model);
  for (const char* strategy : kStrategies) {
    for (const double share : {0.8, 0.9, 1.0}) {
      SCOPED_TRACE(std::string(strategy) + " " + std::to_string(share));
      const auto size = static_cast<std::uint64_t>(
          std::max(1.0, share * static_cast<double>(oracle.states.size())));
      SearchOptions options = cache_of(size, strategy);
      options.max_states = 2'000'000;  // against a blow-up
      Visits visits(model);
      visits.watch(options);
      const Summary summary = explore_or_die(model, options);
      ASSERT_TRUE(summary.caching);
      EXPECT_EQ(summary.caching->matched, summary.verdict == Verdict::kComplete
                                              ? summary.transitions - (summary.states - 1)
                                              : summary.caching->matched);
      EXPECT_LE(summary.max_depth + 1, size);
      EXPECT_EQ(summary.caching->replaced, summary.states - std::min(summary.states, size));
      if (share == 1.0) {
        EXPECT_EQ(summary.states, oracle.states.size());
        EXPECT_EQ(summary.transitions, oracle.transitions);
        EXPECT_EQ(summary.deadlocks, oracle.deadlocks);
        EXPECT_EQ(summary.max_depth, oracle.depth_first().second);
        EXPECT_TRUE(summary.caching->exact());
      }
      if (summary.stop_reason == StopReason::kCacheFull) {
        EXPECT_EQ(summary.max_depth + 1, size);
        EXPECT_EQ(summary.verdict, Verdict::kIncomplete);
        continue;
      }
      ASSERT_EQ(summary.verdict, Verdict::kComplete);
      EXPECT_EQ(visits.different(), oracle.states.size());
      EXPECT_GE(summary.states, oracle.states.size());
      EXPECT_GE(summary.deadlocks, oracle.deadlocks);
      // So few states are estimated well.
      EXPECT_NEAR(static_cast<double>(summary.states - summary.caching->revisits),
                  static_cast<double>(oracle.states.size()), 3);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CachingProperty, ::testing::Range(0u, 20u));

bool faulted(const Summary& summary) {
  return std::any_of(summary.violations.begin(), summary.violations.end(),
                     [](const Violation& v) { return v.kind == Verdict::kError; });
}

class SleepSetsProperty : public ::testing::TestWithParam<unsigned> {};

// Random programs in DVE: committed locations, channels of all kinds, faults, arrays. What sleeps
// was checked in every state, both ways.
TEST_P(SleepSetsProperty, VisitEveryStateByFewerTransitions) {
  const std::string text = test::RandomDve::text(GetParam());
  for (const dve::RangeErrors range_errors : test::kAllRangeErrors) {
    auto loaded = dve::load_text(
        "random.dve", text, {.range_errors = range_errors, .backend = dve::Backend::kInterpreted});
    if (!std::holds_alternative<std::unique_ptr<Model>>(loaded)) break;  // divides by 0
    const auto model = std::get<std::unique_ptr<Model>>(std::move(loaded));
    SearchOptions options = options_for(VisitedMode::kFull);
    options.continue_after_violation = true;
    options.max_states = 20'000;
    const Summary plain = explore_or_die(*model, options);
    options.sleep_sets = true;
    options.check_independence = true;
    if (model->events().empty()) {
      Monitor monitor;
      const auto refused = explore(*model, options, monitor);
      ASSERT_FALSE(refused) << "system sync";
      EXPECT_EQ(refused.error().code, Errc::kUnsupported);
      continue;
    }
    if (plain.stop_reason != StopReason::kNone) continue;  // large
    const Summary reduced = explore_or_die(*model, options);
    EXPECT_EQ(faulted(reduced), faulted(plain));
    if (faulted(plain)) continue;  // which ended the search
    EXPECT_EQ(reduced.violations.size(), plain.violations.size());
    EXPECT_EQ(reduced.states, plain.states);
    EXPECT_LE(reduced.transitions, plain.transitions);
    EXPECT_EQ(reduced.transitions + reduced.caching->slept, plain.transitions);
    EXPECT_EQ(reduced.caching->matched, reduced.transitions - (reduced.states - 1));
    EXPECT_EQ(reduced.deadlocks, plain.deadlocks);
    EXPECT_EQ(reduced.assertion_violations, plain.assertion_violations);

    for (const std::uint64_t part : {1, 2}) {
      SearchOptions caching = cache_of(std::max<std::uint64_t>(1, plain.states / part));
      caching.sleep_sets = true;
      caching.continue_after_violation = true;
      caching.max_states = 200'000;
      Visits visits(*model);
      visits.watch(caching);
      const Summary cached = explore_or_die(*model, caching);
      if (cached.stop_reason != StopReason::kNone) continue;  // the stack, or a blow-up
      EXPECT_EQ(visits.different(), plain.states);
      if (part == 1) {
        EXPECT_EQ(cached.transitions, reduced.transitions);
        EXPECT_EQ(cached.caching->sleep_sets, reduced.caching->sleep_sets);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, SleepSetsProperty, ::testing::Range(0u, 150u));

// [godefroid95, Figure 2]: of two processes that have nothing to do with each other every state is
// visited once, so that nothing but the stack need be stored.
TEST(SleepSets, VisitIndependentProcessesOnce) {
  const auto model = test::dve_model(R"(
    process P { byte x; state s, t; init s; trans
      s -> s { guard x < 20; effect x = x + 1; }, s -> t { }; }
    process Q { byte x; state s, t; init s; trans
      s -> s { guard x < 20; effect x = x + 1; }, s -> t { }; }
    process R { byte x; state s, t; init s; trans
      s -> s { guard x < 20; effect x = x + 1; }, s -> t { }; }
    system async;)");
  SearchOptions options = options_for(VisitedMode::kFull);
  const Summary plain = explore_or_die(*model, options);
  EXPECT_EQ(plain.states, 42u * 42 * 42);
  options.sleep_sets = true;
  const Summary reduced = explore_or_die(*model, options);
  EXPECT_EQ(reduced.states, plain.states);
  EXPECT_EQ(reduced.transitions, reduced.states - 1);
  EXPECT_EQ(reduced.caching->matched, 0u);
  EXPECT_EQ(reduced.deadlocks, plain.deadlocks);

  options = cache_of(reduced.max_depth + 1);
  options.sleep_sets = true;
  const Summary cached = explore_or_die(*model, options);
  EXPECT_EQ(cached.verdict, Verdict::kComplete);
  EXPECT_EQ(cached.states, plain.states);
  EXPECT_EQ(cached.transitions, cached.states - 1);
  EXPECT_FALSE(cached.caching->exact()) << "nobody could know that";

  options.sleep_sets = false;
  options.caching.max_revisits = 100'000;
  const Summary blown_up = explore_or_die(*model, options);
  EXPECT_EQ(blown_up.stop_reason, StopReason::kMaxRevisits);
  EXPECT_EQ(blown_up.verdict, Verdict::kIncomplete);
  EXPECT_GT(blown_up.caching->revisits, 100'000u);
  EXPECT_EQ(blown_up.caching->outlook(blown_up.states, blown_up.transitions, 63),
            CacheOutlook::kExploded);
}

// Line 21: two independent events in a cycle. Without the proviso each would sleep for the other.
TEST(SleepSets, DoNotSleepAroundACycle) {
  const auto model = test::dve_model(R"(
    byte seen;
    process P { state a, b; init a; trans a -> b { }, b -> a { }; }
    process Q { state a, b, c; init a; trans a -> b { }, b -> a { }, b -> c { guard P.b; }; }
    process R { state a, b; init a; trans a -> a { }, a -> b { guard Q.c; effect seen = 1; }; }
    system async;)");
  SearchOptions options = options_for(VisitedMode::kFull);
  const Summary plain = explore_or_die(*model, options);
  options.sleep_sets = true;
  EXPECT_EQ(explore_or_die(*model, options).states, plain.states);
  SearchOptions caching = cache_of(plain.max_depth + 2);
  caching.sleep_sets = true;
  Visits visits(*model);
  visits.watch(caching);
  explore_or_die(*model, caching);
  EXPECT_EQ(visits.different(), plain.states);
}

TEST(Caching, TheWayToAViolationReplays) {
  const GridModel model(3, 30);
  for (const char* strategy : kStrategies) {
    SearchOptions options = cache_of(2000, strategy);
    options.deadlock_is_violation = true;
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.verdict, Verdict::kDeadlock);
    ASSERT_EQ(summary.violations.size(), 1u);
    EXPECT_EQ(summary.violations[0].trace.events.size(), 3u * 29);
  }
}

TEST(Caching, TheSameSeedIsTheSameSearch) {
  const GridModel model(4, 9);
  const Summary once = explore_or_die(model, cache_of(3000));
  EXPECT_GT(once.caching->replaced, 0u);
  EXPECT_EQ(explore_or_die(model, cache_of(3000)).transitions, once.transitions);
  SearchOptions other = cache_of(3000);
  other.caching.seed = 2;
  EXPECT_NE(explore_or_die(model, other).transitions, once.transitions);
}

TEST(Caching, LimitsStopTheSearchWhereTheySay) {
  const GridModel model(3, 30);
  SearchOptions options = cache_of(2000);
  options.max_states = 5000;
  const Summary states = explore_or_die(model, options);
  EXPECT_EQ(states.states, 5000u);
  EXPECT_EQ(states.stop_reason, StopReason::kMaxStates);

  options = cache_of(60);
  const Summary stack = explore_or_die(model, options);
  EXPECT_EQ(stack.stop_reason, StopReason::kCacheFull);
  EXPECT_EQ(stack.max_depth + 1, 60u);

  options = cache_of(100);
  options.max_depth = 20;
  options.max_states = 1'000'000;
  const Summary depth = explore_or_die(model, options);
  EXPECT_EQ(depth.verdict, Verdict::kIncomplete);
  EXPECT_EQ(depth.max_depth, 21u);
}

TEST(Caching, RefusesWhatCannotBe) {
  const GridModel model(2, 3);
  Monitor monitor;
  SearchOptions breadth_first = cache_of(10);
  breadth_first.order = SearchOrder::kBreadthFirst;
  SearchOptions compact = options_for(VisitedMode::kCompact);
  compact.sleep_sets = true;
  SearchOptions no_events = options_for(VisitedMode::kFull);
  no_events.sleep_sets = true;
  for (const SearchOptions& options : {breadth_first, compact, no_events}) {
    const auto refused = explore(model, options, monitor);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  }
  const auto empty = explore(model, cache_of(0), monitor);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, Errc::kInvalidArgument);
  SearchOptions large = cache_of(100'000'000);
  const auto refused = explore(model, large, monitor);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kOutOfMemory);
}

}  // namespace
}  // namespace comback

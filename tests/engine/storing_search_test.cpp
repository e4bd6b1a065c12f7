#include "engine/storing_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/search.h"
#include "engine/waiting_states.h"
#include "storage/hash.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;
using Waiting = StoringOptions::Waiting;

constexpr Waiting kWaiting[] = {Waiting::kFifo, Waiting::kLifo, Waiting::kPriority};
// Those that need no covering set; those that do are in covering_set_test.cpp.
constexpr const char* kRules[] = {"distance:1",    "distance:3",  "distance:17", "successors:1",
                                  "successors:50", "random:0.01", "random:0.3",  "random:1"};

// Full of cycles: half of the edges go to any vertex.
RandomModel random_model(unsigned seed) {
  for (unsigned salt = 0;; salt += 1000) {
    RandomModel model(
        seed + salt,
        {.vertices = 40 + 23 * seed, .max_degree = 1 + seed % 5, .width = 4 + seed % 30});
    if (Oracle(model).states.size() >= 12) return model;
  }
}

SearchOptions options_for(const std::string& rule, Waiting waiting) {
  SearchOptions options;
  options.visited = VisitedMode::kStoring;
  options.memory_bytes = 64 << 20;
  options.storing.rule = *StoringRule::parse(rule);
  options.storing.waiting = waiting;
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

void expect_path(const Oracle& oracle, const Violation& violation, std::uint64_t target) {
  const Trace& trace = violation.trace;
  ASSERT_EQ(trace.states.size(), trace.events.size() + 1);
  ASSERT_EQ(trace.events.size(), violation.depth);
  std::uint64_t at = 0;
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

class StoringProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(StoringProperty, CountsAsBruteForceDoes) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      SCOPED_TRACE(std::string(rule) + " " + std::to_string(static_cast<int>(waiting)));
      const Summary summary = explore_or_die(model, options_for(rule, waiting));
      ASSERT_TRUE(summary.storing);
      EXPECT_TRUE(summary.storing->counted);
      EXPECT_EQ(summary.verdict, Verdict::kComplete);
      EXPECT_EQ(summary.states, oracle.states.size());
      EXPECT_EQ(summary.transitions, oracle.transitions);
      EXPECT_EQ(summary.deadlocks, oracle.deadlocks);
      if (waiting == Waiting::kFifo) {
        EXPECT_EQ(summary.level_sizes, oracle.level_sizes);
      }
      EXPECT_LE(summary.storing->stored, oracle.states.size());
      EXPECT_LE(summary.storing->peak_held, oracle.states.size());
      EXPECT_EQ(summary.storing->explored, oracle.states.size() + summary.storing->revisits);
      EXPECT_EQ(summary.events, summary.storing->transitions);
    }
  }
}

// Not by a counter's word: every state was looked at.
TEST_P(StoringProperty, VisitsExactlyTheReachableStates) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      SearchOptions options = options_for(rule, waiting);
      options.storing.count_states = false;
      std::set<std::uint64_t> seen;
      std::uint64_t visits = 0;
      options.invariants.push_back(
          std::make_shared<FunctionPredicate>("seen", [&](const std::byte* state) {
            seen.insert(oracle.id_of(state));
            ++visits;
            return 1;
          }));
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.verdict, Verdict::kComplete);
      EXPECT_FALSE(summary.storing->counted);
      EXPECT_EQ(seen.size(), oracle.states.size()) << rule;
      EXPECT_EQ(visits, summary.storing->explored);
      EXPECT_EQ(summary.states, summary.storing->explored);
      const double estimate =
          static_cast<double>(summary.storing->explored - summary.storing->revisits);
      EXPECT_NEAR(estimate, static_cast<double>(oracle.states.size()),
                  2 + 0.02 * static_cast<double>(oracle.states.size()));
    }
  }
}

// The rules alone, without the relief, on graphs so small that no exponent matters.
TEST_P(StoringProperty, EveryRuleEndsByItself) {
  const RandomModel model(GetParam(), {.vertices = 14, .max_degree = 2, .width = 4});
  const Oracle oracle(model);
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      SearchOptions options = options_for(rule, waiting);
      options.storing.overhead = 0;
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.verdict, Verdict::kComplete) << rule;
      EXPECT_EQ(summary.states, oracle.states.size()) << rule;
    }
  }
}

TEST_P(StoringProperty, ViolationsHaveTraces) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  const std::uint64_t bad = oracle.states.size() - 1 - GetParam() % 7;
  const std::uint32_t bad_vertex = model.decode(oracle.bytes(bad));
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      for (const bool counts : {true, false}) {
        SearchOptions options = options_for(rule, waiting);
        options.storing.count_states = counts;
        options.invariants.push_back(std::make_shared<FunctionPredicate>(
            "good", [&](const std::byte* s) { return model.decode(s) == bad_vertex ? 0 : 1; }));
        const Summary summary = explore_or_die(model, options);
        EXPECT_EQ(summary.verdict, Verdict::kInvariant);
        ASSERT_EQ(summary.violations.size(), 1u);
        expect_path(oracle, summary.violations[0], bad);
        if (waiting == Waiting::kFifo) {
          EXPECT_EQ(summary.violations[0].depth, oracle.depths[bad]) << "shortest";
        }
      }
    }
  }
}

TEST_P(StoringProperty, GoesOnAfterViolationsAndFindsATraceOfEachKind) {
  RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  std::uint64_t bad = 0;
  for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
    const std::uint32_t vertex = model.decode(oracle.bytes(id));
    if (vertex % 3 == 1) model.failing.insert(vertex);
    if (vertex % 5 == 1) ++bad;
  }
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      SearchOptions options = options_for(rule, waiting);
      options.continue_after_violation = true;
      options.invariants.push_back(std::make_shared<FunctionPredicate>(
          "good", [&](const std::byte* s) { return model.decode(s) % 5 == 1 ? 0 : 1; }));
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.states, oracle.states.size());
      EXPECT_EQ(summary.assertion_violations, model.failing.size());
      EXPECT_EQ(summary.invariant_violations, bad);
      for (const Violation& v : summary.violations) {
        ASSERT_FALSE(v.trace.states.empty()) << v.what;
        expect_path(oracle, v, oracle.id_of(v.trace.states.back().data()));
      }
    }
  }
}

TEST_P(StoringProperty, FaultsAndDeadlocksEndItWhereAsked) {
  RandomModel model = random_model(GetParam());
  const Oracle healthy(model);
  for (const char* rule : kRules) {
    for (const Waiting waiting : kWaiting) {
      SearchOptions options = options_for(rule, waiting);
      options.deadlock_is_violation = true;
      const Summary summary = explore_or_die(model, options);
      EXPECT_EQ(summary.verdict, healthy.deadlocks > 0 ? Verdict::kDeadlock : Verdict::kComplete);
      if (summary.violations.empty()) continue;
      const std::uint64_t id = healthy.id_of(summary.violations[0].trace.states.back().data());
      EXPECT_TRUE(healthy.out[id].empty());
      expect_path(healthy, summary.violations[0], id);
    }
  }
  const std::uint64_t source = healthy.states.size() / 2;
  if (healthy.out[source].empty()) return;
  model.faults.insert({model.decode(healthy.bytes(source)), healthy.out[source][0].first});
  const Oracle oracle(model);
  for (const char* rule : kRules) {
    const Summary summary = explore_or_die(model, options_for(rule, Waiting::kFifo));
    EXPECT_EQ(summary.verdict, Verdict::kError);
    ASSERT_EQ(summary.violations.size(), 1u);
    expect_path(oracle, summary.violations[0], oracle.id_of(healthy.bytes(source)));
  }
}

TEST_P(StoringProperty, LimitsStopTheSearchWhereTheySay) {
  const RandomModel model = random_model(GetParam());
  const Oracle oracle(model);
  for (const Waiting waiting : kWaiting) {
    SearchOptions options = options_for("distance:3", waiting);
    options.max_states = oracle.states.size() / 2;
    const Summary half = explore_or_die(model, options);
    EXPECT_EQ(half.states, *options.max_states);
    EXPECT_EQ(half.verdict, Verdict::kIncomplete);
    EXPECT_EQ(half.stop_reason, StopReason::kMaxStates);
    options.max_states = oracle.states.size();
    EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
  }
  SearchOptions options = options_for("distance:3", Waiting::kFifo);
  const std::uint64_t deepest = oracle.level_sizes.size() - 1;
  if (deepest < 2) return;
  options.max_depth = deepest - 2;
  const Summary summary = explore_or_die(model, options);
  EXPECT_EQ(summary.stop_reason, StopReason::kMaxDepth);
  EXPECT_EQ(summary.level_sizes,
            std::vector<std::uint64_t>(oracle.level_sizes.begin(), oracle.level_sizes.end() - 1));
}

TEST_P(StoringProperty, RevisitsCanBeLimited) {
  const RandomModel model = random_model(GetParam());
  SearchOptions options = options_for("distance:17", Waiting::kLifo);
  const Summary all = explore_or_die(model, options);
  if (all.storing->revisits == 0) GTEST_SKIP() << "no state is visited twice";
  options.storing.max_revisits = all.storing->revisits - 1;
  const Summary fewer = explore_or_die(model, options);
  EXPECT_EQ(fewer.stop_reason, StopReason::kMaxRevisits);
  EXPECT_EQ(fewer.verdict, Verdict::kIncomplete);
  EXPECT_EQ(fewer.storing->revisits, all.storing->revisits);
  options.storing.max_revisits = all.storing->revisits;
  EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoringProperty, ::testing::Range(0u, 20u));

// A chain and its way back: nothing but one cycle, and no state has two successors.
class Ring : public test::PlainModel {
 public:
  const std::string& name() const override { return name_; }
  std::size_t width() const override { return 4; }
  std::size_t max_successors() const override { return 1; }
  void initial(std::byte* out) const override { std::memset(out, 0, 4); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    out.clear();
    std::memcpy(out.view.descriptors, state, 4);
    execute(out.view.descriptors, 0);
    out.view.events[0] = 0;
    out.view.count = 1;
  }
  void execute(std::byte* state, Event) const override {
    std::uint32_t x;
    std::memcpy(&x, state, 4);
    x = (x + 1) % 1000;
    std::memcpy(state, &x, 4);
  }

 private:
  std::string name_ = "ring";
};

TEST(StoringSearch, StoresWhatTheRuleSaysOfARing) {
  const Ring ring;
  const auto stored = [&](const std::string& rule) {
    const Summary summary = explore_or_die(ring, options_for(rule, Waiting::kFifo));
    EXPECT_EQ(summary.states, 1000u) << rule;
    EXPECT_EQ(summary.verdict, Verdict::kComplete) << rule;
    return summary.storing->stored;
  };
  EXPECT_EQ(stored("distance:10"), 100u);
  EXPECT_EQ(stored("distance:1"), 1000u);
  EXPECT_EQ(stored("random:1"), 1000u);
  // From 99 on every hundredth, and the first again in the second round.
  EXPECT_EQ(stored("successors:99"), 10u);
  EXPECT_LT(stored("random:0.05"), 200u);
}

// Ten counters of two values: every path to a state has the same length, so that breadth first
// nothing is visited twice, while depth first the rule alone visits each as often as it has paths.
TEST(StoringSearch, ReliefKeepsDepthFirstTimeLinear) {
  const GridModel grid(10, 2);
  SearchOptions options = options_for("distance:1000", Waiting::kFifo);
  EXPECT_EQ(explore_or_die(grid, options).storing->explored, 1024u);
  options.storing.waiting = Waiting::kLifo;
  options.storing.overhead = 3;
  const Summary relieved = explore_or_die(grid, options);
  options.storing.overhead = 0;
  const Summary alone = explore_or_die(grid, options);
  EXPECT_EQ(relieved.states, 1024u);
  EXPECT_EQ(alone.states, 1024u);
  EXPECT_LT(relieved.storing->explored * 10, alone.storing->explored);
  EXPECT_LT(relieved.storing->explored, 8 * 1024u);
}

TEST(StoringSearch, GivesUpCountingWhereTheSearchNeedsTheMemory) {
  const GridModel grid(4, 24, 60);  // 331,776 states
  SearchOptions options = options_for("distance:4", Waiting::kFifo);
  const Summary rich = explore_or_die(grid, options);
  EXPECT_TRUE(rich.storing->counted);
  // A megabyte has no room for eight bytes of each state.
  options.memory_bytes = rich.visited_bytes + (1 << 20);
  const Summary poor = explore_or_die(grid, options);
  EXPECT_EQ(poor.verdict, Verdict::kComplete);
  EXPECT_FALSE(poor.storing->counted);
  EXPECT_EQ(poor.storing->explored, rich.storing->explored);
}

TEST(StoringSearch, EndsIncompleteWhereMemoryIsUsedUp) {
  const GridModel grid(4, 40, 60);  // 2,560,000 states
  SearchOptions options = options_for("distance:1", Waiting::kFifo);
  options.memory_bytes = 12 << 20;
  const Summary summary = explore_or_die(grid, options);
  EXPECT_EQ(summary.verdict, Verdict::kIncomplete);
  EXPECT_EQ(summary.stop_reason, StopReason::kMemory);
}

TEST(StoringSearch, RefusesABudgetThatHasNoRoomForTheFirstState) {
  const GridModel grid(4, 4);
  SearchOptions options = options_for("distance:2", Waiting::kFifo);
  options.memory_bytes = 1000;
  Monitor monitor;
  const auto summary = explore(grid, options, monitor);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, Errc::kOutOfMemory);
}

TEST(StoringSearch, ChanceComesFromTheSeed) {
  const RandomModel model = random_model(9);
  SearchOptions options = options_for("random:0.3", Waiting::kFifo);
  const auto first = explore_or_die(model, options).storing;
  const auto again = explore_or_die(model, options).storing;
  EXPECT_EQ(first->explored, again->explored);
  EXPECT_EQ(first->stored, again->stored);
  std::set<std::uint64_t> explored;
  for (options.storing.seed = 1; options.storing.seed < 6; ++options.storing.seed) {
    explored.insert(explore_or_die(model, options).storing->explored);
  }
  EXPECT_GT(explored.size(), 1u);
}

TEST(StoringSearch, ACoveringSetNeedsProcesses) {
  const GridModel grid(2, 2);
  Monitor monitor;
  for (const char* rule : {"cover", "combination:3"}) {
    const auto summary = explore(grid, options_for(rule, Waiting::kFifo), monitor);
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().code, Errc::kUnsupported);
  }
}

TEST(StoringRule, IsReadAndWrittenAlike) {
  for (const char* text : {"distance:10", "successors:1000", "cover", "random:0.1", "combination:3",
                           "distance:1", "random:1"}) {
    const auto rule = StoringRule::parse(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(rule->to_string(), text);
  }
  EXPECT_EQ(StoringRule::parse("combination")->to_string(), "combination:3");
  for (const char* text :
       {"", "distance:0", "distance:", "distance:x", "distance:-1", "distance:30001", "cover:2",
        "random:0", "random:1.5", "random:nan", "nothing", "distance:3x"}) {
    EXPECT_FALSE(StoringRule::parse(text)) << text;
  }
}

// Beside a plain list.
TEST(WaitingStates, AreAListThatKnowsItsElements) {
  MemoryBudget budget;
  WaitingStates waiting(8, true, budget);
  ASSERT_TRUE(waiting.open());
  std::vector<std::uint64_t> plain;
  std::mt19937_64 random(7);
  const auto hash = [](std::uint64_t x) {  // few different ones
    const std::uint64_t y = x % 97;
    return hash_bytes(reinterpret_cast<const std::byte*>(&y), 8);
  };
  for (int step = 0; step < 30000; ++step) {
    const std::uint64_t x = random() % 5000;
    const auto* bytes = reinterpret_cast<const std::byte*>(&x);
    const bool known = std::find(plain.begin(), plain.end(), x) != plain.end();
    ASSERT_EQ(waiting.contains(hash(x), bytes), known);
    if (random() % 2 == 0 && !plain.empty()) {
      std::uint64_t taken = 0;
      const auto entry = waiting.take(reinterpret_cast<std::byte*>(&taken));
      ASSERT_EQ(taken, plain.front());
      ASSERT_EQ(entry.explorer, taken + 1);
      ASSERT_EQ(entry.flag, taken * 2);
      plain.erase(plain.begin());
    } else if (!known) {
      const bool front = random() % 3 == 0;
      ASSERT_TRUE(waiting.add(
          hash(x), bytes,
          {.flag = static_cast<std::uint32_t>(x * 2), .event = 1, .depth = 3, .explorer = x + 1},
          front ? WaitingStates::Place::kFront : WaitingStates::Place::kBack, 0));
      plain.insert(front ? plain.begin() : plain.end(), x);
    }
    ASSERT_EQ(waiting.size(), plain.size());
  }
}

}  // namespace
}  // namespace comback

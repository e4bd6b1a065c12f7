#include "engine/covering_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/search.h"
#include "tests/support/dve_models.h"
#include "tests/support/paths.h"
#include "tests/support/random_dve.h"

namespace comback {
namespace {

using test::dve_model;

// The states of a model, breadth first, at most so many, and the transitions among them.
struct Graph {
  std::vector<std::string> states;
  std::vector<std::vector<std::pair<Event, std::size_t>>> out;

  Graph(const Model& model, std::size_t most) {
    std::map<std::string, std::size_t> ids;
    SuccessorBuffer buffer(model.width(), model.max_successors());
    states.push_back(test::initial_state(model));
    ids[states[0]] = 0;
    for (std::size_t id = 0; id < states.size(); ++id) {
      std::string state = states[id];
      state.resize(model.width() + kDescriptorSlack);
      model.successors(test::state_of(state), buffer);
      out.emplace_back();
      for (std::uint32_t i = 0; i < buffer.size(); ++i) {
        const std::string next = test::bytes_of(buffer.descriptor(i), model.width());
        auto found = ids.find(next);
        if (found == ids.end()) {
          if (states.size() == most) continue;
          found = ids.emplace(next, states.size()).first;
          states.push_back(next);
        }
        out[id].emplace_back(buffer.event(i), found->second);
      }
    }
  }
};

// The state of a model after a range error that it goes on from: it is stored whatever the set.
bool is_error_state(const Model& model, const std::string& state) {
  for (std::uint32_t v = 0; v < model.variables().size(); ++v) {
    const VariableInfo& variable = model.variables()[v];
    if (variable.kind != VariableInfo::Kind::kLocation) continue;
    const auto locations = model.processes()[variable.process].locations.size();
    if (model.value(test::state_of(state), v, 0) >= static_cast<std::int64_t>(locations)) {
      return true;
    }
  }
  return false;
}

// Whether the graph has a cycle of several states without a transition of the set.
bool has_uncovered_cycle(const Model& model, const Graph& graph,
                         const std::vector<CoveringEdge>& edges) {
  const auto covers = [&](std::uint32_t process, std::uint32_t transition) {
    return std::find(edges.begin(), edges.end(), CoveringEdge{process, transition}) != edges.end();
  };
  // What is left of a graph without cycles can be taken away state by state.
  std::vector<std::size_t> incoming(graph.states.size());
  std::vector<std::vector<std::size_t>> kept(graph.states.size());
  for (std::size_t id = 0; id < graph.states.size(); ++id) {
    for (const auto& [event, to] : graph.out[id]) {
      const EventInfo& info = model.events()[event];
      if (to == id || covers(info.process, info.transition) ||
          (info.partner != kGlobal && covers(info.partner, info.partner_transition)) ||
          is_error_state(model, graph.states[to])) {
        continue;
      }
      kept[id].push_back(to);
      ++incoming[to];
    }
  }
  std::vector<std::size_t> free;
  for (std::size_t id = 0; id < incoming.size(); ++id) {
    if (incoming[id] == 0) free.push_back(id);
  }
  std::size_t taken = 0;
  while (!free.empty()) {
    const std::size_t id = free.back();
    free.pop_back();
    ++taken;
    for (const std::size_t to : kept[id]) {
      if (--incoming[to] == 0) free.push_back(to);
    }
  }
  return taken != graph.states.size();
}

// The network of the paper's Fig. 1.
constexpr const char* kFigure1 = R"(
byte i = 0;
channel a;
process P {
state A, B, C;
init C;
trans
  C -> A { },
  A -> B { guard i == 0; effect i = 1; },
  B -> A { },
  B -> C { sync a!; };
}
process Q {
state X, Y;
init X;
trans
  X -> Y { sync a?; },
  Y -> X { effect i = 0; };
}
system async;
)";

TEST(CoveringSet, OfThePapersFigure1IsOneTransition) {
  const auto model = dve_model(kFigure1);
  const auto set = find_covering_set(*model);
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(set->edges.size(), 1u);
  EXPECT_EQ(set->local_cycles, 3u);
  EXPECT_EQ(set->candidates.size(), 9u);
  EXPECT_GT(set->weight, 0);
  EXPECT_LT(set->weight, 0.5);
  EXPECT_FALSE(has_uncovered_cycle(*model, Graph(*model, 1000), set->edges));

  const CoveringEdge y_to_x{1, 1};
  const CoveringEdge c_to_a{0, 0};
  const CoveringEdge b_to_a{0, 2};
  EXPECT_TRUE(is_covering_set(*model, std::vector{y_to_x}));
  EXPECT_TRUE(is_covering_set(*model, std::vector{c_to_a, b_to_a}));
  EXPECT_FALSE(is_covering_set(*model, std::vector{b_to_a}));
  EXPECT_FALSE(is_covering_set(*model, {}));
  EXPECT_TRUE(has_uncovered_cycle(*model, Graph(*model, 1000), {b_to_a}));
}

// A loop that only counts up ends, unless something counts down.
TEST(CoveringSet, NeedsNothingOfACounterThatOnlyIncreases) {
  const std::string text = R"(
byte x = 0;
process P {
state s, t;
init s;
trans
  s -> t { guard x < 10; effect x = x + 1; },
  t -> s { };
}
system async;
)";
  const auto up = dve_model(text);
  EXPECT_TRUE(find_covering_set(*up)->edges.empty());
  // Where values wrap it comes round.
  const auto wrapping = dve_model(text, dve::RangeErrors::kWrap);
  EXPECT_FALSE(find_covering_set(*wrapping)->edges.empty());

  const auto both = dve_model(R"(
byte x = 0;
process P {
state s;
init s;
trans
  s -> s { guard x < 10; effect x = x + 1; };
}
process Q {
state s;
init s;
trans
  s -> s { guard x > 0; effect x = x - 1; };
}
system async;
)");
  const auto set = find_covering_set(*both);
  EXPECT_EQ(set->edges.size(), 1u);
  EXPECT_FALSE(has_uncovered_cycle(*both, Graph(*both, 1000), set->edges));
}

TEST(CoveringSet, KnowsThatMessagesInABufferAreSentAndReceived) {
  const auto model = dve_model(R"(
channel {byte} box[3];
process P {
state s;
init s;
trans
  s -> s { sync box!1; };
}
process Q {
byte x;
state s, t;
init s;
trans
  s -> t { sync box?x; },
  t -> s { };
}
system async;
)");
  const auto set = find_covering_set(*model);
  EXPECT_EQ(set->edges.size(), 1u);
  EXPECT_FALSE(has_uncovered_cycle(*model, Graph(*model, 1000), set->edges));
}

TEST(CoveringSet, LooksAtTheLocationsOfOtherProcesses) {
  // P goes round only if Q does.
  const auto model = dve_model(R"(
process P {
state a, b;
init a;
trans
  a -> b { guard Q.on; },
  b -> a { guard Q.off; };
}
process Q {
state on, off;
init on;
trans
  on -> off { },
  off -> on { };
}
system async;
)");
  const auto set = find_covering_set(*model);
  ASSERT_EQ(set->edges.size(), 1u);
  EXPECT_EQ(set->edges[0].process, 1u);
}

TEST(CoveringSet, ManyLocalCyclesAreCoveredWithoutListingThem) {
  const auto model = dve_model(kFigure1);
  const auto listed = find_covering_set(*model);
  const auto unlisted = find_covering_set(*model, {.cycles_per_process = 0});
  EXPECT_EQ(unlisted->unlisted_processes, 2u);
  EXPECT_EQ(unlisted->local_cycles, 0u);
  EXPECT_FALSE(has_uncovered_cycle(*model, Graph(*model, 1000), unlisted->edges));
  EXPECT_EQ(listed->unlisted_processes, 0u);
}

TEST(CoveringSet, IsRefusedWhereEventsHaveNoNumbers) {
  const auto model = dve_model(R"(
process P {
state s;
init s;
trans
  s -> s { };
}
process Q {
state s;
init s;
trans
  s -> s { };
}
system sync;
)");
  const auto set = find_covering_set(*model);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, Errc::kUnsupported);
}

class SampleCover : public ::testing::TestWithParam<const char*> {};

TEST_P(SampleCover, EveryCycleHasATransitionOfTheSet) {
  const auto model = test::loaded(
      dve::load_file(test::samples_dir() / (std::string(GetParam()) + ".dve"),
                     {.backend = dve::Backend::kInterpreted, .ignore_property = true}));
  ASSERT_NE(model, nullptr);
  const Graph graph(*model, 20000);
  for (const std::size_t most : {std::size_t{1000}, std::size_t{5}}) {
    const auto set = find_covering_set(*model, {.seed = 3, .cycles_per_process = most});
    ASSERT_TRUE(set) << set.error().what;
    EXPECT_FALSE(has_uncovered_cycle(*model, graph, set->edges));
  }
}
INSTANTIATE_TEST_SUITE_P(Samples, SampleCover,
                         ::testing::Values("alternating_bit", "atomic_broadcast", "bakery_bounded",
                                           "bank_transfer_bug", "dekker", "elevator", "go_back_n",
                                           "leader_ring", "lock_property", "mailbox", "msi_bus",
                                           "peterson_filter", "philosophers_deadlock",
                                           "producer_consumer", "readers_writers", "ticket_lock"));

// Null where a constant expression of it fails, or where events have no numbers.
std::unique_ptr<Model> random_dve_model(unsigned seed, dve::RangeErrors range_errors) {
  auto result =
      dve::load_text("test.dve", test::RandomDve::text(seed),
                     {.range_errors = range_errors, .backend = dve::Backend::kInterpreted});
  auto* const model = std::get_if<std::unique_ptr<Model>>(&result);
  if (model == nullptr || (*model)->events().empty()) return nullptr;
  return std::move(*model);
}

// All of the language, at random: the analysis must not conclude too much from any of it.
class RandomCover : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomCover, EveryCycleHasATransitionOfTheSet) {
  for (const dve::RangeErrors range_errors : test::kAllRangeErrors) {
    const auto model = random_dve_model(GetParam(), range_errors);
    if (model == nullptr) continue;
    const Graph graph(*model, 3000);
    for (const std::size_t most : {std::size_t{1000}, std::size_t{3}}) {
      const auto set = find_covering_set(
          *model, {.seed = GetParam(), .walks = 3, .steps = 50, .cycles_per_process = most});
      ASSERT_TRUE(set) << set.error().what;
      EXPECT_FALSE(has_uncovered_cycle(*model, graph, set->edges))
          << "seed " << GetParam() << ", range errors " << static_cast<int>(range_errors);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomCover, ::testing::Range(0u, 60u));

// The searches with such sets, beside brute force.
class CoverSearch : public ::testing::TestWithParam<unsigned> {};

TEST_P(CoverSearch, VisitsAllStates) {
  const auto model = random_dve_model(GetParam(), dve::RangeErrors::kErrorState);
  if (model == nullptr) return;
  const Graph graph(*model, 5000);
  if (graph.states.size() == 5000) return;
  for (const char* rule : {"cover", "combination:1", "combination:3"}) {
    for (const auto waiting : {StoringOptions::Waiting::kFifo, StoringOptions::Waiting::kLifo,
                               StoringOptions::Waiting::kPriority}) {
      SearchOptions options;
      options.visited = VisitedMode::kStoring;
      options.memory_bytes = 64 << 20;
      options.continue_after_violation = true;
      options.storing.rule = *StoringRule::parse(rule);
      options.storing.waiting = waiting;
      Monitor monitor;
      const auto summary = explore(*model, options, monitor);
      ASSERT_TRUE(summary) << summary.error().what;
      EXPECT_EQ(summary->states, graph.states.size()) << rule;
      EXPECT_EQ(summary->stop_reason, StopReason::kNone);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CoverSearch, ::testing::Range(0u, 60u));

}  // namespace
}  // namespace comback

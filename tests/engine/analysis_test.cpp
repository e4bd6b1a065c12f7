#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "engine/query.h"
#include "engine/run_difference.h"
#include "engine/stored_trace.h"
#include "engine/survey.h"
#include "engine/tree_shape.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/stored_oracle.h"

// What is asked of a stored run, against brute force.

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;
using test::StoredOracle;

class AnalysisProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  AnalysisProperty()
      : model(GetParam(), {.vertices = 20 + 311 * GetParam(),
                           .max_degree = 1 + GetParam() % 6,
                           .width = 4 + GetParam() % 20,
                           .deadlock_share = 0.05,
                           .local_share = GetParam() % 2 == 0 ? 0.95 : 0.4}),
        oracle(model),
        run(oracle, model.width(),
            {.keep = [](std::uint32_t level) { return level % 3 == 1; },
             .block_ids = GetParam() % 3 == 0 ? 37 : kMaxBackedges}),
        team(1 + GetParam() % 3) {}

  StateStream::Options options() const {
    return {.memory_bytes = GetParam() % 4 == 0 ? 0 : std::uint64_t{64} << 20,
            .temporary_dir = run.dir() / "temp"};
  }

  RandomModel model;
  Oracle oracle;
  StoredOracle run;
  ThreadTeam team;
  Monitor monitor;
};

TEST_P(AnalysisProperty, QueriesAnswerAsBruteForceDoes) {
  Query query;
  query.limit = GetParam() % 7;
  const std::uint32_t m = 2 + GetParam();
  const auto value_of = [this, m](const std::byte* state, unsigned i) -> std::optional<int64_t> {
    const std::uint32_t v = model.decode(state);
    if (i == 2 && v % 11 == 3) return std::nullopt;
    return v % (m + i) == i ? 1 : 0;
  };
  for (unsigned i = 0; i < 3; ++i) {
    query.predicates.push_back(std::make_shared<FunctionPredicate>(
        "p", [=](const std::byte* state) { return value_of(state, i); }));
  }
  query.count_by.push_back(std::make_shared<FunctionPredicate>(
      "e", [=, this](const std::byte* state) -> std::optional<std::int64_t> {
        const std::uint32_t v = model.decode(state);
        return v % 13 == 5 ? std::nullopt : std::optional<std::int64_t>(v % m - 2);
      }));
  const auto answer = ask(model, run.tree(), query, team, options(), monitor);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->states, oracle.states.size());
  for (unsigned i = 0; i < 3; ++i) {
    QueryAnswer::ForPredicate expected;
    expected.per_level.resize(oracle.level_sizes.size());
    for (StateId id = 0; id < oracle.states.size(); ++id) {
      const auto value = value_of(oracle.bytes(id), i);
      if (!value) ++expected.undefined;
      if (value.value_or(0) == 0) continue;
      ++expected.satisfied;
      ++expected.per_level[oracle.depths[id]];
      if (expected.first.size() < query.limit) expected.first.push_back(id);
    }
    EXPECT_EQ(answer->predicates[i].satisfied, expected.satisfied);
    EXPECT_EQ(answer->predicates[i].undefined, expected.undefined);
    EXPECT_EQ(answer->predicates[i].first, expected.first);
    EXPECT_EQ(answer->predicates[i].per_level, expected.per_level);
  }
  std::map<std::int64_t, std::uint64_t> counts;
  std::uint64_t undefined = 0;
  for (StateId id = 0; id < oracle.states.size(); ++id) {
    const auto value = query.count_by[0]->evaluate(oracle.bytes(id));
    value ? ++counts[*value] : ++undefined;
  }
  EXPECT_EQ(answer->count_by[0].counts, counts);
  EXPECT_EQ(answer->count_by[0].undefined, undefined);
}

TEST_P(AnalysisProperty, TheTreeHasTheShapeThatBruteForceFinds) {
  TreeShapeOptions shape_options;
  shape_options.heaviest = 1 + GetParam() % 9;
  shape_options.large = 1 + GetParam() % 7;
  shape_options.large_every = 1 + GetParam() % 3;
  const auto shape = measure_tree(run.tree(), shape_options, monitor);
  ASSERT_TRUE(shape) << shape.error().what;
  const std::size_t n = oracle.states.size();
  std::vector<std::uint64_t> sizes(n, 1);
  std::vector<std::uint64_t> children(n, 0);
  for (std::size_t id = n; id-- > 1;) {
    sizes[oracle.backedges[id].first] += sizes[id];
    ++children[oracle.backedges[id].first];
  }
  EXPECT_EQ(shape->states, n);
  EXPECT_EQ(shape->leaves,
            static_cast<std::uint64_t>(std::count(children.begin(), children.end(), 0u)));
  const auto most = std::max_element(children.begin(), children.end());
  EXPECT_EQ(shape->max_children, *most);
  EXPECT_EQ(shape->widest_branching, static_cast<StateId>(most - children.begin()));
  std::vector<std::uint64_t> histogram(TreeShape::kMostChildren + 1);
  for (const std::uint64_t c : children) ++histogram[c];
  EXPECT_EQ(shape->children, histogram);

  std::map<std::uint32_t, std::map<Event, std::uint64_t>> by_level;
  std::map<Event, std::uint64_t> by_event;
  for (std::size_t id = 1; id < n; ++id) {
    ++by_level[static_cast<std::uint32_t>(oracle.depths[id])][oracle.backedges[id].second];
    ++by_event[oracle.backedges[id].second];
  }
  using Counts = std::vector<std::pair<Event, std::uint64_t>>;
  EXPECT_EQ(shape->events, Counts(by_event.begin(), by_event.end()));
  ASSERT_EQ(shape->levels.size(), oracle.level_sizes.size());
  for (std::uint32_t level = 0; level < shape->levels.size(); ++level) {
    const TreeShape::Level& about = shape->levels[level];
    EXPECT_EQ(about.states, oracle.level_sizes[level]);
    EXPECT_EQ(about.events, Counts(by_level[level].begin(), by_level[level].end()));
    std::uint64_t leaves = 0, widest = 0, heaviest = 0;
    for (std::size_t id = 0; id < n; ++id) {
      if (oracle.depths[id] != level) continue;
      leaves += children[id] == 0 ? 1 : 0;
      widest = std::max(widest, children[id]);
      heaviest = std::max(heaviest, sizes[id]);
    }
    EXPECT_EQ(about.leaves, leaves);
    EXPECT_EQ(about.max_children, widest);
    EXPECT_EQ(about.heaviest.states, heaviest);
    EXPECT_EQ(sizes[about.heaviest.root], heaviest);
    EXPECT_EQ(oracle.depths[about.heaviest.root], level);
  }
  std::vector<std::uint64_t> buckets;
  for (const std::uint64_t size : sizes) {
    const std::size_t bucket = static_cast<std::size_t>(std::bit_width(size)) - 1;
    buckets.resize(std::max(buckets.size(), bucket + 1));
    ++buckets[bucket];
  }
  EXPECT_EQ(shape->subtree_sizes, buckets);

  std::vector<StateId> large;
  for (std::size_t id = 0; id < n; ++id) {
    const bool listed = oracle.depths[id] % shape_options.large_every == 0;
    if (listed && sizes[id] >= shape_options.large) large.push_back(id);
  }
  ASSERT_EQ(shape->large.size(), large.size());
  for (std::size_t i = 0; i < large.size(); ++i) {
    EXPECT_EQ(shape->large[i].root, large[i]);
    EXPECT_EQ(shape->large[i].states, sizes[large[i]]);
  }

  std::vector<std::pair<std::uint64_t, StateId>> heavy;  // (size, id)
  for (std::size_t id = 0; id < n; ++id) {
    if (oracle.depths[id] == shape->heaviest_depth) heavy.emplace_back(sizes[id], id);
  }
  std::sort(heavy.begin(), heavy.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  ASSERT_EQ(shape->heaviest.size(), std::min(heavy.size(), shape_options.heaviest));
  for (std::size_t i = 0; i < shape->heaviest.size(); ++i) {
    EXPECT_EQ(shape->heaviest[i].root, heavy[i].second);
    EXPECT_EQ(shape->heaviest[i].states, heavy[i].first);
    EXPECT_EQ(shape->heaviest[i].event, oracle.backedges[heavy[i].second].second);
  }
}

TEST_P(AnalysisProperty, TheSurveyCountsWhatBruteForceCounts) {
  const auto found = survey(model, run.tree(), {.deadlocks = 3}, team, options(), monitor);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->transitions, oracle.transitions);
  EXPECT_EQ(found->deadlocks, oracle.deadlocks);
  std::map<Event, std::uint64_t> fired;
  std::vector<StateId> deadlocks;
  std::vector<std::uint64_t> by_level(oracle.level_sizes.size());
  for (StateId id = 0; id < oracle.states.size(); ++id) {
    for (const auto& edge : oracle.out[id]) ++fired[edge.first];
    by_level[oracle.depths[id]] += oracle.out[id].size();
    if (oracle.out[id].empty()) deadlocks.push_back(id);
  }
  EXPECT_EQ(found->fired, fired);
  for (std::size_t level = 0; level < by_level.size(); ++level) {
    EXPECT_EQ(found->levels[level].transitions, by_level[level]);
  }
  deadlocks.resize(std::min<std::size_t>(deadlocks.size(), 3));
  EXPECT_EQ(found->first_deadlocks, deadlocks);
}

TEST_P(AnalysisProperty, PathsLeadToTheirStates) {
  for (StateId id = 0; id < oracle.states.size(); id += 1 + id / 8) {
    const auto path = run.tree().path_to(id);
    ASSERT_TRUE(path);
    EXPECT_EQ(path->size(), oracle.depths[id]);
    std::vector<std::byte> state(model.width() + 64);
    model.initial(state.data());
    for (const Event event : *path) model.execute(state.data(), event);
    EXPECT_EQ(oracle.id_of(state.data()), id);
    const auto trace = stored_trace(model, run.tree(), id);
    ASSERT_TRUE(trace) << trace.error().what;
    EXPECT_EQ(trace->events, *path);
    EXPECT_EQ(oracle.id_of(trace->states.back().data()), id);
  }
}

// A path may be a path of the model and yet not lead to the state that the run keeps under the id.
TEST_P(AnalysisProperty, ATraceThatDoesNotEndInTheKeptStateIsRefused) {
  Oracle wrong = oracle;
  std::uint32_t widest = 0;
  for (std::uint32_t level = 1; level < run.tree().depth(); ++level) {
    if (run.tree().size(level) > run.tree().size(widest)) widest = level;
  }
  const StateId first = run.tree().first(widest);
  const StateId id = run.tree().end(widest) - 1;
  if (first == id) GTEST_SKIP() << "every level has one state, with nothing to be mistaken for";
  std::swap(wrong.states[first], wrong.states[id]);
  const StoredOracle wrong_run(wrong, model.width(), {.keep = [](std::uint32_t) { return true; }});
  const auto trace = stored_trace(model, wrong_run.tree(), id);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, Errc::kCorruption);
}

// The same model, and one with an edge less: the first level that differs, and a state of one that
// is not there in the other.
TEST_P(AnalysisProperty, ComparesRunsLevelByLevel) {
  const ComparedRun mine{&model, &run.tree()};
  StateStream::Options options = this->options();
  options.memory_bytes = std::max<std::uint64_t>(options.memory_bytes, 1 << 17);
  const auto same = find_difference(mine, mine, team, options, monitor);
  ASSERT_TRUE(same) << same.error().what;
  EXPECT_FALSE(same->level);

  RandomModel changed = model;
  for (std::uint64_t id = oracle.states.size() / 3; id < oracle.states.size(); id += 5) {
    const std::uint32_t vertex = model.decode(oracle.bytes(id));
    if (!model.edges(vertex).empty()) {
      changed.faults.insert({vertex, model.edges(vertex).front().first});
    }
  }
  const Oracle other(changed);
  const StoredOracle other_run(other, changed.width(), {});
  const auto difference =
      find_difference(mine, {&changed, &other_run.tree()}, team, options, monitor);
  ASSERT_TRUE(difference) << difference.error().what;
  std::optional<std::uint32_t> expected;
  const auto set_of = [](const Oracle& from, std::uint32_t level) {
    std::set<std::string> states;
    for (StateId id = 0; id < from.states.size(); ++id) {
      if (from.depths[id] == level) states.insert(from.states[id]);
    }
    return states;
  };
  for (std::uint32_t level = 0; !expected && level < oracle.level_sizes.size(); ++level) {
    if (set_of(oracle, level) != set_of(other, level)) expected = level;
  }
  EXPECT_EQ(difference->level, expected);
  if (!expected) return;
  EXPECT_FALSE(difference->examples.empty());
  for (const StateOfOne& example : difference->examples) {
    const Oracle& has = example.run == 0 ? oracle : other;
    const Oracle& lacks = example.run == 0 ? other : oracle;
    EXPECT_EQ(has.id_of(example.state.data()), example.id);
    EXPECT_EQ(example.depth, expected);
    const auto at = lacks.ids.find(has.states[example.id]);
    EXPECT_EQ(at == lacks.ids.end(), !example.elsewhere);
    if (at != lacks.ids.end()) {
      EXPECT_EQ(at->second, example.elsewhere);
      EXPECT_NE(lacks.depths[at->second], *expected);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnalysisProperty, ::testing::Range(0u, 20u));

TEST(Analysis, AnInterruptedQuerySaysOfHowManyStatesItTells) {
  const GridModel model(2, 200);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  Query query;
  query.predicates.push_back(std::make_shared<FunctionPredicate>(
      "true", [](const std::byte*) -> std::optional<std::int64_t> { return 1; }));
  ThreadTeam team(2);
  Monitor monitor;
  monitor.request_stop();
  const auto answer = ask(model, run.tree(), query, team, {}, monitor);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_TRUE(answer->interrupted);
  EXPECT_GT(answer->states, 0u);
  EXPECT_LT(answer->states, oracle.states.size());
  EXPECT_EQ(answer->predicates[0].satisfied, answer->states);
}

TEST(Analysis, AQueryWithTooManyValuesIsRefused) {
  const GridModel model(2, 40);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  Query query;
  query.max_values = 30;
  query.count_by.push_back(std::make_shared<FunctionPredicate>(
      "x", [](const std::byte* state) -> std::optional<std::int64_t> {
        return GridModel::counter(state, 0);
      }));
  ThreadTeam team(1);
  Monitor monitor;
  const auto answer = ask(model, run.tree(), query, team, {}, monitor);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kOutOfMemory);
}

TEST(Analysis, SubtreeSizesKeepToTheBudget) {
  const GridModel model(2, 60);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  Monitor monitor;
  const auto shape =
      measure_tree(run.tree(), {.memory_bytes = 100, .heaviest = 3, .depth = {}}, monitor);
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().code, Errc::kOutOfMemory);
}

}  // namespace
}  // namespace comback

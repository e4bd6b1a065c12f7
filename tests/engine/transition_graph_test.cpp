#include "engine/transition_graph.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/stored_oracle.h"

namespace comback {
namespace {

using test::Oracle;
using test::RandomModel;
using test::StoredOracle;

std::vector<GraphTransition> transitions_of(const Oracle& oracle, StateId expanded) {
  std::vector<GraphTransition> result;
  for (StateId id = 0; id < expanded; ++id) {
    for (const auto& [event, to] : oracle.out[id]) result.push_back({id, event, to});
  }
  return result;
}

std::vector<GraphTransition> all_of(const TransitionGraph& graph) {
  std::vector<GraphTransition> result;
  const Status status = graph.visit([&](std::span<const GraphTransition> some) -> Result<bool> {
    result.insert(result.end(), some.begin(), some.end());
    return true;
  });
  EXPECT_TRUE(status) << status.error().what;
  return result;
}

RandomModel model_of(unsigned seed) {
  return RandomModel(seed, {.vertices = 30 + 397 * seed,
                            .max_degree = 2 + seed % 5,
                            .width = 4 + seed % 30,
                            .local_share = seed % 3 == 0 ? 0.98 : 0.5});
}

class TransitionGraphProperty : public ::testing::TestWithParam<unsigned> {};

// Narrow hashes make nearly every transition lead to a hash that several states have.
TEST_P(TransitionGraphProperty, HasTheTransitionsOfBruteForceWhateverTheHashesAndTheMemory) {
  const unsigned seed = GetParam();
  const RandomModel model = model_of(seed);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  for (const unsigned hash_bits : {64u, 9u, 1u}) {
    for (const std::uint64_t memory : {std::uint64_t{2} << 20, std::uint64_t{256} << 20}) {
      SCOPED_TRACE(std::to_string(hash_bits) + " bits, " + std::to_string(memory) + " bytes");
      ThreadTeam team(1 + seed % 3);
      Monitor monitor;
      {
        TransitionGraph graph(model, run.tree(), team,
                              {.memory_bytes = memory,
                               .temporary_dir = run.dir() / "temp",
                               .expanded = {},
                               .hash_bits = hash_bits});
        const Status built = graph.build(monitor);
        ASSERT_TRUE(built) << built.error().what;
        EXPECT_EQ(graph.transitions(), oracle.transitions);
        EXPECT_EQ(all_of(graph), transitions_of(oracle, oracle.states.size()));
        if (hash_bits == 64) {
          EXPECT_EQ(graph.ambiguous(), 0u);
        } else if (hash_bits == 1 && oracle.states.size() > 4) {
          EXPECT_GT(graph.ambiguous(), 0u);
        }
      }
      EXPECT_FALSE(std::filesystem::exists(run.dir() / "temp"));
    }
  }
}

TEST_P(TransitionGraphProperty, LeavesOutWhatStatesThatAreNotExpandedLeadTo) {
  const RandomModel model = model_of(GetParam());
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  const StateId expanded = run.tree().first(run.tree().depth() / 2);
  ThreadTeam team(2);
  Monitor monitor;
  TransitionGraph graph(model, run.tree(), team,
                        {.temporary_dir = run.dir() / "temp", .expanded = expanded});
  ASSERT_TRUE(graph.build(monitor));
  EXPECT_EQ(all_of(graph), transitions_of(oracle, expanded));
}

INSTANTIATE_TEST_SUITE_P(Seeds, TransitionGraphProperty, ::testing::Range(0u, 12u));

TEST(TransitionGraph, SpillsWhatDoesNotFit) {
  const RandomModel model(3, {.vertices = 200000, .max_degree = 5, .width = 12});
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  ThreadTeam team(2);
  Monitor monitor;
  TransitionGraph graph(
      model, run.tree(), team,
      {.memory_bytes = std::uint64_t{6} << 20, .temporary_dir = run.dir() / "temp"});
  ASSERT_TRUE(graph.build(monitor));
  EXPECT_GT(graph.spilled_bytes(), 0u);
  EXPECT_EQ(all_of(graph), transitions_of(oracle, oracle.states.size()));
}

// A run that is not closed: the last level is missing, and the one before it is expanded.
TEST(TransitionGraph, SaysWhichSuccessorIsNotStored) {
  const RandomModel model = model_of(4);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  StoredTree tree = run.tree();
  tree.first_ids.pop_back();
  ThreadTeam team(1);
  Monitor monitor;
  TransitionGraph graph(model, tree, team, {.temporary_dir = run.dir() / "temp"});
  const Status built = graph.build(monitor);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, Errc::kCorruption);
  EXPECT_NE(built.error().what.find("is not among the run's states"), std::string::npos)
      << built.error().what;
}

TEST(TransitionGraph, StopsWhereItIsAskedTo) {
  const RandomModel model = model_of(5);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  ThreadTeam team(1);
  Monitor monitor;
  monitor.request_stop();
  TransitionGraph graph(model, run.tree(), team, {.temporary_dir = run.dir() / "temp"});
  ASSERT_TRUE(graph.build(monitor));
  EXPECT_TRUE(graph.stopped());
}

}  // namespace
}  // namespace comback

#include "engine/state_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/stored_oracle.h"

namespace comback {
namespace {

using test::GridModel;
using test::Oracle;
using test::RandomModel;
using test::StoredOracle;

// The states of a pass by id, each once; also checks that levels and batches are in order.
std::map<StateId, std::string> states_of(StateStream& stream, const StoredTree& tree) {
  std::map<StateId, std::string> found;
  std::mutex mutex;
  std::vector<StateId> firsts;
  StateId next_batch = 0;
  const auto visit = [&](unsigned, std::size_t task, const StateRows& rows) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(tree.level_of(rows.first_id), rows.level);
    EXPECT_LE(rows.first_id + rows.count, tree.end(rows.level));
    firsts.resize(std::max(firsts.size(), task + 1));
    firsts[task] = rows.first_id;
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto* bytes = reinterpret_cast<const char*>(rows.row(i));
      EXPECT_TRUE(found.emplace(rows.first_id + i, std::string(bytes, rows.width)).second);
    }
  };
  const auto after = [&](std::size_t tasks) -> Result<bool> {
    EXPECT_EQ(firsts.size(), tasks);
    for (const StateId first : firsts) {
      EXPECT_GE(first, next_batch);
      next_batch = first + 1;
    }
    firsts.clear();
    return true;
  };
  Monitor monitor;
  const Status status = stream.run(visit, after, monitor);
  EXPECT_TRUE(status) << status.error().what;
  return found;
}

class StateStreamProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(StateStreamProperty, GivesEveryStateOnceWhateverIsKeptAndWhateverMemoryThereIs) {
  const unsigned seed = GetParam();
  const RandomModel model(seed, {.vertices = 30 + 397 * seed,
                                 .max_degree = 2 + seed % 5,
                                 .width = 4 + seed % 30,
                                 .local_share = seed % 3 == 0 ? 0.98 : 0.5});
  const Oracle oracle(model);
  StoredOracle::Layout layout;
  const unsigned every = 1 + seed % 5;
  layout.keep = [=](std::uint32_t level) { return every < 5 && level % every == seed % every; };
  layout.block_ids = seed % 2 == 0 ? kMaxBackedges : 7 + seed;
  layout.block_states = 1 + seed * 3;
  const StoredOracle run(oracle, model.width(), layout);
  using Kept = StateStream::Options::Kept;
  for (const Kept kept : {Kept::kAuto, Kept::kRead, Kept::kIgnore}) {
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{64} << 20}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(kept)) + ", " + std::to_string(memory));
      ThreadTeam team(1 + seed % 3);
      StateStream stream(
          model, run.tree(), team,
          {.memory_bytes = memory, .temporary_dir = run.dir() / "temp", .kept = kept});
      const auto found = states_of(stream, run.tree());
      ASSERT_EQ(found.size(), oracle.states.size());
      for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
        ASSERT_EQ(found.at(id), oracle.states[id]) << "state " << id;
      }
      // One event for each state that was not read.
      EXPECT_EQ(stream.events() + stream.states_read() + 1, oracle.states.size());
      EXPECT_TRUE(kept != Kept::kIgnore || stream.states_read() == 0u);
      EXPECT_TRUE(memory == 0 || stream.spilled() == 0u);
    }
    EXPECT_FALSE(std::filesystem::exists(run.dir() / "temp"));
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, StateStreamProperty, ::testing::Range(0u, 24u));

// Levels of more states than a batch has.
TEST(StateStream, WideLevelsAreSpilledAndReadBack) {
  const GridModel model(3, 90);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{256} << 20}) {
    ThreadTeam team(3);
    StateStream stream(model, run.tree(), team,
                       {.memory_bytes = memory, .temporary_dir = run.dir() / "temp"});
    const auto found = states_of(stream, run.tree());
    ASSERT_EQ(found.size(), oracle.states.size());
    for (const auto& [id, state] : found) ASSERT_EQ(state, oracle.states[id]);
    EXPECT_EQ(stream.spilled() > 0, memory == 0);
  }
}

TEST(StateStream, VisitsARangeOfLevels) {
  const GridModel model(2, 40);
  const Oracle oracle(model);
  StoredOracle::Layout layout;
  layout.keep = [](std::uint32_t level) { return level % 4 == 0; };
  const StoredOracle run(oracle, model.width(), layout);
  ASSERT_GT(run.tree().depth(), 12u);
  for (const std::uint32_t from : {0u, 1u, 7u, 8u}) {
    ThreadTeam team(2);
    StateStream stream(model, run.tree(), team, {.from_level = from, .end_level = from + 3});
    const auto found = states_of(stream, run.tree());
    EXPECT_EQ(found.size(), run.tree().first(from + 3) - run.tree().first(from));
    for (const auto& [id, state] : found) EXPECT_EQ(state, oracle.states[id]);
  }
}

TEST(StateStream, EndsWhenItIsToldTo) {
  const GridModel model(2, 100);
  const Oracle oracle(model);
  const StoredOracle run(oracle, model.width(), {});
  ThreadTeam team(2);
  Monitor monitor;
  StateId last = 0;
  StateStream stream(model, run.tree(), team, {});
  const Status status =
      stream.run([&](unsigned, std::size_t, const StateRows& rows) { last = rows.first_id; },
                 [&](std::size_t) -> Result<bool> { return last < 1000; }, monitor);
  EXPECT_TRUE(status);
  EXPECT_FALSE(stream.stopped());
  EXPECT_GE(last, 1000u);
  EXPECT_LT(last, 2000u);

  monitor.request_stop();
  StateStream stopped(model, run.tree(), team, {});
  EXPECT_TRUE(stopped.run([](unsigned, std::size_t, const StateRows&) {},
                          [](std::size_t) -> Result<bool> { return true; }, monitor));
  EXPECT_TRUE(stopped.stopped());
}

}  // namespace
}  // namespace comback

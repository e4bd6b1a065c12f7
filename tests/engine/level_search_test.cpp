#include "engine/level_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/tree_digest.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::GridModel;
using test::Oracle;
using test::RandomModel;
using test::TempDir;

std::uint64_t digest_of(const Oracle& oracle) {
  TreeDigest digest;
  for (const auto& [predecessor, event] : oracle.backedges) digest.add(predecessor, event);
  return digest.value();
}

void expect_agreement(const Summary& summary, const Oracle& oracle) {
  EXPECT_EQ(summary.verdict, Verdict::kComplete);
  EXPECT_EQ(summary.states, oracle.states.size());
  EXPECT_EQ(summary.transitions, oracle.transitions);
  EXPECT_EQ(summary.deadlocks, oracle.deadlocks);
  EXPECT_EQ(summary.level_sizes, oracle.level_sizes);
  EXPECT_EQ(summary.tree_digest, digest_of(oracle));
}

Summary explore_or_die(const Model& model, const SearchOptions& options) {
  Monitor monitor;
  auto summary = explore_by_levels(model, options, monitor);
  if (!summary) {
    ADD_FAILURE() << summary.error().what;
    return {};
  }
  return *summary;
}

class LevelSearchProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  RandomModel model() const {
    const unsigned seed = GetParam();
    return RandomModel(
        seed, {.vertices = 50 + 337 * seed, .max_degree = 2 + seed % 7, .width = 4 + seed % 30});
  }
};

TEST_P(LevelSearchProperty, NumbersStatesAsBruteForceDoesWithAnyNumberOfThreads) {
  const RandomModel model = this->model();
  const Oracle oracle(model);
  for (const unsigned threads : {1u, 2u, 5u}) {
    SCOPED_TRACE(threads);
    SearchOptions options;
    options.levels.threads = threads;
    expect_agreement(explore_or_die(model, options), oracle);
  }
}

SearchOptions on_disk(const TempDir& dir, const char* keep, unsigned hash_bits, unsigned threads) {
  SearchOptions options;
  options.memory_bytes = 40 << 20;
  options.levels.tables = LevelOptions::Tables::kDisk;
  options.levels.run_dir = dir / "run";
  options.levels.keep_levels = *KeepLevels::parse(keep);
  options.levels.hash_bits = hash_bits;
  options.levels.threads = threads;
  return options;
}

// With 8 bits everything collides.
TEST_P(LevelSearchProperty, NumbersStatesAsBruteForceDoesWithItsTablesOnDisk) {
  const RandomModel model = this->model();
  const Oracle oracle(model);
  constexpr std::array kKeep{"all", "every:3", "last:2", "none", "auto"};
  constexpr std::array kBits{8u, 12u, 16u, 36u, 64u};
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned choice = GetParam() * 3 + i;
    const char* const keep = kKeep[choice % kKeep.size()];
    const unsigned bits = kBits[choice / 2 % kBits.size()];
    SCOPED_TRACE(std::string(keep) + ", " + std::to_string(bits) + " bits");
    const TempDir dir;
    expect_agreement(explore_or_die(model, on_disk(dir, keep, bits, 1 + choice % 3)), oracle);
  }
}

// A search ends at the same state with the same counts wherever its tables are, and as the plain
// breadth-first search does.
TEST_P(LevelSearchProperty, StopsWhereThePlainSearchStops) {
  RandomModel model = this->model();
  const Oracle oracle(model);
  const std::uint64_t states = oracle.states.size();
  const unsigned what = GetParam() % 5;
  SearchOptions plain;
  if (what == 0) plain.max_states = std::max<std::uint64_t>(1, states * 2 / 3);
  if (what == 1) plain.max_depth = oracle.level_sizes.size() / 2;
  if (what == 2) plain.deadlock_is_violation = true;
  if (what == 3) model.failing.insert(model.decode(oracle.bytes(states * 3 / 4)));
  if (what == 4) {
    const std::uint64_t id = states / 2;
    const auto& edges = model.edges(model.decode(oracle.bytes(id)));
    if (!edges.empty()) model.faults.insert({model.decode(oracle.bytes(id)), edges[0].first});
  }
  const TempDir dir;
  SearchOptions levels = plain;
  levels.visited = VisitedMode::kLevels;
  levels.levels.threads = 2;
  SearchOptions disk = on_disk(dir, "every:2", 16, 2);
  disk.visited = VisitedMode::kLevels;
  disk.max_states = plain.max_states;
  disk.max_depth = plain.max_depth;
  disk.deadlock_is_violation = plain.deadlock_is_violation;

  Monitor monitor;
  const auto expected = explore(model, plain, monitor);
  ASSERT_TRUE(expected) << expected.error().what;
  for (const SearchOptions& options : {levels, disk}) {
    const auto summary = explore(model, options, monitor);
    ASSERT_TRUE(summary) << summary.error().what;
    EXPECT_EQ(summary->verdict, expected->verdict);
    EXPECT_EQ(summary->stop_reason, expected->stop_reason);
    EXPECT_EQ(summary->states, expected->states);
    EXPECT_EQ(summary->transitions, expected->transitions);
    EXPECT_EQ(summary->deadlocks, expected->deadlocks);
    EXPECT_EQ(summary->level_sizes, expected->level_sizes);
    ASSERT_EQ(summary->violations.size(), expected->violations.size());
    for (std::size_t i = 0; i < summary->violations.size(); ++i) {
      EXPECT_EQ(summary->violations[i].state, expected->violations[i].state);
      EXPECT_EQ(summary->violations[i].what, expected->violations[i].what);
      EXPECT_EQ(summary->violations[i].trace.events.size(), expected->violations[i].depth);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, LevelSearchProperty, ::testing::Range(0u, 30u));

// Small budgets make the search move in the middle of a level, spill candidates, commit and read
// levels back; nothing of that shows in what it finds.
TEST(LevelSearch, FindsTheSameWithEveryBudgetReaderAndKeepingOfLevels) {
  const GridModel model(9, 4, 150);
  SearchOptions in_memory;
  in_memory.memory_bytes = 1 << 30;
  const Summary expected = explore_or_die(model, in_memory);
  ASSERT_EQ(expected.states, 262'144u);
  ASSERT_EQ(expected.disk_bytes, 0u);
  struct Choice {
    unsigned megabytes;
    LevelOptions::Tables tables;
    const char* keep;
    IoKind io;
  };
  using enum LevelOptions::Tables;
  for (const Choice& choice :
       {Choice{40, kAuto, "all", IoKind::kAuto}, Choice{44, kAuto, "every:4", IoKind::kPread},
        Choice{40, kDisk, "none", IoKind::kPread}, Choice{56, kDisk, "last:3", IoKind::kAuto}}) {
    SCOPED_TRACE(std::to_string(choice.megabytes) + " MiB, " + choice.keep);
    const TempDir dir;
    SearchOptions options = on_disk(dir, choice.keep, 30, 2);
    options.memory_bytes = std::uint64_t{choice.megabytes} << 20;
    options.levels.tables = choice.tables;
    options.levels.io = choice.io;
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.states, expected.states);
    EXPECT_EQ(summary.transitions, expected.transitions);
    EXPECT_EQ(summary.level_sizes, expected.level_sizes);
    EXPECT_EQ(summary.tree_digest, expected.tree_digest);
    EXPECT_GT(summary.disk_bytes, 0u);
    if (choice.megabytes == 40) {
      EXPECT_GT(summary.spilled_bytes, 0u);
    }
  }
}

TEST(LevelSearch, RefusesABudgetThatIsTooSmallAndSaysHowMuchItNeeds) {
  const GridModel model(3, 5);
  SearchOptions options;
  options.memory_bytes = 1 << 20;
  Monitor monitor;
  const auto summary = explore_by_levels(model, options, monitor);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, Errc::kInvalidArgument);
  EXPECT_NE(summary.error().what.find("at least"), std::string::npos);
}

}  // namespace
}  // namespace comback

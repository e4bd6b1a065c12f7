#include "engine/stored_run.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/level_search.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::Oracle;
using test::RandomModel;
using test::TempDir;

SearchOptions kept_in(const TempDir& dir, LevelOptions::Tables tables) {
  SearchOptions options;
  options.memory_bytes = 40 << 20;
  options.levels.tables = tables;
  options.levels.run_dir = dir / "run";
  options.levels.write_run = true;
  return options;
}

class StoredRunOf : public ::testing::TestWithParam<LevelOptions::Tables> {};

TEST_P(StoredRunOf, HasTheTreeAndTheCountsOfItsSearch) {
  const RandomModel model(5, {.vertices = 3000, .max_degree = 2, .width = 11});
  const Oracle oracle(model);
  const TempDir dir;
  Monitor monitor;
  const auto summary = explore_by_levels(model, kept_in(dir, GetParam()), monitor);
  ASSERT_TRUE(summary) << summary.error().what;

  MemoryBudget budget;
  const auto run = StoredRun::open(dir / "run", {.width = model.width()}, budget);
  ASSERT_TRUE(run) << run.error().what;
  const RunRecord& record = (*run)->record();
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.summary.verdict, Verdict::kComplete);
  EXPECT_EQ(record.summary.states, oracle.states.size());
  EXPECT_EQ(record.summary.transitions, oracle.transitions);
  EXPECT_EQ(record.summary.level_sizes, oracle.level_sizes);
  EXPECT_EQ(record.summary.tree_digest, summary->tree_digest);
  EXPECT_EQ(record.summary.deadlocks, oracle.deadlocks);
  std::uint64_t first_deadlock = 0;
  while (!oracle.out[first_deadlock].empty()) ++first_deadlock;
  ASSERT_GT(oracle.deadlocks, 0u);
  EXPECT_EQ(record.first_deadlock, first_deadlock);

  const StoredTree& tree = (*run)->tree();
  ASSERT_EQ(tree.states(), oracle.states.size());
  DiskBackedges::Reader reader(*tree.backedges);
  for (StateId id = 0; id < tree.states(); ++id) {
    const auto edge = reader.find(id);
    ASSERT_TRUE(edge) << edge.error().what;
    EXPECT_EQ(edge->predecessor, oracle.backedges[id].first) << id;
    EXPECT_EQ(edge->event, oracle.backedges[id].second) << id;
  }
}
INSTANTIATE_TEST_SUITE_P(Tables, StoredRunOf,
                         ::testing::Values(LevelOptions::Tables::kAuto,
                                           LevelOptions::Tables::kDisk));

TEST(StoredRun, IsNoneWhereNothingWasCommitted) {
  const TempDir dir;
  MemoryBudget budget;
  const auto run = StoredRun::open(dir.path(), {.width = 4}, budget);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::kNotFound);
}

RunRecord example() {
  RunRecord record;
  record.summary.states = 6;
  record.summary.level_sizes = {1, 2, 3};
  record.summary.transitions = 17;
  record.summary.deadlocks = 2;
  record.summary.tree_digest = 0x0123456789abcdef;
  record.summary.stop_reason = StopReason::kTimeLimit;
  record.summary.violations.push_back({.kind = Verdict::kError,
                                       .what = "division by \"zero\"",
                                       .state = 4,
                                       .depth = 2,
                                       .event = Event{3},
                                       .trace = {}});
  record.first_deadlock = 5;
  record.level = 1;
  record.expanded = 2;
  record.counts.transitions = 11;
  record.counts.violations = record.summary.violations;
  record.on_disk = true;
  record.levels.first_ids = {0, 1, 3};
  record.levels.files = {{"segment-000000", 4711}};
  return record;
}

TEST(RunRecord, IsReadAsItWasWritten) {
  const std::string text = example().encode();
  const auto read = RunRecord::decode(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->encode(), text);
  EXPECT_EQ(read->summary.violations.at(0).event, Event{3});
  EXPECT_EQ(read->levels.files.at(0).bytes, 4711u);
}

TEST(RunRecord, IsRefusedWhereItContradictsItself) {
  const auto refused = [](const auto& change, const std::string& member) {
    RunRecord record = example();
    change(record);
    const auto read = RunRecord::decode(record.encode());
    ASSERT_FALSE(read) << member;
    EXPECT_NE(read.error().what.find(member), std::string::npos) << read.error().what;
  };
  refused([](RunRecord& r) { r.summary.states = 7; }, "states");
  refused([](RunRecord& r) { r.summary.level_sizes = {1, 0, 5}; }, "level_sizes");
  refused([](RunRecord& r) { r.summary.violations[0].state = 6; }, "violations");
  refused([](RunRecord& r) { r.first_deadlock = 6; }, "first_deadlock");
  refused([](RunRecord& r) { r.level = 4; }, "level");
  refused([](RunRecord& r) { r.level = 0; }, "level");
  refused([](RunRecord& r) { r.expanded = 4; }, "expanded");
  refused([](RunRecord& r) { r.levels.files[0].name = "../../etc/passwd"; }, "name");
}

// Cut anywhere or with any byte changed it is an error, or a record that does not contradict
// itself.
TEST(RunRecord, IsNotBelieved) {
  const std::string text = example().encode();
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(RunRecord::decode(std::string_view(text).substr(0, i))) << i;
    for (const char c : {'0', '9', '"', '}', '-', '\0'}) {
      std::string changed = text;
      changed[i] = c;
      if (const auto read = RunRecord::decode(changed)) {
        EXPECT_EQ(read->first_ids().back(), read->summary.states);
      }
    }
  }
}

}  // namespace
}  // namespace comback

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "storage/commit.h"
#include "storage/disk_backedges.h"
#include "storage/disk_state_table.h"
#include "storage/hash.h"
#include "storage/level_block.h"
#include "storage/level_store.h"
#include "storage/run_database.h"
#include "tests/support/oracle.h"
#include "tests/support/temp_dir.h"

namespace comback::test {

// What a brute-force search found, stored as a run stores it.
class StoredOracle {
 public:
  struct Layout {
    std::function<bool(std::uint32_t)> keep = [](std::uint32_t) { return false; };
    std::size_t block_ids = kMaxBackedges;
    std::size_t block_states = 64;  // of a level block
    unsigned hash_bits = 64;        // of the state table
    // What is stored instead, for tests of damage that checksums do not show.
    std::function<void(std::vector<Backedge>&)> alter_backedges = [](auto&) {};
    std::function<void(std::vector<StateEntry>&)> alter_entries = [](auto&) {};
    std::function<void(std::uint64_t id, std::string& descriptor)> alter_kept = [](auto, auto&) {};
  };

  StoredOracle(const Oracle& oracle, std::size_t width, const Layout& layout) {
    auto database = RunDatabase::open(dir_ / "db", {}, budget_);
    EXPECT_TRUE(database) << database.error().what;
    database_ = std::move(*database);
    auto table = DiskBackedges::open(*database_, {.block_ids = layout.block_ids}, budget_);
    EXPECT_TRUE(table) << table.error().what;
    backedges_ = std::move(*table);
    std::vector<Backedge> edges;
    for (const auto& [predecessor, event] : oracle.backedges) edges.push_back({predecessor, event});
    layout.alter_backedges(edges);
    ThreadTeam team(1);
    EXPECT_TRUE(backedges_->append(edges, team.for_tables()));
    auto states = DiskStateTable::open(*database_, {.hash_bits = layout.hash_bits}, budget_);
    EXPECT_TRUE(states) << states.error().what;
    states_ = std::move(*states);
    std::vector<StateEntry> entries;
    for (std::uint64_t i = 0; i < oracle.states.size(); ++i) {
      entries.push_back({hash_bytes(oracle.bytes(i), width), i});
    }
    layout.alter_entries(entries);
    std::sort(entries.begin(), entries.end(), [](const StateEntry& a, const StateEntry& b) {
      return std::pair(a.hash, a.id) < std::pair(b.hash, b.id);
    });
    EXPECT_TRUE(states_->insert(entries, team.for_tables()));
    Commit commit(*database_);
    EXPECT_TRUE(states_->stage(commit, team.for_tables()));
    EXPECT_TRUE(backedges_->stage(commit));
    EXPECT_TRUE(commit.finish());

    auto store = LevelStore::create(dir_ / "levels", width, {});
    EXPECT_TRUE(store) << store.error().what;
    levels_ = std::make_unique<LevelStore>(std::move(*store));
    tree_.first_ids.push_back(0);
    LevelBlockEncoder encoder;
    std::uint64_t id = 0;
    for (std::uint32_t level = 0; level < oracle.level_sizes.size(); ++level) {
      const std::uint64_t end = id + oracle.level_sizes[level];
      const bool keep = layout.keep(level);
      EXPECT_TRUE(levels_->begin_level(keep));
      while (id < end) {
        const std::uint64_t to = std::min<std::uint64_t>(end, id + layout.block_states);
        std::string rows;
        for (std::uint64_t i = id; i < to; ++i) {
          std::string descriptor = oracle.states[i];
          layout.alter_kept(i, descriptor);
          rows += descriptor;
        }
        rows.append(64, '\0');
        const auto block =
            encoder.encode(reinterpret_cast<const std::byte*>(rows.data()), to - id, width);
        EXPECT_TRUE(levels_->append_block(block, static_cast<std::uint32_t>(to - id)));
        id = to;
      }
      EXPECT_TRUE(levels_->end_level());
      if (!keep) {
        EXPECT_TRUE(levels_->drop_level(level));
      }
      tree_.first_ids.push_back(end);
    }
    tree_.backedges = backedges_.get();
    tree_.levels = levels_.get();
  }

  const StoredTree& tree() const { return tree_; }
  const RunDatabase& database() const { return *database_; }
  const DiskStateTable& states() const { return *states_; }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
  MemoryBudget budget_;
  std::unique_ptr<RunDatabase> database_;
  std::unique_ptr<DiskBackedges> backedges_;
  std::unique_ptr<DiskStateTable> states_;
  std::unique_ptr<LevelStore> levels_;
  StoredTree tree_;
};

}  // namespace comback::test

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "engine/duplicate_detection.h"
#include "engine/frontier.h"
#include "engine/level_writer.h"
#include "engine/run_record.h"
#include "engine/search.h"
#include "engine/state_archive.h"
#include "engine/thread_team.h"
#include "storage/budget_charge.h"
#include "storage/disk_backedges.h"
#include "storage/disk_state_table.h"
#include "storage/level_store.h"
#include "storage/run_database.h"

namespace comback {

// How the memory budget of a search with its tables on disk is shared out.
struct MemoryPlan {
  explicit MemoryPlan(std::uint64_t budget_bytes);
  std::uint64_t window_bytes;       // the newest descriptors
  std::uint64_t recent_bytes;       // their index
  std::uint64_t candidate_bytes;    // deduplicated in memory before they are sorted
  std::uint64_t detection_bytes;    // the sorts
  std::uint64_t filter_bytes;       // in front of the state table
  std::uint64_t delta_bytes;        // of the state table and the backedges, not yet committed
  std::uint64_t block_cache_bytes;  // of RocksDB
  std::uint64_t level_cache_bytes;  // compressed descriptors, where no levels are kept on disk
};

// The tables of a search on disk, and what works on them.
class DiskPart {
 public:
  // Makes one in options.run_dir: with the states of `from`, as that checkpoint left them, or an
  // empty one where it is null. Backedges that are in the database stay. The archive is on disk
  // from then on. REQUIRES: all but `from` outlive it.
  static Result<std::unique_ptr<DiskPart>> open(const Model& model, const SearchOptions& options,
                                                StateArchive& archive, ThreadTeam& team,
                                                MemoryBudget& budget, const RunRecord* from);

  const MemoryPlan& plan() const { return plan_; }
  // Of the newest descriptors: the plan's share, and what others have left of theirs.
  std::uint64_t window_bytes() const { return window_bytes_; }
  // Sizes the window for the next level by what the one that ended has used. `log`: the window.
  void share_out(const DescriptorLog& log, MemoryBudget& budget);
  // Takes from the window, before duplicates are detected, what the sorts may need and nobody has
  // left, as where a level is larger than the one before.
  void make_room_to_sort(const MemoryBudget& budget);
  // For those who find the budget used up after a commit: less for the window, and what libraries
  // hold is not counted, until the next share_out(). False where nothing is left to give.
  bool give_way();
  LevelStore& levels() { return *levels_; }
  LevelWriter& writer() { return *writer_; }
  Frontier& frontier() { return *frontier_; }
  DuplicateDetection& detection() { return *detection_; }
  const DiskBackedges& backedges() const { return *backedges_; }
  const DiskStateTable& table() const { return *table_; }

  // Adds new states to the state table. `entries` is sorted by hash.
  Status insert(std::span<const StateEntry> entries);
  // Moves what is in memory only, of state table and backedges, into the database, together with
  // the run's record: that is a checkpoint.
  // `in_level`: candidates hold the memory that a larger filter would take.
  Status commit(bool in_level = false);
  // Asked for the record at every commit from now on; without it commits have none.
  void set_recorder(std::function<RunRecord()> recorder) { recorder_ = std::move(recorder); }
  // Commits say of the levels from now on what they would say at this moment. Levels may be added
  // but none is dropped.
  Status freeze_levels();
  // Also what a new table has got so far.
  Status make_filter() {
    filter_made_for_ = std::max<std::uint64_t>(table_->committed(), 1 << 16);
    return table_->resize_filter(plan_.filter_bytes, team_->for_tables());
  }
  // Makes what is in the database as small as it gets.
  Status compact() { return database_->compact(true); }
  // What may have to be written before anything can be deleted: what is in memory only, and a
  // compaction of the state table, which takes its size once more.
  std::uint64_t bytes_wanted() const {
    return table_->delta().bytes() + backedges_->uncommitted_bytes() + table_->file_bytes();
  }
  Summary::DiskParts parts() const {
    return {table_->file_bytes(), backedges_->file_bytes(), levels_->bytes()};
  }

 private:
  DiskPart(const SearchOptions& options, ThreadTeam& team);
  Status open_levels(const Model& model, MemoryBudget& budget, const RunRecord* from);
  std::uint64_t measure_overhead() const;

  MemoryPlan plan_;
  std::filesystem::path dir_;
  ThreadTeam* team_;
  std::unique_ptr<RunDatabase> database_;
  std::unique_ptr<DiskStateTable> table_;
  std::unique_ptr<DiskBackedges> backedges_;
  std::unique_ptr<LevelStore> levels_;
  std::optional<LevelWriter> writer_;
  std::optional<Frontier> frontier_;
  std::unique_ptr<DuplicateDetection> detection_;
  std::uint64_t window_bytes_ = plan_.window_bytes;
  // What libraries and buffers hold beside the tables, as measured at the last commit, and as far
  // as it is counted in the budget.
  std::uint64_t overhead_bytes_ = 0;
  std::optional<BudgetCharge> overhead_;
  std::uint64_t filter_made_for_ = 0;  // committed states then
  std::function<RunRecord()> recorder_;
  std::optional<LevelStore::Contents> frozen_;
};

}  // namespace comback

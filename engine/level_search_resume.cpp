#include <fmt/format.h>

#include "engine/level_search_parts.h"
#include "engine/restore.h"
#include "engine/stored_run.h"

namespace comback {

Result<bool> LevelSearch::resume() {
  MemoryBudget budget;  // what is kept free for the move to disk
  auto run = StoredRun::open(options_.levels.run_dir,
                             {.width = width_,
                              .block_cache_bytes = RunDatabase::kLeastBlockCacheBytes,
                              .backedge_cache_bytes = std::uint64_t{2} << 20},
                             budget);
  if (!run) {
    if (run.error().code == Errc::kNotFound) return false;
    return run.error();
  }
  const RunRecord record = (*run)->record();
  if (Status status = check_digest(**run); !status) return status.error();
  if (Status status = restore(record, (*run)->tree()); !status) return status.error();
  if (finished_) return true;
  if (record.on_disk || options_.levels.tables == LevelOptions::Tables::kDisk) {
    run->reset();
    if (Status status = resume_on_disk(record); !status) return status.error();
    return true;
  }
  if (Status status = number_initial(); !status) return status.error();
  const Result<bool> replayed =
      replay_into_memory(model_, (*run)->tree(), numbering_, archive_, control_);
  if (!replayed) return replayed.error();
  if (!*replayed) {
    if (options_.levels.tables == LevelOptions::Tables::kMemory) {
      stop_ = StopReason::kMemory;
      return true;
    }
    // All over again, on disk.
    run->reset();
    archive_.forget();
    if (Status status = resume_on_disk(record); !status) return status.error();
    return true;
  }
  if (archive_.levels() == record.level + 1) archive_.begin_level(level_end_);
  return true;
}

// Everything but the states.
Status LevelSearch::restore(const RunRecord& record, const StoredTree& tree) {
  earlier_ = record.summary;
  earlier_.wraps = record.counts.wraps;
  control_.add_earlier(record.summary.seconds);
  kept_.restore(record.summary.keep_levels);
  if (record.finished) {
    finished_ = true;
    summary_ = record.summary;
    first_deadlock_ = record.first_deadlock;
    return restore_traces(model_, tree, summary_.violations);
  }
  summary_.transitions = record.counts.transitions;
  summary_.deadlocks = record.counts.deadlocks;
  summary_.invariant_violations = record.counts.invariant_violations;
  summary_.assertion_violations = record.counts.assertion_violations;
  summary_.violations = record.counts.violations;
  if (Status status = restore_traces(model_, tree, summary_.violations); !status) return status;
  first_deadlock_ = record.counts.first_deadlock;
  transitions_before_level_ = record.transitions_before_level;
  deadlocks_before_level_ = record.deadlocks_before_level;
  level_first_ = tree.first(record.level);
  level_end_ = tree.end(record.level);
  summary_.level_sizes = record.summary.level_sizes;
  summary_.level_sizes.resize(record.level + 1);
  numbering_.begin_level(level_first_);
  inspected_ = record.expanded;
  set_resume_point(record.expanded);
  return Done{};
}

Status LevelSearch::resume_on_disk(const RunRecord& record) {
  recent_.forget();
  budget_.give(ballast_);
  StoredTree tree;
  tree.first_ids = record.first_ids();
  for (std::uint32_t level = 0; level <= record.level + 1; ++level) {
    archive_.begin_level(tree.first_ids[level]);
  }
  log().start_at(record.summary.states);
  numbering_.restore_digest(record.summary.tree_digest.value_or(0));
  auto part = DiskPart::open(model_, options_, archive_, team_, budget_,
                             record.on_disk ? &record : nullptr);
  if (!part) return part.error();
  disk_ = std::move(*part);
  tree.backedges = &disk_->backedges();
  if (tree.backedges->size() != record.summary.states) {
    return Error{Errc::kCorruption, fmt::format("the run has {} states, and its backedge table {}",
                                                record.summary.states, tree.backedges->size())};
  }

  OntoDisk what;
  what.ended = record.level + 1;
  what.into_table = !record.on_disk;
  what.temporary_dir = options_.levels.run_dir / "spill" / "levels";
  if (record.on_disk) {
    const LevelStore& levels = disk_->levels();
    if (levels.levels() != what.ended || levels.next_id() != level_end_ ||
        !levels.held(record.level)) {
      return Error{Errc::kCorruption, "the run's levels on disk are not those of its record"};
    }
    tree.levels = &levels;
    what.from_level = what.ended;
  } else {
    // Until all of it is on disk the run is what it was.
    disk_->set_recorder([record] { return record; });
  }
  in_level_ = record.summary.states > level_end_;
  if (in_level_ || !record.on_disk) {
    const Result<bool> replayed =
        replay_onto_disk(model_, tree, what, kept_, team_, *disk_, options_.levels.io, monitor_);
    if (!replayed) return replayed.error();
    if (!*replayed) {
      stop_ = StopReason::kInterrupted;
      return Done{};
    }
  }
  if (!recent_.become_cache(disk_->plan().recent_bytes)) return too_small_for_disk();
  stored_on_disk_ = true;
  disk_->set_recorder([this] { return this->record(); });
  return disk_->make_filter();
}

}  // namespace comback

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/disk_part.h"
#include "engine/disk_watch.h"
#include "engine/expansion.h"
#include "engine/findings.h"
#include "engine/kept_levels.h"
#include "engine/level_candidates.h"
#include "engine/numbering.h"
#include "engine/recent_states.h"
#include "engine/run_record.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/state_archive.h"
#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "storage/memory_budget.h"

namespace comback {

// The states of a level are expanded in batches by rising id; what the recent states do not know
// becomes a candidate.
//
// While all states are in memory the recent states are exact: candidates are new, and numbered
// after each batch. When memory is short the search moves to disk, once, between two batches. From
// then on candidates are gathered until the end of the level and decided about by
// DuplicateDetection.
//
// Either way new states are numbered in the order (level, predecessor, event): batches are in the
// order of predecessors, and within a batch or level they are sorted.
//
// A search that keeps its run makes checkpoints. Each says where to go on: at the resume point, the
// last state below which everything is expanded and what it led to is numbered. States that are
// numbered beyond that are known, and are not numbered again when their predecessors are expanded
// once more: numbers do not depend on where a search was stopped.
class LevelSearch {
 public:
  LevelSearch(const Model& model, const SearchOptions& options, Monitor& monitor);
  Result<Summary> run();

 private:
  static constexpr std::uint64_t kBatchBytes = std::uint64_t{512} << 10;
  // Successors: with fewer, one thread is done before others wake.
  static constexpr std::uint64_t kFewForAll = 2048;

  // --- the course of the search: level_search.cpp ---
  std::uint64_t min_bytes() const;
  bool open();
  Status start();
  Status number_initial();
  void begin_level();
  Status search();
  Status finish_at_limit();
  DescriptorLog& log() { return archive_.log(); }
  std::uint64_t states() const { return archive_.size(); }
  std::uint64_t depth() const { return summary_.level_sizes.size() - 1; }
  std::uint64_t batch_states() const;
  // Makes the descriptors from `first` on available, up to `end` at the most; returns the id behind
  // the last one.
  Result<StateId> load(StateId first, StateId end) {
    return disk_ ? disk_->frontier().load(first, end) : Result<StateId>(end);
  }
  // REQUIRES: load() made it available.
  const std::byte* row(StateId id) { return disk_ ? disk_->frontier().row(id) : log().get(id); }
  Result<StateId> expand_batch(StateId first);
  Status expand(StateId first, StateId& end);
  void count_expanded();
  bool inspect(const Expansion::Suspect& suspect);
  Status gather_candidates();
  std::uint64_t candidate_bytes() const;
  Status relieve_memory();
  Status move_to_disk();
  Status finish_level_on_disk();
  std::uint64_t memory_used() const { return budget_.used() - (disk_ ? 0 : ballast_); }
  StopReason poll(const char* phase, StateId done);
  bool disk_suffices(std::uint64_t more);
  Status check_unexpanded(StateId from);
  Result<Trace> trace_to(StateId id, const std::byte* state);
  Error too_small_for_disk() const;
  Status conclude();

  // --- checkpoints: level_search_checkpoint.cpp ---
  bool keeps_run() const { return options_.levels.write_run; }
  void set_resume_point(StateId id);
  SearchCounts counts();
  Status checkpoint_if_due();
  // What is stored by now is lost no more.
  Status checkpoint();
  // What a checkpoint says at this moment.
  RunRecord record();
  // The summary as it is now, but for traces.
  Summary so_far();
  void complete_summary(Summary& summary) const;

  // --- going on with a run: level_search_resume.cpp ---
  // False where there is no checkpoint to go on from.
  Result<bool> resume();
  Status restore(const RunRecord& record, const StoredTree& tree);
  Status resume_on_disk(const RunRecord& record);

  const Model& model_;
  const SearchOptions& options_;
  MemoryBudget budget_;
  std::uint64_t ballast_ = 0;
  Summary summary_;
  Findings findings_;
  SearchControl control_;
  Monitor& monitor_;
  std::size_t width_;
  ThreadTeam team_;
  Expansion expansion_;
  StateArchive archive_;
  RecentStates recent_;
  KeptLevels kept_;
  std::vector<LevelCandidates> candidates_;  // by partition
  Numbering numbering_;

  std::unique_ptr<DiskPart> disk_;  // once the search has moved there
  bool in_level_ = false;           // the level store is in the next level

  StateId level_first_ = 0;
  StateId level_end_ = 0;
  StateId inspected_ = 0;  // states below it have been checked for violations
  std::uint64_t transitions_before_level_ = 0;
  std::uint64_t deadlocks_before_level_ = 0;
  std::optional<StateId> first_deadlock_;
  StopReason stop_ = StopReason::kNone;
  bool ended_ = false;     // at a violation
  bool finished_ = false;  // nothing is left to explore

  DiskWatch watch_;
  Summary earlier_;  // of earlier sessions: what is added up
  StateId resume_at_ = 0;
  SearchCounts resume_counts_;
  bool stored_on_disk_ = false;  // all that disk_ needs is there
  SearchControl::Clock::time_point last_checkpoint_ = SearchControl::Clock::now();
  std::chrono::duration<double> checkpoint_took_{0};
};

}  // namespace comback

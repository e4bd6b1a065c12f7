#include <algorithm>
#include <numeric>

#include "engine/level_search_parts.h"
#include "engine/restore.h"

namespace comback {

// All states below `id` are expanded, and what they led to is numbered.
void LevelSearch::set_resume_point(StateId id) {
  resume_at_ = id;
  if (keeps_run()) resume_counts_ = counts();
}

SearchCounts LevelSearch::counts() {
  SearchCounts counts;
  counts.transitions = summary_.transitions;
  counts.deadlocks = summary_.deadlocks;
  counts.wraps = earlier_.wraps + expansion_.wraps();
  counts.invariant_violations = summary_.invariant_violations;
  counts.assertion_violations = summary_.assertion_violations;
  counts.first_deadlock = first_deadlock_;
  for (const Violation& v : summary_.violations) {
    counts.violations.push_back({v.kind, v.what, v.state, v.depth, v.event, {}});
  }
  return counts;
}

Status LevelSearch::checkpoint_if_due() {
  if (!keeps_run()) return Done{};
  // What is gathered within a level on disk is not part of a checkpoint.
  if (disk_ && disk_->table().delta().size() == 0) return Done{};
  const std::chrono::duration<double> since = SearchControl::Clock::now() - last_checkpoint_;
  // One that took long is followed by a rest, so that the share of checkpoints stays small.
  return since >= std::max(options_.levels.checkpoint_interval, 30 * checkpoint_took_)
             ? checkpoint()
             : Done{};
}

Status LevelSearch::checkpoint() {
  const SearchControl::Clock::time_point start = SearchControl::Clock::now();
  Status status = Done{};
  if (disk_) {
    status = disk_->commit(/*in_level=*/true);
  } else {
    // Takes what is kept free for the move to disk.
    budget_.give(ballast_);
    status = checkpoint_memory(options_.levels.run_dir, archive_, record(), team_);
    [[maybe_unused]] const bool taken = budget_.take(ballast_);
  }
  last_checkpoint_ = SearchControl::Clock::now();
  checkpoint_took_ = last_checkpoint_ - start;
  return status;
}

RunRecord LevelSearch::record() {
  RunRecord record;
  record.finished = finished_;
  record.summary = so_far();
  record.first_deadlock = first_deadlock_;
  record.written = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  record.on_disk = stored_on_disk_;
  if (finished_) {
    record.level = static_cast<std::uint32_t>(record.summary.level_sizes.size());
    record.expanded = record.summary.states;
    record.counts = counts();
    return record;
  }
  record.level = static_cast<std::uint32_t>(depth());
  record.expanded = resume_at_;
  record.counts = resume_counts_;
  record.transitions_before_level = transitions_before_level_;
  record.deadlocks_before_level = deadlocks_before_level_;
  return record;
}

Summary LevelSearch::so_far() {
  Summary summary = summary_;
  for (Violation& violation : summary.violations) violation.trace = {};
  complete_summary(summary);
  const std::uint64_t sum =
      std::accumulate(summary.level_sizes.begin(), summary.level_sizes.end(), std::uint64_t{0});
  if (summary.states > sum) summary.level_sizes.push_back(summary.states - sum);
  return summary;
}

// What is not counted in the summary itself.
void LevelSearch::complete_summary(Summary& summary) const {
  summary.states = states();
  summary.tree_digest = numbering_.digest();
  summary.wraps = earlier_.wraps + expansion_.wraps();
  if (disk_) summary.keep_levels = kept_.to_string();
  summary.seconds = control_.seconds();
  // What duplicate detection has done, in this session and in earlier ones.
  const DuplicateDetection::Counters counters =
      disk_ ? disk_->detection().counters() : DuplicateDetection::Counters{};
  summary.reconstructions = earlier_.reconstructions + counters.marks;
  summary.reconstruction_events = earlier_.reconstruction_events + counters.events;
  summary.hash_conflicts = earlier_.hash_conflicts + counters.conflicts;
  summary.spilled_bytes = earlier_.spilled_bytes + counters.spilled_bytes;
  summary.events = summary.transitions + summary.reconstruction_events;
}

}  // namespace comback

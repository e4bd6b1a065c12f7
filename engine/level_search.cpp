#include "engine/level_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "engine/level_search_parts.h"
#include "engine/memory_to_disk.h"
#include "engine/restore.h"
#include "engine/trace.h"
#include "storage/hash.h"
#include "storage/run_directory.h"

namespace comback {
namespace {

std::vector<LevelCandidates> make_candidates(std::size_t width, MemoryBudget& budget) {
  std::vector<LevelCandidates> sets;
  sets.reserve(kPartitions);
  for (unsigned p = 0; p < kPartitions; ++p) sets.emplace_back(width, budget);
  return sets;
}

}  // namespace

LevelSearch::LevelSearch(const Model& model, const SearchOptions& options, Monitor& monitor)
    : model_(model),
      options_(options),
      budget_(options.memory_bytes),
      findings_(model, options, summary_),
      control_(options, monitor),
      monitor_(monitor),
      width_(model.width()),
      team_(options.levels.threads),
      expansion_(model, options, team_, budget_),
      archive_(width_, budget_),
      recent_(archive_.log(), budget_),
      kept_(options.levels.keep_levels),
      candidates_(make_candidates(width_, budget_)),
      numbering_(options, archive_, recent_, candidates_, team_, budget_),
      watch_(options.levels.run_dir, options.levels.disk_bytes) {}

Result<Summary> LevelSearch::run() {
  if (!open()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("a memory budget of {} bytes is too small: this search of {} needs at "
                             "least {} bytes",
                             options_.memory_bytes, model_.name(), min_bytes())};
  }
  if (Status status = start(); !status) return status.error();
  if (!finished_ && stop_ == StopReason::kNone) {
    if (Status status = search(); !status) return status.error();
  }
  if (findings_.failure()) return *findings_.failure();
  if (Status status = conclude(); !status) return status.error();
  return std::move(summary_);
}

// --- the course of the search ---

std::uint64_t LevelSearch::min_bytes() const {
  const std::uint64_t in_memory = RecentStates::kMinBytes + DescriptorLog::chunk_bytes(width_) +
                                  kPartitions * LevelCandidates::min_bytes(width_) +
                                  team_.size() * (std::uint64_t{1} << 20);
  return std::max<std::uint64_t>(4 * in_memory, std::uint64_t{32} << 20);
}

bool LevelSearch::open() {
  if (options_.memory_bytes < min_bytes()) return false;
  // Kept free for the move to disk.
  ballast_ = options_.memory_bytes / 4;
  if (!budget_.take(ballast_)) return false;
  for (LevelCandidates& set : candidates_) {
    if (!set.open()) return false;
  }
  return recent_.open() && log().reserve(1);
}

// Where the search begins: with the initial state, or where an earlier session ended.
Status LevelSearch::start() {
  if (options_.levels.resume) {
    const Result<bool> resumed = resume();
    if (!resumed) return resumed.error();
    if (*resumed) return Done{};
  }
  if (Status status = number_initial(); !status) return status;
  begin_level();
  if (options_.levels.tables == LevelOptions::Tables::kDisk) {
    return move_to_disk();
  }
  return Done{};
}

Status LevelSearch::number_initial() {
  std::vector<std::byte> initial(width_ + kDescriptorSlack);
  model_.initial(initial.data());
  return numbering_.start(initial.data());
}

// The level at level_first_ is expanded from its first state on.
void LevelSearch::begin_level() {
  level_end_ = states();
  summary_.level_sizes.push_back(level_end_ - level_first_);
  archive_.begin_level(level_end_);
  numbering_.begin_level(level_first_);
  transitions_before_level_ = summary_.transitions;
  deadlocks_before_level_ = summary_.deadlocks;
  set_resume_point(level_first_);
}

// From the resume point on.
Status LevelSearch::search() {
  while (level_first_ < states()) {
    if (options_.max_depth && depth() > *options_.max_depth) {
      stop_ = StopReason::kMaxDepth;
      return check_unexpanded(level_first_);
    }
    for (StateId first = resume_at_; first < level_end_;) {
      const Result<StateId> end = expand_batch(first);
      if (!end) return end.error();
      if (ended_ || numbering_.cut() || stop_ != StopReason::kNone) break;
      first = *end;
      if (control_.due(first)) stop_ = poll("expanding", first);
      if (stop_ != StopReason::kNone) break;
      if (Status status = checkpoint_if_due(); !status) return status;
    }
    // What a kept run has gathered of the next level is for the session that goes on.
    if (stop_ != StopReason::kNone && (keeps_run() || stop_ == StopReason::kDisk)) return Done{};
    if (disk_) {
      if (Status status = finish_level_on_disk(); !status) return status;
      if (stop_ != StopReason::kNone && keeps_run()) return Done{};
    }
    if (numbering_.cut()) return finish_at_limit();
    if (ended_ || stop_ != StopReason::kNone) return Done{};
    level_first_ = level_end_;
    if (level_first_ == states()) break;
    begin_level();
    if (Status status = checkpoint_if_due(); !status) return status;
  }
  return Done{};
}

// --max-states: a new state of the predecessor at the place *numbering_.cut() is one too many.
// The states up to that predecessor count as expanded, however many were expanded together with
// it.
Status LevelSearch::finish_at_limit() {
  stop_ = StopReason::kMaxStates;
  summary_.transitions = transitions_before_level_;
  summary_.deadlocks = deadlocks_before_level_;
  const StateId last = level_first_ + *numbering_.cut() + 1;
  for (StateId first = level_first_; first < last;) {
    const Result<StateId> loaded = load(first, std::min<StateId>(first + batch_states(), last));
    if (!loaded) return loaded.error();
    StateId end = *loaded;
    if (Status status = expand(first, end); !status) return status;
    count_expanded();
    first = end;
  }
  return check_unexpanded(inspected_);
}

// As many as have successors for about kBatchBytes a thread.
std::uint64_t LevelSearch::batch_states() const {
  const std::uint64_t expanded = std::max<std::uint64_t>(level_first_, 1);
  const std::uint64_t degree = summary_.transitions / expanded + 1;
  const std::uint64_t states =
      kBatchBytes * team_.size() / (degree * CandidateRecord::stride(width_));
  return std::clamp<std::uint64_t>(states, 64, 1 << 16);
}

// Expands some states from `first` on; returns the id behind the last.
Result<StateId> LevelSearch::expand_batch(StateId first) {
  const Result<StateId> loaded = load(first, std::min<StateId>(first + batch_states(), level_end_));
  if (!loaded) return loaded.error();
  StateId end = *loaded;
  if (Status status = expand(first, end); !status) return status.error();
  for (const Expansion::Suspect& suspect : expansion_.suspects()) {
    if (inspect(suspect)) continue;
    // The search ends at this state: those before it count, whatever the size of a batch.
    ended_ = true;
    end = level_first_ + suspect.place;
    if (suspect.kind == Expansion::Suspect::Kind::kDeadlock) {
      ++summary_.deadlocks;
      if (!first_deadlock_) first_deadlock_ = end;
    }
    if (Status status = expand(first, end); !status) return status.error();
    break;
  }
  inspected_ = end;
  if (Status status = gather_candidates(); !status) return status.error();
  if (stop_ != StopReason::kNone) return end;
  count_expanded();
  if (!disk_) {
    const Result<bool> numbered =
        numbering_.number_candidates(first - level_first_, end - level_first_);
    if (!numbered) return numbered.error();
    // On disk they wait for the end of the level.
    if (!*numbered) {
      if (Status status = relieve_memory(); !status) return status.error();
    } else if (!ended_ && !numbering_.cut()) {
      set_resume_point(end);
    }
  }
  return end;
}

void LevelSearch::count_expanded() {
  summary_.transitions += expansion_.transitions();
  summary_.deadlocks += expansion_.deadlocks();
  if (expansion_.deadlocks() > 0 && !first_deadlock_) {
    first_deadlock_ = level_first_ + expansion_.first_deadlock();
  }
}

Status LevelSearch::expand(StateId first, StateId& end) {
  while (true) {
    const auto outcome =
        expansion_.expand(first - level_first_, end - level_first_, [&](std::uint64_t place) {
          const StateId id = level_first_ + place;
          return row(id);
        });
    switch (outcome) {
      case Expansion::Outcome::kDone:
        return Done{};
      case Expansion::Outcome::kBigEvents:
        return Error{Errc::kUnsupported,
                     fmt::format("an event number of {} does not fit in {} bits", model_.name(),
                                 kOriginEventBits)};
      case Expansion::Outcome::kNoMemory:
        break;
    }
    if (Status status = relieve_memory(); !status) return status;
    if (stop_ != StopReason::kNone) return Done{};
    if (end - first > 64) end = first + (end - first) / 2;
  }
}

bool LevelSearch::inspect(const Expansion::Suspect& suspect) {
  const StateId id = level_first_ + suspect.place;
  const std::byte* const state = row(id);
  const Findings::Place place{id, depth(), [=, this] { return trace_to(id, state); }};
  switch (suspect.kind) {
    case Expansion::Suspect::Kind::kState:
      return findings_.check_state(state, place);
    case Expansion::Suspect::Kind::kDeadlock:
      return findings_.deadlock(place);
    case Expansion::Suspect::Kind::kFault:
      return findings_.fault(suspect.fault, place);
  }
  return true;
}

// Drops the successors that are known; the others become candidates.
Status LevelSearch::gather_candidates() {
  while (true) {
    std::atomic<bool> all{true};
    team_.for_each(
        kPartitions,
        [&](unsigned, std::size_t p) {
          const auto partition = static_cast<unsigned>(p);
          for (unsigned lane = 0; lane < expansion_.lanes(); ++lane) {
            if (!recent_.sift(partition, expansion_.records(lane, partition), candidates_[p]))
              all = false;
          }
        },
        expansion_.transitions() >= kFewForAll);
    if (all) break;
    // What was added stays; adding it again changes nothing.
    if (Status status = relieve_memory(); !status) return status;
    if (stop_ != StopReason::kNone) return Done{};
  }
  if (disk_ && candidate_bytes() > disk_->plan().candidate_bytes) {
    return disk_->detection().add(candidates_);
  }
  return Done{};
}

std::uint64_t LevelSearch::candidate_bytes() const {
  std::uint64_t sum = 0;
  for (const LevelCandidates& set : candidates_) sum += set.bytes();
  return sum;
}

// The budget is used up: moves to disk, or hands the candidates to the sorts there.
Status LevelSearch::relieve_memory() {
  if (!disk_) {
    if (options_.levels.tables == LevelOptions::Tables::kMemory) {
      stop_ = StopReason::kMemory;
      return Done{};
    }
    return move_to_disk();
  }
  const std::uint64_t before = budget_.used();
  if (Status status = disk_->detection().add(candidates_); !status) return status;
  if (budget_.used() < before) return Done{};
  return Error{Errc::kOutOfMemory,
               fmt::format("a memory budget of {} bytes is too small for the candidates of {}",
                           options_.memory_bytes, model_.name())};
}

// --- on disk ---

// Writes everything out that is in memory so far, and keeps the newest.
Status LevelSearch::move_to_disk() {
  recent_.forget();
  budget_.give(ballast_);
  auto part = DiskPart::open(model_, options_, archive_, team_, budget_, nullptr);
  if (!part) return part.error();
  disk_ = std::move(*part);
  if (keeps_run()) disk_->set_recorder([this] { return record(); });

  kept_.choose(model_, archive_);
  // The states found so far by expanding a level are those of the next one.
  in_level_ = true;
  if (Status status = write_states(archive_, in_level_, kept_, team_, *disk_); !status) {
    return status;
  }
  stored_on_disk_ = true;
  numbering_.slide_window(*disk_);
  if (!recent_.become_cache(disk_->plan().recent_bytes)) {
    return too_small_for_disk();
  }
  for (StateId id = log().released_below(); id < states(); ++id) {
    recent_.insert(hash_bytes(log().get(id), width_), id);
  }
  return Done{};
}

// Decides about the candidates of the level; what is new is the next level.
Status LevelSearch::finish_level_on_disk() {
  kept_.choose(model_, archive_);
  if (!in_level_) {
    if (Status status = disk_->levels().begin_level(kept_.keeps(depth() + 1)); !status)
      return status;
    in_level_ = true;
  }
  DuplicateDetection& detection = disk_->detection();
  if (Status status = detection.add(candidates_); !status) return status;
  disk_->make_room_to_sort(budget_);
  numbering_.slide_window(*disk_);
  // The sorts of marked and of new candidates take as much again as that by hash, at most.
  if (keeps_run() && detection.spilled_bytes() > 0) watch_.measure();
  if (keeps_run() && !disk_suffices(2 * detection.spilled_bytes())) {
    stop_ = StopReason::kDisk;
    return Done{};
  }
  poll("detecting duplicates", level_end_);
  if (Status status = detection.detect(level_end_ - level_first_, states()); !status) return status;
  Status status = detection.take_new([&](std::span<const Origin> origins, const std::byte* rows) {
    constexpr std::size_t kGroup = 1 << 15;
    for (std::size_t from = 0; from < origins.size(); from += kGroup) {
      // Those that are not numbered now are found again by the session that goes on.
      if (keeps_run() && stop_ == StopReason::kNone) stop_ = poll("numbering", level_end_);
      if (stop_ != StopReason::kNone && keeps_run()) return Status(Done{});
      const std::size_t count = std::min(kGroup, origins.size() - from);
      Status numbered =
          numbering_.number_on_disk(*disk_, origins.subspan(from, count), rows + from * width_);
      if (!numbered) return numbered;
    }
    return Status(Done{});
  });
  if (!status || (stop_ != StopReason::kNone && keeps_run())) return status;
  if (numbering_.cut() && keeps_run()) {
    // A session that goes on expands this level again, and finds the rest of the next one.
    if (Status frozen = disk_->freeze_levels(); !frozen) return frozen;
  }
  in_level_ = false;
  if (Status ended = disk_->writer().end_level(); !ended) return ended;
  if (numbering_.cut()) return Done{};
  disk_->share_out(log(), budget_);
  return kept_.drop(disk_->levels(), depth() + 1, disk_->plan().level_cache_bytes);
}

// --- the rest ---

StopReason LevelSearch::poll(const char* phase, StateId done) {
  const StopReason stop = control_.poll(done, {.phase = phase,
                                               .states = states(),
                                               .transitions = summary_.transitions,
                                               .queued = states() - done,
                                               .level = depth(),
                                               .memory_bytes = memory_used(),
                                               .disk_bytes = watch_.used_bytes(),
                                               .seconds = 0});
  const bool watched = keeps_run() || options_.levels.disk_bytes;
  if (stop == StopReason::kNone && watched && watch_.look() && !disk_suffices(0)) {
    return StopReason::kDisk;
  }
  return stop;
}

// Whether the disk has room for what comes soon, and for `more` bytes.
bool LevelSearch::disk_suffices(std::uint64_t more) {
  // In memory, a checkpoint takes less than a byte for a state.
  const auto missing = watch_.missing(more + (disk_ ? disk_->bytes_wanted() : states() / 2));
  summary_.disk_needed = missing.value_or(0);
  return !missing;
}

// Every stored state is checked, also those that a limit keeps from being expanded.
Status LevelSearch::check_unexpanded(StateId from) {
  if (!findings_.looks_at_states()) return Done{};
  for (StateId id = from; id < states(); ++id) {
    if (const auto loaded = load(id, id < level_end_ ? level_end_ : states()); !loaded) {
      return loaded.error();
    }
    const std::byte* const state = row(id);
    const std::uint64_t at = id < level_end_ ? depth() : depth() + 1;
    if (!findings_.check_state(state, {id, at, [&] { return trace_to(id, state); }})) break;
  }
  return Done{};
}

Result<Trace> LevelSearch::trace_to(StateId id, const std::byte* state) {
  StateArchive::BackedgeReader backedges(archive_);
  std::vector<Event> events;
  for (StateId at = id; at != 0;) {
    const Result<Backedge> edge = backedges.find(at);
    if (!edge) return edge.error();
    events.push_back(edge->event);
    at = edge->predecessor;
  }
  std::reverse(events.begin(), events.end());
  return make_trace(model_, events, state);
}

Status LevelSearch::conclude() {
  if (finished_) return Done{};  // by an earlier session
  finished_ = stop_ == StopReason::kNone;
  // Before the first checkpoint that says so: it may be the last one that survives.
  findings_.conclude(stop_);
  if (disk_ && in_level_ && (finished_ || !keeps_run())) {
    if (Status status = disk_->writer().end_level(); !status) return status;
  }
  if (keeps_run()) {
    if (Status status = checkpoint(); !status) return status;
    if (disk_ && finished_) {
      if (Status status = disk_->compact(); !status) return status;
    }
  } else if (disk_) {
    if (Status status = disk_->commit(); !status) return status;
  }
  complete_summary(summary_);
  if (disk_ || keeps_run()) {
    const Result<std::uint64_t> bytes = bytes_below(options_.levels.run_dir);
    if (!bytes) return bytes.error();
    summary_.disk_bytes = *bytes;
  }
  if (disk_) {
    summary_.disk_parts = disk_->parts();
    summary_.io = disk_->frontier().io();
  }
  summary_.visited_bytes = memory_used();
  Status status = keeps_run() ? checkpoint() : Done{};
  // Not before: a checkpoint counts levels to know where it is.
  if (states() > level_end_) summary_.level_sizes.push_back(states() - level_end_);
  return status;
}

Error LevelSearch::too_small_for_disk() const {
  return {Errc::kOutOfMemory,
          fmt::format("a memory budget of {} bytes is too small for tables on disk",
                      options_.memory_bytes)};
}

Result<Summary> explore_by_levels(const Model& model, const SearchOptions& options,
                                  Monitor& monitor) {
  return LevelSearch(model, options, monitor).run();
}

}  // namespace comback

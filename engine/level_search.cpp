#include "engine/level_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/disk_part.h"
#include "engine/expansion.h"
#include "engine/findings.h"
#include "engine/kept_levels.h"
#include "engine/level_candidates.h"
#include "engine/memory_to_disk.h"
#include "engine/numbering.h"
#include "engine/recent_states.h"
#include "engine/run_record.h"
#include "engine/search_control.h"
#include "engine/state_archive.h"
#include "engine/thread_team.h"
#include "engine/trace.h"
#include "storage/hash.h"
#include "storage/memory_budget.h"

namespace comback {
namespace {

std::vector<LevelCandidates> make_candidates(std::size_t width, MemoryBudget& budget) {
  std::vector<LevelCandidates> sets;
  sets.reserve(kPartitions);
  for (unsigned p = 0; p < kPartitions; ++p) sets.emplace_back(width, budget);
  return sets;
}

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
class LevelSearch {
 public:
  LevelSearch(const Model& model, const SearchOptions& options, Monitor& monitor)
      : model_(model),
        options_(options),
        budget_(options.memory_bytes),
        findings_(model, options, summary_),
        control_(options, monitor),
        width_(model.width()),
        team_(options.levels.threads),
        expansion_(model, options, team_, budget_),
        archive_(width_, budget_),
        recent_(archive_.log(), budget_),
        kept_(options.levels.keep_levels),
        candidates_(make_candidates(width_, budget_)),
        numbering_(options, archive_, recent_, candidates_, team_, budget_) {}

  Result<Summary> run() {
    if (!open()) {
      return Error{Errc::kOutOfMemory,
                   fmt::format("a memory budget of {} bytes is too small: this search of {} needs "
                               "at least {} bytes",
                               options_.memory_bytes, model_.name(), min_bytes())};
    }
    if (Status status = search(); !status) return status.error();
    if (findings_.failure()) return *findings_.failure();
    if (Status status = conclude(); !status) return status.error();
    return std::move(summary_);
  }

 private:
  static constexpr std::uint64_t kBatchBytes = std::uint64_t{512} << 10;
  // Successors: with fewer, one thread is done before others wake.
  static constexpr std::uint64_t kFewForAll = 2048;

  // --- the course of the search ---

  std::uint64_t min_bytes() const {
    const std::uint64_t in_memory = RecentStates::kMinBytes + DescriptorLog::chunk_bytes(width_) +
                                    kPartitions * LevelCandidates::min_bytes(width_) +
                                    team_.size() * (std::uint64_t{1} << 20);
    return std::max<std::uint64_t>(4 * in_memory, std::uint64_t{32} << 20);
  }

  bool open() {
    if (options_.memory_bytes < min_bytes()) return false;
    // Kept free for the move to disk.
    ballast_ = options_.memory_bytes / 4;
    if (!budget_.take(ballast_)) return false;
    for (LevelCandidates& set : candidates_) {
      if (!set.open()) return false;
    }
    return recent_.open() && log().reserve(1);
  }

  Status search() {
    if (Status status = start(); !status) return status;
    if (options_.levels.tables == LevelOptions::Tables::kDisk) {
      if (Status status = move_to_disk(); !status) return status;
    }
    while (level_first_ < states()) {
      level_end_ = states();
      summary_.level_sizes.push_back(level_end_ - level_first_);
      archive_.begin_level(level_end_);
      numbering_.begin_level(level_first_);
      transitions_before_level_ = summary_.transitions;
      deadlocks_before_level_ = summary_.deadlocks;
      if (options_.max_depth && depth() > *options_.max_depth) {
        stop_ = StopReason::kMaxDepth;
        return check_unexpanded(level_first_);
      }
      for (StateId first = level_first_; first < level_end_;) {
        const Result<StateId> end = expand_batch(first);
        if (!end) return end.error();
        if (ended_ || numbering_.cut() || stop_ != StopReason::kNone) break;
        first = *end;
        if (control_.due(first)) stop_ = poll("expanding", first);
      }
      if (disk_) {
        if (Status status = finish_level_on_disk(); !status) return status;
      }
      if (numbering_.cut()) return finish_at_limit();
      if (ended_ || stop_ != StopReason::kNone) return Done{};
      level_first_ = level_end_;
    }
    return Done{};
  }

  // --max-states: a new state of the predecessor at the place *numbering_.cut() is one too many.
  // The states up to that predecessor count as expanded, however many were expanded together with
  // it.
  Status finish_at_limit() {
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

  Status start() {
    std::vector<std::byte> initial(width_ + kDescriptorSlack);
    model_.initial(initial.data());
    return numbering_.start(initial.data());
  }

  DescriptorLog& log() { return archive_.log(); }
  std::uint64_t states() const { return archive_.size(); }
  std::uint64_t depth() const { return summary_.level_sizes.size() - 1; }

  // As many as have successors for about kBatchBytes a thread.
  std::uint64_t batch_states() const {
    const std::uint64_t expanded = std::max<std::uint64_t>(level_first_, 1);
    const std::uint64_t degree = summary_.transitions / expanded + 1;
    const std::uint64_t states =
        kBatchBytes * team_.size() / (degree * CandidateRecord::stride(width_));
    return std::clamp<std::uint64_t>(states, 64, 1 << 16);
  }

  // Makes the descriptors from `first` on available, up to `end` at the most; returns the id behind
  // the last one.
  Result<StateId> load(StateId first, StateId end) {
    return disk_ ? disk_->frontier().load(first, end) : Result<StateId>(end);
  }
  // REQUIRES: load() made it available.
  const std::byte* row(StateId id) { return disk_ ? disk_->frontier().row(id) : log().get(id); }

  // Expands some states from `first` on; returns the id behind the last.
  Result<StateId> expand_batch(StateId first) {
    const Result<StateId> loaded =
        load(first, std::min<StateId>(first + batch_states(), level_end_));
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
      }
    }
    return end;
  }

  void count_expanded() {
    summary_.transitions += expansion_.transitions();
    summary_.deadlocks += expansion_.deadlocks();
    if (expansion_.deadlocks() > 0 && !first_deadlock_) {
      first_deadlock_ = level_first_ + expansion_.first_deadlock();
    }
  }

  Status expand(StateId first, StateId& end) {
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

  bool inspect(const Expansion::Suspect& suspect) {
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
  Status gather_candidates() {
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

  std::uint64_t candidate_bytes() const {
    std::uint64_t sum = 0;
    for (const LevelCandidates& set : candidates_) sum += set.bytes();
    return sum;
  }

  // The budget is used up: moves to disk, or hands the candidates to the sorts there.
  Status relieve_memory() {
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
  Status move_to_disk() {
    recent_.forget();
    budget_.give(ballast_);
    auto part = DiskPart::create(model_, options_, archive_, team_, budget_);
    if (!part) return part.error();
    disk_ = std::move(*part);
    if (options_.levels.write_run) disk_->set_recorder([this] { return record(); });

    kept_.choose(model_, archive_);
    // Before the first level is expanded, the initial state is a level that has ended; inside a
    // level, the states found so far are those of the next one.
    in_level_ = !summary_.level_sizes.empty();
    if (Status status = write_states(archive_, in_level_, kept_, team_, *disk_); !status) {
      return status;
    }
    numbering_.slide_window(*disk_);
    if (!recent_.become_cache(disk_->plan().recent_bytes)) {
      return Error{Errc::kOutOfMemory,
                   fmt::format("a memory budget of {} bytes is too small for tables on disk",
                               options_.memory_bytes)};
    }
    for (StateId id = log().released_below(); id < states(); ++id) {
      recent_.insert(hash_bytes(log().get(id), width_), id);
    }
    return Done{};
  }

  // Decides about the candidates of the level; what is new is the next level.
  Status finish_level_on_disk() {
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
    poll("detecting duplicates", level_end_);
    if (Status status = detection.detect(level_end_ - level_first_, states()); !status)
      return status;
    Status status = detection.take_new([&](std::span<const Origin> origins, const std::byte* rows) {
      constexpr std::size_t kGroup = 1 << 15;
      for (std::size_t from = 0; from < origins.size(); from += kGroup) {
        const std::size_t count = std::min(kGroup, origins.size() - from);
        Status numbered =
            numbering_.number_on_disk(*disk_, origins.subspan(from, count), rows + from * width_);
        if (!numbered) return numbered;
      }
      return Status(Done{});
    });
    if (!status) return status;
    in_level_ = false;
    if (Status ended = disk_->writer().end_level(); !ended) return ended;
    disk_->share_out(log(), budget_);
    return kept_.drop(disk_->levels(), depth() + 1, disk_->plan().level_cache_bytes);
  }

  // --- the rest ---

  std::uint64_t memory_used() const { return budget_.used() - (disk_ ? 0 : ballast_); }

  StopReason poll(const char* phase, StateId done) {
    return control_.poll(done, {.phase = phase,
                                .states = states(),
                                .transitions = summary_.transitions,
                                .queued = states() - done,
                                .level = depth(),
                                .memory_bytes = memory_used(),
                                .seconds = 0});
  }

  // Every stored state is checked, also those that a limit keeps from being expanded.
  Status check_unexpanded(StateId from) {
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

  Result<Trace> trace_to(StateId id, const std::byte* state) {
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

  Status conclude() {
    if (states() > level_end_) summary_.level_sizes.push_back(states() - level_end_);
    if (!disk_ && options_.levels.write_run) {
      if (Status status = move_to_disk(); !status) return status;
    }
    if (disk_) {
      if (in_level_) {
        if (Status status = disk_->writer().end_level(); !status) return status;
      }
      if (Status status = disk_->commit(); !status) return status;
      if (options_.levels.write_run) {
        if (Status status = disk_->compact(); !status) return status;
      }
      finished_ = stop_ == StopReason::kNone;
      summary_.keep_levels = kept_.to_string();
      const DuplicateDetection::Counters counters = disk_->detection().counters();
      summary_.reconstructions = counters.marks;
      summary_.reconstruction_events = counters.events;
      summary_.hash_conflicts = counters.conflicts;
      summary_.spilled_bytes = counters.spilled_bytes;
      const Result<std::uint64_t> bytes = disk_->bytes();
      if (!bytes) return bytes.error();
      summary_.disk_bytes = *bytes;
      summary_.disk_parts = disk_->parts();
      summary_.io = disk_->frontier().io();
    }
    summary_.states = states();
    summary_.events = summary_.transitions + summary_.reconstruction_events;
    summary_.tree_digest = numbering_.digest();
    summary_.wraps = expansion_.wraps();
    summary_.visited_bytes = memory_used();
    summary_.seconds = control_.seconds();
    findings_.conclude(stop_);
    return disk_ && options_.levels.write_run ? disk_->commit() : Status(Done{});
  }

  // What a checkpoint says at this moment.
  RunRecord record() {
    RunRecord record;
    record.finished = finished_;
    Summary& summary = record.summary;
    summary = summary_;
    for (Violation& violation : summary.violations) violation.trace = {};
    summary.states = states();
    summary.tree_digest = numbering_.digest();
    summary.keep_levels = kept_.to_string();
    if (!finished_) summary.wraps = expansion_.wraps();
    std::uint64_t sum = 0;
    for (const std::uint64_t size : summary.level_sizes) sum += size;
    if (states() > sum) summary.level_sizes.push_back(states() - sum);
    record.first_deadlock = first_deadlock_;
    record.written = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    record.level = static_cast<std::uint32_t>(summary.level_sizes.size());
    record.expanded = states();
    return record;
  }

  const Model& model_;
  const SearchOptions& options_;
  MemoryBudget budget_;
  std::uint64_t ballast_ = 0;
  Summary summary_;
  Findings findings_;
  SearchControl control_;
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
  StopReason stop_ = StopReason::kNone;
  bool ended_ = false;  // at a violation
  bool finished_ = false;
  std::optional<StateId> first_deadlock_;
};

}  // namespace

Result<Summary> explore_by_levels(const Model& model, const SearchOptions& options,
                                  Monitor& monitor) {
  return LevelSearch(model, options, monitor).run();
}

}  // namespace comback

#include "engine/storing_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/findings.h"
#include "engine/search_control.h"
#include "engine/storing_walk.h"
#include "engine/trace.h"
#include "storage/compact_set.h"

namespace comback {
namespace {

using Waiting = StoringOptions::Waiting;

class StoringSearch {
 public:
  StoringSearch(const Model& model, const SearchOptions& options, Monitor& monitor,
                MemoryBudget& budget, StoringCounts& counts, Summary& summary)
      : model_(model),
        options_(options),
        monitor_(monitor),
        budget_(budget),
        counts_(counts),
        summary_(summary),
        findings_(model, options, summary),
        control_(options, monitor) {
    walk_ = new_walk();
    // Not first in, first out, a state can be too deep when it is found first, and not later.
    const bool can_count = !options.max_depth || options.storing.waiting == Waiting::kFifo;
    if (!options.storing.count_states || !can_count) return;
    counter_.emplace(64, budget);
    if (!counter_->open()) counter_.reset();
  }

  [[nodiscard]] bool open() {
    if (walk_->open()) return true;
    // A counter is nice to have.
    counter_.reset();
    walk_.reset();
    walk_ = new_walk();
    return walk_->open();
  }

  Status run() {
    StopReason stop = StopReason::kNone;
    while (stop == StopReason::kNone && !ended_ && walk_->take()) {
      stop = look();
      if (stop != StopReason::kNone || ended_) break;
      stop = walk_->go_on();
      if (stop == StopReason::kMemory && counter_) {
        counter_.reset();
        stop = walk_->go_on();
      }
      if (stop == StopReason::kNone && control_.due(walk_->explored())) stop = poll();
    }
    return finish(stop);
  }

 private:
  // How a violation was found, until there is a trace.
  struct Found {
    std::size_t violation;  // in the summary
    std::uint64_t number;   // of the state, in the walk
    std::vector<std::byte> state;
  };

  std::unique_ptr<StoringWalk> new_walk() const {
    return std::make_unique<StoringWalk>(model_, options_, counts_.cover, false, budget_);
  }

  // How many different states there are, as far as is known.
  std::uint64_t distinct() const { return counter_ ? counter_->size() : walk_->estimated_states(); }

  // Counts the taken state, and looks for violations in it.
  StopReason look() {
    if (options_.max_states && reached(*options_.max_states)) return StopReason::kMaxStates;
    bool is_new = true;
    if (counter_) {
      switch (counter_->insert(counter_->key_of(walk_->key()))) {
        case Insertion::kNew:
          break;
        case Insertion::kKnown:
          is_new = false;
          break;
        default:
          counter_.reset();
      }
    }
    const SuccessorBuffer& successors = walk_->successors();
    const bool is_deadlock = successors.size() == 0 && !successors.faulted() && !walk_->too_deep();
    summary_.max_depth = std::max(summary_.max_depth, walk_->depth());
    counts_.transitions += successors.size();
    counts_.deadlocks += is_deadlock ? 1 : 0;
    too_deep_ = too_deep_ || walk_->too_deep();
    if (!is_new) return revisited();
    if (options_.storing.waiting == Waiting::kFifo) {
      summary_.level_sizes.resize(
          std::max<std::size_t>(summary_.level_sizes.size(), walk_->depth() + 1));
      ++summary_.level_sizes[walk_->depth()];
    }
    summary_.transitions += successors.size();
    summary_.deadlocks += is_deadlock ? 1 : 0;
    const Findings::Place place{walk_->number(), walk_->depth(), [this] { return promise(); }};
    if (findings_.looks_at_states() && !findings_.check_state(walk_->state(), place)) {
      ended_ = true;
    } else if (successors.faulted()) {
      ended_ = !findings_.fault(successors.fault(), place);
    } else if (is_deadlock) {
      ended_ = !findings_.deadlock(place);
    }
    return StopReason::kNone;
  }

  bool reached(std::uint64_t max_states) const {
    if (!counter_) return walk_->explored() > max_states;
    return counter_->size() >= max_states && !counter_->contains(counter_->key_of(walk_->key()));
  }

  StopReason revisited() const {
    const bool too_often = options_.storing.max_revisits &&
                           walk_->explored() > *options_.storing.max_revisits + counter_->size();
    return too_often ? StopReason::kMaxRevisits : StopReason::kNone;
  }

  StopReason poll() {
    const std::uint64_t states = distinct();
    if (!counter_ && options_.storing.max_revisits &&
        walk_->explored() > *options_.storing.max_revisits + states) {
      return StopReason::kMaxRevisits;
    }
    return control_.poll(walk_->explored(), {.states = states,
                                             .transitions = counts_.transitions,
                                             .queued = walk_->waiting(),
                                             .level = walk_->depth(),
                                             .memory_bytes = budget_.used()});
  }

  // The trace comes at the end, when there is memory to find it.
  Result<Trace> promise() {
    found_.push_back({summary_.violations.size(),
                      walk_->number(),
                      {walk_->state(), walk_->state() + model_.width()}});
    return Trace{};
  }

  Status finish(StopReason stop) {
    if (stop == StopReason::kNone && too_deep_) stop = StopReason::kMaxDepth;
    counts_.stored = walk_->stored();
    counts_.explored = walk_->explored() - (stop == StopReason::kMaxStates ? 1 : 0);
    counts_.peak_waiting = walk_->peak_waiting();
    counts_.peak_held = walk_->peak_held();
    counts_.counted = counter_.has_value();
    counts_.revisits = counts_.explored - std::min(counts_.explored, distinct());
    summary_.states = counts_.explored - counts_.revisits;
    if (!counts_.counted) {
      summary_.states = counts_.explored;
      summary_.transitions = counts_.transitions;
      summary_.deadlocks = counts_.deadlocks;
      summary_.level_sizes.clear();
    }
    summary_.events = counts_.transitions;
    summary_.wraps = walk_->successors().wraps();
    summary_.visited_bytes = walk_->bytes();
    counter_.reset();
    walk_.reset();
    if (!found_.empty()) {
      if (Status status = find_traces(); !status) return status;
    }
    summary_.seconds = control_.seconds();
    summary_.storing = counts_;
    findings_.conclude(stop);
    return Done{};
  }

  // Walks the same way again, and keeps where each state came from.
  Status find_traces() {
    control_.start_again();
    StoringWalk walk(model_, options_, counts_.cover, true, budget_);
    BackedgeTable backedges(budget_);
    const char* failure = nullptr;
    if (!walk.open()) failure = "the memory budget has no room to find the way there";
    for (auto next = found_.begin(); failure == nullptr && walk.take();) {
      const Backedge origin = walk.origin();
      if (!backedges.append(origin.predecessor, origin.event)) {
        failure = "the memory budget has no room to find the way there";
        break;
      }
      for (; next != found_.end() && next->number == walk.number(); ++next) {
        Result<Trace> trace = trace_to(backedges, *next);
        if (!trace) return trace.error();
        summary_.violations[next->violation].trace = std::move(*trace);
      }
      if (next == found_.end()) return Done{};
      if (walk.go_on() != StopReason::kNone) {
        failure = "the memory budget has no room to find the way there";
      } else if (control_.due(walk.explored())) {
        // A limit of time is for the search; whoever interrupts has waited enough.
        control_.poll(walk.explored(), {.phase = "looking for the trace",
                                        .states = summary_.states,
                                        .transitions = counts_.transitions,
                                        .queued = walk.waiting(),
                                        .level = walk.depth(),
                                        .memory_bytes = budget_.used()});
        if (monitor_.stop_requested()) failure = "interrupted while looking for the way there";
      }
    }
    for (Violation& violation : summary_.violations) {
      if (!violation.trace.states.empty()) continue;
      violation.what += fmt::format(
          " (no trace: {})", failure != nullptr ? failure : "the search could not be repeated");
    }
    return Done{};
  }

  Result<Trace> trace_to(const BackedgeTable& backedges, const Found& found) const {
    std::vector<Event> events;
    for (std::uint64_t at = found.number; at != 0;) {
      const Backedge edge = backedges.find(at);
      events.push_back(edge.event);
      at = edge.predecessor;
    }
    std::reverse(events.begin(), events.end());
    return make_trace(model_, events, found.state.data());
  }

  const Model& model_;
  const SearchOptions& options_;
  Monitor& monitor_;
  MemoryBudget& budget_;
  StoringCounts& counts_;
  Summary& summary_;
  Findings findings_;
  SearchControl control_;

  std::unique_ptr<StoringWalk> walk_;
  std::optional<CompactSet> counter_;  // of the states explored; empty: they are not counted
  std::vector<Found> found_;
  bool too_deep_ = false;
  bool ended_ = false;  // at a violation
};

}  // namespace

Result<Summary> explore_storing(const Model& model, const SearchOptions& options,
                                Monitor& monitor) {
  StoringCounts counts;
  if (options.storing.rule.needs_cover()) {
    Result<CoveringSet> cover = find_covering_set(model, {.seed = options.storing.seed});
    if (!cover) return cover.error();
    counts.cover = std::move(*cover);
  }
  MemoryBudget budget(options.memory_bytes);
  Summary summary;
  StoringSearch search(model, options, monitor, budget, counts, summary);
  if (!search.open()) {
    return Error{Errc::kOutOfMemory,
                 fmt::format("a memory budget of {} bytes is too small: this search of {} needs at "
                             "least {} bytes",
                             options.memory_bytes, model.name(),
                             StoringWalk::min_bytes(model.width(), options))};
  }
  if (Status status = search.run(); !status) return status.error();
  return summary;
}

}  // namespace comback

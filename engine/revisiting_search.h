#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/findings.h"
#include "engine/independence.h"
#include "engine/independence_check.h"
#include "engine/revisiting_stores.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/sleep_sets.h"
#include "engine/successor_stack.h"
#include "engine/trace.h"
#include "storage/memory_budget.h"
#include "storage/record_stack.h"

namespace comback {

// Depth-first search [godefroid95] over one of engine/revisiting_stores.h, which know what is on
// the stack and may forget what is not: Algorithm 1 there or, with sleep sets, Algorithm 2. The
// numbers in the comments are of that algorithm's lines.
//
// A sleep set holds events that are enabled in a state and need not be executed there, because
// what they lead to is explored elsewhere. All states are still visited, for any store that knows
// at least the states of the stack.
template <class Store>
class RevisitingSearch {
 public:
  // REQUIRES: all outlive the search; `store` is open and empty; with options.sleep_sets,
  // model.events() is not empty.
  RevisitingSearch(const Model& model, const SearchOptions& options, Monitor& monitor,
                   MemoryBudget& budget, Store& store, Summary& summary)
      : model_(model),
        options_(options),
        budget_(budget),
        store_(store),
        summary_(summary),
        counts_(summary.caching.emplace()),
        findings_(model, options, summary),
        control_(options, monitor),
        events_(model.events()),
        successors_(model),
        stack_(sizeof(Head) + store.record_bytes(), budget) {
    if (!options.sleep_sets && !options.check_independence) return;
    independence_.emplace(model, budget);
    if (options.sleep_sets) sleep_sets_.emplace(budget.limit() / 16, budget);
    if (options.check_independence) check_.emplace(model, *independence_);
  }

  // What the driver itself allocates, beside the store.
  static std::uint64_t min_bytes(const Store& store) {
    return RecordStack::min_bytes(sizeof(Head) + store.record_bytes());
  }

  Status run() {
    std::vector<std::byte> initial(model_.width() + kDescriptorSlack);
    model_.initial(initial.data());
    StopReason stop =
        enter(store_.key(initial.data()), initial.data(), EventKind::kOther, SleepSets::kEmpty);
    while (stop == StopReason::kNone && !ended_ && !stack_.empty()) {
      stop = step();
      if (stop == StopReason::kNone && control_.due(store_.visits())) stop = poll();
    }
    return finish(stop);
  }

 private:
  using Key = typename Store::Key;

  // A frame: this, and how the store finds the state.
  struct Head {
    std::uint32_t position;  // of the next successor
    SleepSets::Id asleep;    // the state's sleep set when it was pushed: not executed here
    SleepSets::Id sleep;     // as it is now: what successors inherit from
  };

  static Head head(const std::byte* frame) {
    Head head;
    std::memcpy(&head, frame, sizeof head);
    return head;
  }
  static void set_head(std::byte* frame, const Head& head) {
    std::memcpy(frame, &head, sizeof head);
  }
  const std::byte* descriptor(const std::byte* frame) {
    return store_.descriptor(frame + sizeof(Head));
  }
  EventKind kind_of(Event event) const {
    return event < events_.size() ? events_[event].kind : EventKind::kOther;
  }

  // From the topmost frame one edge down, or one up.
  StopReason step() {
    std::byte* const frame = stack_.top();
    Head at = head(frame);
    if (successors_.empty()) successors_.push_again(descriptor(frame), at.position, store_);
    const std::uint32_t count = successors_.count();
    while (at.position < count) {
      const std::uint32_t next = at.position++;
      const Event event = successors_.event(next);
      if (sleep_sets_ && sleep_sets_->contains(at.asleep, event)) continue;  // 10
      const Key& key = successors_.key(next);
      const std::byte* const successor = successors_.descriptor(next);
      const Known known = store_.look_up(key, successor, kind_of(event));
      const SleepSets::Id inherited = at.sleep;
      // 21-23. Of a new state it is done early: nobody looks until the search is back, and then the
      // state is not on the stack.
      if (sleep_sets_ && known != Known::kOnStack) at.sleep = sleep_sets_->with(at.sleep, event);
      if (known != Known::kNo) {  // 15
        ++counts_.matched;
        continue;
      }
      set_head(frame, at);
      return enter(key, successor, kind_of(event),
                   sleep_sets_ ? independent_of(inherited, event) : SleepSets::kEmpty);
    }
    leave();
    return StopReason::kNone;
  }

  // 14
  SleepSets::Id independent_of(SleepSets::Id sleep, Event event) {
    scratch_.clear();
    for (const Event sleeping : sleep_sets_->get(sleep)) {
      if (independence_->independent(sleeping, event)) scratch_.push_back(sleeping);
    }
    return sleep_sets_->number(scratch_);
  }

  void leave() {
    store_.leave(stack_.top() + sizeof(Head));
    stack_.pop();
    successors_.pop();
  }

  // Stores a state that is not known, expands it and makes it the topmost frame.
  StopReason enter(const Key& key, const std::byte* state, EventKind by, SleepSets::Id sleep) {
    if (options_.max_states && store_.visits() >= *options_.max_states) {
      return StopReason::kMaxStates;
    }
    const StateId id = store_.visits();
    std::byte* const frame = stack_.push();
    if (frame == nullptr) return StopReason::kMemory;
    const std::uint64_t depth = stack_.size() - 1;
    const StopReason stop = store_.enter(key, state, by, depth, frame + sizeof(Head));
    if (stop != StopReason::kNone) {
      stack_.pop();
      return stop;
    }
    summary_.max_depth = std::max(summary_.max_depth, depth);
    const std::byte* const stored = descriptor(frame);
    if (findings_.looks_at_states() && !findings_.check_state(stored, place(id))) {
      ended_ = true;
      return StopReason::kNone;
    }
    if (options_.max_depth && depth > *options_.max_depth) {
      too_deep_ = true;
      store_.leave(frame + sizeof(Head));
      stack_.pop();
      return StopReason::kNone;
    }
    successors_.push(stored, 0, store_);
    const std::uint32_t count = successors_.count();
    summary_.events += count;
    summary_.transitions += count;
    Head at{.position = 0, .asleep = sleep, .sleep = sleep};
    if (sleep_sets_) fall_asleep(at);
    set_head(frame, at);
    if (successors_.faulted()) {
      ended_ = !findings_.fault(successors_.fault(), place(id));
    } else if (count == 0) {
      ++summary_.deadlocks;
      ended_ = !findings_.deadlock(place(id));
    } else if (check_) {
      failure_ = check_->look_at(stored);
      ended_ = ended_ || failure_.has_value();
    }
    return revisited_too_often() ? StopReason::kMaxRevisits : StopReason::kNone;
  }

  // 11, and what sleeps in the state is not a transition of the search. REQUIRES: the state is on
  // the stack; its successors are the topmost.
  void fall_asleep(Head& at) {
    sleep_sets_->note(at.asleep);
    if (at.asleep == SleepSets::kEmpty) return;
    scratch_.clear();
    std::uint64_t asleep = 0;
    for (std::uint32_t i = 0; i < successors_.count(); ++i) {
      const Event event = successors_.event(i);
      if (!sleep_sets_->contains(at.asleep, event)) continue;
      ++asleep;
      if (!store_.on_stack(successors_.key(i), successors_.descriptor(i))) {
        scratch_.push_back(event);
      }
    }
    summary_.transitions -= asleep;
    counts_.slept += asleep;
    at.sleep = sleep_sets_->number(scratch_);
  }

  bool revisited_too_often() {
    if (!options_.caching.max_revisits) return false;
    store_.counts(counts_);
    return counts_.revisits > *options_.caching.max_revisits;
  }

  Findings::Place place(StateId id) {
    return {id, stack_.size() - 1, [this] { return trace_to_top(); }};
  }

  StopReason poll() {
    store_.counts(counts_);
    return control_.poll(store_.visits(), {.states = store_.visits(),
                                           .transitions = summary_.transitions,
                                           .queued = stack_.size(),
                                           .level = stack_.size(),
                                           .memory_bytes = budget_.used(),
                                           .caching = counts_});
  }

  Status finish(StopReason stop) {
    if (findings_.failure()) return *findings_.failure();
    if (failure_) return *failure_;
    if (stop == StopReason::kNone && too_deep_) stop = StopReason::kMaxDepth;
    summary_.states = store_.visits();
    summary_.wraps = successors_.wraps();
    summary_.visited_bytes = store_.bytes();
    store_.counts(counts_);
    if (sleep_sets_) counts_.sleep_sets = sleep_sets_->noted();
    if (check_) counts_.checked_pairs = check_->pairs();
    summary_.seconds = control_.seconds();
    findings_.conclude(stop);
    return Done{};
  }

  // Every frame below the topmost one has just taken the event before its position.
  Result<Trace> trace_to_top() {
    std::vector<Event> path;
    SuccessorBuffer successors(model_.width(), model_.max_successors());
    for (std::uint64_t i = 0; i + 1 < stack_.size(); ++i) {
      const std::byte* const frame = stack_.at(i);
      model_.successors(descriptor(frame), successors);
      path.push_back(successors.event(head(frame).position - 1));
    }
    return make_trace(model_, path, descriptor(stack_.top()));
  }

  const Model& model_;
  const SearchOptions& options_;
  MemoryBudget& budget_;
  Store& store_;
  Summary& summary_;
  CachingCounts& counts_;
  Findings findings_;
  SearchControl control_;

  std::span<const EventInfo> events_;
  SuccessorStack<Key> successors_;
  RecordStack stack_;
  std::optional<Independence> independence_;
  std::optional<SleepSets> sleep_sets_;
  std::optional<IndependenceCheck> check_;
  std::vector<Event> scratch_;
  std::optional<Error> failure_;
  bool too_deep_ = false;  // a state was left unexpanded because of its depth
  bool ended_ = false;     // at a violation
};

}  // namespace comback

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/findings.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/successor_batch.h"
#include "engine/trace.h"
#include "engine/visited.h"
#include "storage/backedge_table.h"
#include "storage/bytes.h"
#include "storage/descriptor_log.h"
#include "storage/memory_budget.h"

namespace comback {

// Breadth-first search over one of the sets of engine/visited.h. States are expanded by increasing
// id, and ids are given in the order (predecessor, event), so the queue is the log of descriptors
// from `head_` on.
//
// Where the set keeps descriptors, a trace is found by expanding the levels above once more, and
// costs no memory; otherwise by backedges.
template <class Visited>
class BreadthFirstSearch {
 public:
  // REQUIRES: all outlive the search; `visited` is open and empty.
  BreadthFirstSearch(const Model& model, const SearchOptions& options, Monitor& monitor,
                     MemoryBudget& budget, Visited& visited, Summary& summary)
      : model_(model),
        options_(options),
        budget_(budget),
        visited_(visited),
        summary_(summary),
        findings_(model, options, summary),
        control_(options, monitor),
        width_(model.width()),
        batch_(model),
        own_queue_(width_, budget),
        backedges_(budget) {}

  // What the driver itself allocates, beside the visited set.
  static std::uint64_t min_bytes(std::size_t width) {
    return Visited::kKeepsDescriptors ? 0 : DescriptorLog::chunk_bytes(width) + 64 * 1024;
  }

  Status run() {
    if (const StopReason stop = start(); stop != StopReason::kNone) return finish(stop);
    while (head_ < log().size()) {
      if (options_.max_depth && depth_at(head_) > *options_.max_depth) {
        return finish(StopReason::kMaxDepth);
      }
      expand_batch();
      const StopReason stop = insert_batch();
      if (ended_ || stop != StopReason::kNone) return finish(stop);
      if constexpr (!Visited::kKeepsDescriptors) log().release_below(head_);
      if (control_.due(head_)) {
        if (const StopReason polled = poll(); polled != StopReason::kNone) return finish(polled);
      }
    }
    return finish(StopReason::kNone);
  }

 private:
  using Key = typename Visited::Key;
  using Batch = SuccessorBatch<Key>;

  // The descriptors by id: all of them, or those from head_ on.
  DescriptorLog& log() {
    if constexpr (Visited::kKeepsDescriptors) {
      return visited_.log();
    } else {
      return own_queue_;
    }
  }

  StopReason start() {
    std::vector<std::byte> initial(width_ + kDescriptorSlack);
    model_.initial(initial.data());
    const StopReason stop = insert(visited_.key(initial.data()), initial.data(), 0, 0);
    level_end_ = log().size();
    if (stop == StopReason::kNone) summary_.level_sizes.push_back(1);
    return stop;
  }

  // While states of level depth_ are being expanded the log ends with states of the next level.
  std::uint64_t depth_at(StateId id) const { return depth_ + (id >= level_end_ ? 1 : 0); }

  void expand_batch() {
    batch_.clear();
    for (StateId id = head_; id < log().size() && !batch_.full(); ++id) {
      if (options_.max_depth && depth_at(id) > *options_.max_depth) break;
      batch_.add(log().get(id), visited_);
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) visited_.prefetch_match(batch_.key(i));
  }

  StopReason insert_batch() {
    std::size_t next = 0;
    for (const typename Batch::Expanded& state : batch_.states()) {
      if (head_ == level_end_) {
        summary_.level_sizes.push_back(log().size() - level_end_);
        level_end_ = log().size();
        ++depth_;
      }
      if (!inspect(head_, state)) {
        ended_ = true;
        return StopReason::kNone;
      }
      summary_.transitions += state.count;
      for (std::uint32_t i = 0; i < state.count; ++i, ++next) {
        const StopReason stop =
            insert(batch_.key(next), batch_.descriptor(next), head_, batch_.event(next));
        if (stop != StopReason::kNone) return stop;
      }
      ++head_;
    }
    return StopReason::kNone;
  }

  // Looks for violations; false where the search ends.
  bool inspect(StateId id, const typename Batch::Expanded& state) {
    if (findings_.looks_at_states() && !findings_.check_state(log().get(id), place(id))) {
      return false;
    }
    if (state.faulted) return findings_.fault(batch_.fault(), place(id));
    if (state.count != 0) return true;
    ++summary_.deadlocks;
    return findings_.deadlock(place(id));
  }

  Findings::Place place(StateId id) {
    return {id, depth_at(id), [this, id] { return trace_to(id); }};
  }

  StopReason insert(const Key& key, const std::byte* descriptor, StateId predecessor, Event event) {
    const Admission admission =
        admit(visited_, key, descriptor, options_.max_states, [&] { return log().reserve(1); });
    if (!admission.is_new) return admission.stop;
    if constexpr (!Visited::kKeepsDescriptors) {
      if (!backedges_.append(predecessor, event)) return StopReason::kMemory;
      log().append(descriptor);
    }
    return StopReason::kNone;
  }

  StopReason poll() {
    return control_.poll(head_, {.states = log().size(),
                                 .transitions = summary_.transitions,
                                 .queued = log().size() - head_,
                                 .level = depth_,
                                 .memory_bytes = budget_.used()});
  }

  // Every stored state is checked, also those that a limit keeps from being expanded.
  void check_unexpanded() {
    for (; head_ < log().size(); ++head_) {
      if (!findings_.check_state(log().get(head_), place(head_))) return;
    }
  }

  Status finish(StopReason stop) {
    if (findings_.looks_at_states() &&
        (stop == StopReason::kMaxStates || stop == StopReason::kMaxDepth)) {
      // The state at which a limit stopped the search has been checked already.
      if (stop == StopReason::kMaxStates) ++head_;
      check_unexpanded();
    }
    if (findings_.failure()) return *findings_.failure();
    if (log().size() > level_end_) summary_.level_sizes.push_back(log().size() - level_end_);
    summary_.states = log().size();
    summary_.events = summary_.transitions;
    summary_.wraps = batch_.wraps();
    summary_.visited_bytes = visited_.bytes();
    summary_.omission_probability = visited_.omission_probability();
    summary_.seconds = control_.seconds();
    findings_.conclude(stop);
    return Done{};
  }

  Result<Trace> trace_to(StateId id) {
    const std::byte* const target = log().get(id);
    std::vector<Event> events;
    if constexpr (Visited::kKeepsDescriptors) {
      events = find_path(id);
    } else {
      for (StateId at = id; at != 0;) {
        const Backedge edge = backedges_.find(at);
        events.push_back(edge.event);
        at = edge.predecessor;
      }
    }
    std::reverse(events.begin(), events.end());
    return make_trace(model_, events, target);
  }

  // The events of a shortest path to `id`, the last first: on each level above, the first state
  // that has the one below as a successor is its predecessor in the search tree.
  std::vector<Event> find_path(StateId id) {
    std::vector<Event> events;
    SuccessorBuffer successors(width_, model_.max_successors());
    std::size_t level = depth_at(id);
    StateId level_start = 0;
    for (std::size_t l = 0; l < level; ++l) level_start += summary_.level_sizes[l];
    while (level > 0) {
      const StateId end = level_start;
      --level;
      level_start -= summary_.level_sizes[level];
      const std::byte* const target = log().get(id);
      for (StateId s = level_start; s < end; ++s) {
        if (const auto event = event_to(s, target, successors)) {
          events.push_back(*event);
          id = s;
          break;
        }
      }
    }
    return events;
  }

  std::optional<Event> event_to(StateId from, const std::byte* target, SuccessorBuffer& buffer) {
    model_.successors(log().get(from), buffer);
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      if (equal_bytes(buffer.descriptor(i), target, width_)) return buffer.event(i);
    }
    return {};
  }

  const Model& model_;
  const SearchOptions& options_;
  MemoryBudget& budget_;
  Visited& visited_;
  Summary& summary_;
  Findings findings_;
  SearchControl control_;

  std::size_t width_;
  Batch batch_;

  DescriptorLog own_queue_;  // where the visited set keeps no descriptors
  BackedgeTable backedges_;  // likewise
  StateId head_ = 0;         // the next state to expand
  std::uint64_t depth_ = 0;  // its level, or the one before where head_ == level_end_
  StateId level_end_ = 0;    // the first id of the level after depth_
  bool ended_ = false;       // at a violation
};

}  // namespace comback

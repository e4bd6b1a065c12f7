#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/findings.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/successor_stack.h"
#include "engine/trace.h"
#include "engine/visited.h"
#include "storage/bytes.h"
#include "storage/memory_budget.h"
#include "storage/record_stack.h"

namespace comback {

// Depth-first search over one of the sets of engine/visited.h, in the order of the recursive
// search: successors by increasing event, each looked up only when its turn comes.
//
// A set that forgets states (follow()) is told what is on the stack; a state that it has forgotten
// is visited again, under a new id.
//
// A frame of the stack is a state and a position among its successors: eight bytes where the
// visited set has the descriptor; its successors are in a SuccessorStack.
template <class Visited>
class DepthFirstSearch {
 public:
  // REQUIRES: all outlive the search; `visited` is open and empty.
  DepthFirstSearch(const Model& model, const SearchOptions& options, Monitor& monitor,
                   MemoryBudget& budget, Visited& visited, Summary& summary)
      : model_(model),
        options_(options),
        budget_(budget),
        visited_(visited),
        summary_(summary),
        findings_(model, options, summary),
        control_(options, monitor),
        width_(model.width()),
        successors_(model),
        stack_(frame_bytes(width_), budget) {}

  // What the driver itself allocates, beside the visited set.
  static std::uint64_t min_bytes(std::size_t width) {
    return RecordStack::min_bytes(frame_bytes(width));
  }

  Status run() {
    if constexpr (kForgets) {
      if (!visited_.follow(stack_, sizeof(std::uint32_t))) return finish(StopReason::kMemory);
    }
    std::vector<std::byte> initial(width_ + kDescriptorSlack);
    model_.initial(initial.data());
    StopReason stop = visit(visited_.key(initial.data()), initial.data());
    while (stop == StopReason::kNone && !ended_ && !stack_.empty()) {
      stop = step();
      if (stop == StopReason::kNone && control_.due(expanded_)) stop = poll();
    }
    return finish(stop);
  }

 private:
  using Key = typename Visited::Key;
  static constexpr std::uint32_t kExhausted = 0xffffffff;  // a position: nothing is left to try
  static constexpr bool kForgets = requires(Visited & visited) { visited.popping(); };

  static std::size_t frame_bytes(std::size_t width) {
    return sizeof(std::uint32_t) + (Visited::kKeepsDescriptors ? sizeof(std::uint32_t) : width);
  }
  static std::uint32_t position(const std::byte* frame) {
    std::uint32_t p;
    std::memcpy(&p, frame, sizeof p);
    return p;
  }
  static void set_position(std::byte* frame, std::uint32_t p) { std::memcpy(frame, &p, sizeof p); }
  const std::byte* descriptor(const std::byte* frame) {
    if constexpr (Visited::kKeepsDescriptors) {
      std::uint32_t id;
      std::memcpy(&id, frame + sizeof(std::uint32_t), sizeof id);
      return visited_.log().get(id);
    } else {
      return frame + sizeof(std::uint32_t);
    }
  }

  // From the topmost frame one edge down, or one up.
  StopReason step() {
    std::byte* const frame = stack_.top();
    std::uint32_t next = position(frame);
    if (next == kExhausted) {
      leave();
      return StopReason::kNone;
    }
    if (successors_.empty()) successors_.push_again(descriptor(frame), next, visited_);
    const std::uint32_t count = successors_.count();
    for (; next < count; ++next) {
      const std::uint64_t before = visited_.size();
      set_position(frame, next + 1 == count ? kExhausted : next + 1);
      const StopReason stop = visit(successors_.key(next), successors_.descriptor(next));
      if (stop != StopReason::kNone || visited_.size() != before) return stop;
    }
    leave();
    return StopReason::kNone;
  }

  void leave() {
    pop_frame();
    successors_.pop();
  }
  void pop_frame() {
    if constexpr (kForgets) visited_.popping();
    stack_.pop();
  }

  // Looks a state up and, where it is new, stores it, expands it and makes it the topmost frame.
  StopReason visit(const Key& key, const std::byte* state) {
    const StateId id = visited_.size();
    const Admission admission =
        admit(visited_, key, state, options_.max_states, [&] { return visited_.reserve(1); });
    return admission.is_new ? enter(id, state) : admission.stop;
  }

  StopReason enter(StateId id, const std::byte* state) {
    std::byte* const frame = stack_.push();
    if (frame == nullptr) return StopReason::kMemory;
    set_position(frame, 0);
    if constexpr (Visited::kKeepsDescriptors) {
      const auto id32 = static_cast<std::uint32_t>(id);
      std::memcpy(frame + sizeof(std::uint32_t), &id32, sizeof id32);
    } else {
      copy_bytes(frame + sizeof(std::uint32_t), state, width_);
    }
    if constexpr (kForgets) {
      if (!visited_.pushed()) return StopReason::kMemory;
    }
    const std::uint64_t depth = stack_.size() - 1;
    summary_.max_depth = std::max(summary_.max_depth, depth);
    const std::byte* const stored = descriptor(frame);
    if (findings_.looks_at_states() && !findings_.check_state(stored, place(id))) {
      ended_ = true;
      return StopReason::kNone;
    }
    if (options_.max_depth && depth > *options_.max_depth) {
      too_deep_ = true;
      pop_frame();
      return StopReason::kNone;
    }
    successors_.push(stored, 0, visited_);
    ++expanded_;
    const std::uint32_t count = successors_.count();
    summary_.transitions += count;
    if (successors_.faulted()) {
      ended_ = !findings_.fault(successors_.fault(), place(id));
    } else if (count == 0) {
      ++summary_.deadlocks;
      ended_ = !findings_.deadlock(place(id));
    }
    return StopReason::kNone;
  }

  Findings::Place place(StateId id) {
    return {id, stack_.size() - 1, [this] { return trace_to_top(); }};
  }

  StopReason poll() {
    return control_.poll(expanded_, {.states = visited_.size(),
                                     .transitions = summary_.transitions,
                                     .queued = stack_.size(),
                                     .level = stack_.size(),
                                     .memory_bytes = budget_.used()});
  }

  Status finish(StopReason stop) {
    if (findings_.failure()) return *findings_.failure();
    if (stop == StopReason::kNone && too_deep_) stop = StopReason::kMaxDepth;
    summary_.states = visited_.size();
    summary_.events = summary_.transitions;
    summary_.wraps = successors_.wraps();
    summary_.visited_bytes = visited_.bytes();
    summary_.omission_probability = visited_.omission_probability();
    if constexpr (kForgets) visited_.describe(summary_);
    summary_.seconds = control_.seconds();
    findings_.conclude(stop);
    return Done{};
  }

  // Every frame below the topmost one has just taken the event before its position.
  Result<Trace> trace_to_top() {
    std::vector<Event> events;
    SuccessorBuffer successors(width_, model_.max_successors());
    for (std::uint64_t i = 0; i + 1 < stack_.size(); ++i) {
      const std::byte* const frame = stack_.at(i);
      model_.successors(descriptor(frame), successors);
      const std::uint32_t p = position(frame);
      events.push_back(successors.event((p == kExhausted ? successors.size() : p) - 1));
    }
    return make_trace(model_, events, descriptor(stack_.top()));
  }

  const Model& model_;
  const SearchOptions& options_;
  MemoryBudget& budget_;
  Visited& visited_;
  Summary& summary_;
  Findings findings_;
  SearchControl control_;

  std::size_t width_;
  SuccessorStack<Key> successors_;
  RecordStack stack_;
  std::uint64_t expanded_ = 0;
  bool too_deep_ = false;  // a state was left unexpanded because of its depth
  bool ended_ = false;     // at a violation
};

}  // namespace comback

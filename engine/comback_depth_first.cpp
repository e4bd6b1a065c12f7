#include "engine/comback_depth_first.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "engine/reconstruct.h"
#include "engine/trace.h"
#include "storage/bytes.h"

namespace comback {
namespace {

std::size_t frame_bytes(std::size_t frame_size, const SearchOptions& options, std::size_t width) {
  if (options.comback.queue == ComBackOptions::Queue::kIds) return frame_size;
  return (frame_size + width + alignof(std::uint32_t) - 1) / alignof(std::uint32_t) *
         alignof(std::uint32_t);
}

}  // namespace

ComBackDepthFirst::ComBackDepthFirst(const Model& model, const SearchOptions& options,
                                     SearchControl& control, MemoryBudget& budget, ComBackSet& set,
                                     Summary& summary)
    : model_(model),
      options_(options),
      stack_of_ids_(options.comback.queue == ComBackOptions::Queue::kIds),
      control_(control),
      budget_(budget),
      set_(set),
      summary_(summary),
      findings_(model, options, summary),
      width_(model.width()),
      successors_(model),
      stack_(frame_bytes(sizeof(Frame), options, width_), budget),
      charge_(budget),
      child_(width_ + kDescriptorSlack) {}

std::uint64_t ComBackDepthFirst::min_bytes(const SearchOptions& options, std::size_t width) {
  return RecordStack::min_bytes(frame_bytes(sizeof(Frame), options, width));
}

Status ComBackDepthFirst::run() {
  model_.initial(child_.data());
  const ComBackSet::Outcome outcome =
      set_.insert(set_.key(child_.data()), child_.data(), {0, 0, 0});
  StopReason stop = stop_for(outcome);
  if (outcome == ComBackSet::Outcome::kNew) stop = enter(0, child_.data());
  while (stop == StopReason::kNone && !ended_ && !stack_.empty()) {
    stop = step();
    if (stop == StopReason::kNone && control_.due(expanded_)) stop = poll();
  }
  return finish(stop);
}

ComBackDepthFirst::Frame& ComBackDepthFirst::frame_at(std::uint64_t depth) {
  return *reinterpret_cast<Frame*>(stack_.at(depth));
}

// Valid until the next change of the set.
const std::byte* ComBackDepthFirst::descriptor(std::uint64_t depth) {
  return stack_of_ids_ ? set_.reconstruct(frame_at(depth).id) : stack_.at(depth) + sizeof(Frame);
}

// From the topmost frame one edge down, or one up.
StopReason ComBackDepthFirst::step() {
  const std::uint64_t depth = stack_.size() - 1;
  bool entered = false;
  if (const StopReason stop = try_successors(entered); stop != StopReason::kNone || entered) {
    return stop;
  }
  Frame& frame = frame_at(depth);
  if (frame.waiting != kNone) return enter_waiting();
  if (frame.marker == next_detection_) return detect();
  leave();
  return StopReason::kNone;
}

StopReason ComBackDepthFirst::try_successors(bool& entered) {
  const std::uint64_t depth = stack_.size() - 1;
  Frame& frame = frame_at(depth);
  if (frame.position == kExhausted) return StopReason::kNone;
  if (successors_.empty()) {
    successors_.push_again(descriptor(depth), frame.position, set_);
    repeated_events_ += successors_.count();
  }
  const std::uint32_t count = successors_.count();
  while (frame.position < count) {
    const std::uint32_t i = frame.position;
    frame.position = i + 1 == count ? kExhausted : i + 1;
    const std::byte* const successor = successors_.descriptor(i);
    const ComBackSet::Outcome outcome =
        set_.insert(successors_.key(i), successor, {frame.id, successors_.event(i), depth + 1});
    if (outcome == ComBackSet::Outcome::kKnown) continue;
    if (outcome == ComBackSet::Outcome::kMaybe) {
      frame.marker = next_detection_;
      if (!set_.candidates_full()) continue;
      if (const StopReason stop = detect(); stop != StopReason::kNone) return stop;
      continue;
    }
    if (outcome != ComBackSet::Outcome::kNew) return stop_for(outcome);
    ++frame.children;
    entered = true;
    return enter(set_.size() - 1, successor);
  }
  frame.position = kExhausted;
  return StopReason::kNone;
}

// Takes the first state that waits at the topmost frame.
StopReason ComBackDepthFirst::enter_waiting() {
  const std::uint64_t depth = stack_.size() - 1;
  Frame& frame = frame_at(depth);
  const std::uint32_t element = frame.waiting;
  const std::uint32_t id = waiting_[element].id;
  frame.waiting = waiting_[element].next;
  waiting_[element].next = free_waiting_;
  free_waiting_ = element;
  copy_bytes(child_.data(), descriptor(depth), width_);
  model_.execute(child_.data(), set_.backedges().find(id).event);
  ++repeated_events_;
  return enter(id, child_.data());
}

StopReason ComBackDepthFirst::enter(StateId id, const std::byte* state) {
  std::byte* const record = stack_.push();
  if (record == nullptr) return StopReason::kMemory;
  Frame& frame = *reinterpret_cast<Frame*>(record);
  frame = {static_cast<std::uint32_t>(id), 0, 0, kNone, 0};
  if (!stack_of_ids_) {
    copy_bytes(record + sizeof(Frame), state, width_);
    state = record + sizeof(Frame);
  } else if (state != child_.data()) {
    // The area that holds it may move.
    copy_bytes(child_.data(), state, width_);
    state = child_.data();
  }
  top_ = state;
  const std::uint64_t depth = stack_.size() - 1;
  summary_.max_depth = std::max(summary_.max_depth, depth);
  if (findings_.looks_at_states() && !findings_.check_state(state, place(id))) {
    ended_ = true;
    return StopReason::kNone;
  }
  if (options_.max_depth && depth > *options_.max_depth) {
    too_deep_ = true;
    stack_.pop();
    return StopReason::kNone;
  }
  successors_.push(state, 0, set_);
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

void ComBackDepthFirst::leave() {
  const std::uint64_t depth = stack_.size() - 1;
  const Frame frame = frame_at(depth);
  if (set_.cache().would_take(frame.id, depth, frame.children)) {
    set_.cache().expanded(frame.id, descriptor(depth), depth, frame.children);
  }
  stack_.pop();
  successors_.pop();
}

StopReason ComBackDepthFirst::detect() {
  ++next_detection_;
  const auto accept = [](const ComBackSet::Edge&) { return true; };
  const auto added = [&](const ComBackSet::Edge& edge, const std::byte*) {
    // A frame is not left while it has a marker, so the predecessor is still where it was.
    Frame& frame = frame_at(edge.depth - 1);
    assert(frame.id == edge.predecessor);
    ++frame.children;
    if (free_waiting_ == kNone) {
      free_waiting_ = static_cast<std::uint32_t>(waiting_.size());
      waiting_.push_back({0, kNone});
    }
    const std::uint32_t element = free_waiting_;
    free_waiting_ = waiting_[element].next;
    waiting_[element] = {static_cast<std::uint32_t>(set_.size() - 1), frame.waiting};
    frame.waiting = element;
  };
  const StopReason stop = stop_for(set_.detect(accept, added));
  if (stop != StopReason::kNone) return stop;
  return charge_.raise_to(waiting_.capacity() * sizeof(Waiting)) ? StopReason::kNone
                                                                 : StopReason::kMemory;
}

Findings::Place ComBackDepthFirst::place(StateId id) {
  return {id, stack_.size() - 1,
          [this, id] { return make_trace(model_, path_to(set_.backedges(), id), top_); }};
}

StopReason ComBackDepthFirst::poll() {
  return control_.poll(expanded_, {.states = set_.size(),
                                   .transitions = summary_.transitions,
                                   .queued = stack_.size(),
                                   .level = stack_.size(),
                                   .memory_bytes = budget_.used()});
}

Status ComBackDepthFirst::finish(StopReason stop) {
  if (findings_.failure()) return *findings_.failure();
  if (stop == StopReason::kNone && too_deep_) stop = StopReason::kMaxDepth;
  summary_.states = set_.size();
  summary_.wraps = successors_.wraps();
  summary_.reconstruction_events = repeated_events_;
  findings_.conclude(stop);
  return Done{};
}

}  // namespace comback

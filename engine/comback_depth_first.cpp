#include "engine/comback_depth_first.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "engine/reconstruct.h"
#include "engine/trace.h"
#include "storage/bytes.h"

namespace comback {
namespace {

constexpr std::size_t kSlack = 64;

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
      max_successors_(std::max<std::size_t>(1, model.max_successors())),
      area_capacity_(kAreaStates + 2 * max_successors_),
      area_(width_, area_capacity_),
      area_descriptors_(area_.view.descriptors),
      area_events_(area_.view.events),
      keys_(area_capacity_),
      stack_(frame_bytes(sizeof(Frame), options, width_), budget),
      charge_(budget),
      child_(width_ + kSlack) {}

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
  if (blocks_.empty()) {
    const std::uint64_t wraps = area_.wraps();
    generate(descriptor(depth), frame.position);
    area_.view.wraps = wraps;  // counted the first time
    repeated_events_ += blocks_.back().count;
  }
  const Block block = blocks_.back();
  while (frame.position < block.count) {
    const std::size_t i = block.start + frame.position;
    frame.position = frame.position + 1 == block.count ? kExhausted : frame.position + 1;
    const std::byte* const successor = area_descriptors_ + i * width_;
    const ComBackSet::Outcome outcome =
        set_.insert(keys_[i], successor, {frame.id, area_events_[i], depth + 1});
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
  generate(state, 0);
  ++expanded_;
  const std::uint32_t count = blocks_.back().count;
  summary_.transitions += count;
  if (area_.faulted()) {
    ended_ = !findings_.fault(area_.fault(), place(id));
  } else if (count == 0) {
    ++summary_.deadlocks;
    ended_ = !findings_.deadlock(place(id));
  }
  return StopReason::kNone;
}

void ComBackDepthFirst::leave() {
  const std::uint64_t depth = stack_.size() - 1;
  const Frame frame = frame_at(depth);
  if (set_.cache().would_take(depth, frame.children)) {
    set_.cache().expanded(frame.id, descriptor(depth), depth, frame.children);
  }
  stack_.pop();
  if (!blocks_.empty()) {
    area_used_ = blocks_.back().start;
    blocks_.pop_back();
  }
}

// Puts the successors of the topmost frame in the area; those from `first` on are needed.
void ComBackDepthFirst::generate(const std::byte* state, std::uint32_t first) {
  if (area_used_ + max_successors_ > area_capacity_) forget_old_blocks();
  area_.view.descriptors = area_descriptors_ + area_used_ * width_;
  area_.view.events = area_events_ + area_used_;
  model_.successors(state, area_);
  for (std::uint32_t i = first; i < area_.size(); ++i) {
    keys_[area_used_ + i] = set_.key(area_.descriptor(i));
    set_.prefetch(keys_[area_used_ + i]);
  }
  blocks_.push_back({area_used_, area_.size()});
  area_used_ += area_.size();
}

// Forgets the lower half of the area.
void ComBackDepthFirst::forget_old_blocks() {
  std::size_t kept = blocks_.size();
  while (kept > 0 && blocks_[kept - 1].start * 2 >= area_used_) --kept;
  const std::size_t from = kept == blocks_.size() ? area_used_ : blocks_[kept].start;
  const std::size_t count = area_used_ - from;
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(kept));
  std::memmove(area_descriptors_, area_descriptors_ + from * width_, count * width_);
  std::memmove(area_events_, area_events_ + from, count * sizeof(Event));
  std::memmove(keys_.data(), keys_.data() + from, count * sizeof keys_[0]);
  for (Block& block : blocks_) block.start -= from;
  area_used_ = count;
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
  summary_.wraps = area_.wraps();
  summary_.reconstruction_events = repeated_events_;
  findings_.conclude(stop);
  return Done{};
}

}  // namespace comback

#include "engine/comback_breadth_first.h"

#include <algorithm>

#include "engine/reconstruct.h"
#include "engine/trace.h"
#include "storage/bytes.h"

namespace comback {

ComBackBreadthFirst::ComBackBreadthFirst(const Model& model, const SearchOptions& options,
                                         bool level_ends, SearchControl& control,
                                         MemoryBudget& budget, ComBackSet& set, Summary& summary)
    : model_(model),
      options_(options),
      queue_of_ids_(options.comback.queue == ComBackOptions::Queue::kIds),
      level_ends_(level_ends),
      control_(control),
      budget_(budget),
      set_(set),
      summary_(summary),
      findings_(model, options, summary),
      width_(model.width()),
      batch_(model),
      queue_(width_, budget) {}

std::uint64_t ComBackBreadthFirst::min_bytes(const SearchOptions& options, std::size_t width) {
  if (options.comback.queue == ComBackOptions::Queue::kStates) {
    return DescriptorLog::chunk_bytes(width);
  }
  return *options.comback.queue_block * width + kDescriptorSlack + Mapping::kPage;
}

bool ComBackBreadthFirst::open() {
  if (!queue_of_ids_) return queue_.reserve(1);
  block_ = Mapping::allocate(*options_.comback.queue_block * width_ + kDescriptorSlack, budget_);
  return static_cast<bool>(block_);
}

Result<ComBackBreadthFirst::End> ComBackBreadthFirst::run() {
  const StopReason stop = explore();
  if (!late_) {
    if (Status status = finish(stop); !status && !late_) return status.error();
  }
  return late_ ? End::kStartAgain : End::kDone;
}

StopReason ComBackBreadthFirst::explore() {
  if (const StopReason stop = start(); stop != StopReason::kNone) return stop;
  while (true) {
    if (head_ == set_.size()) {
      if (!set_.has_candidates()) return StopReason::kNone;
      if (const StopReason stop = detect(); stop != StopReason::kNone || late_) return stop;
      continue;
    }
    if (options_.max_depth && depth_at(head_) > *options_.max_depth) {
      // A candidate of this level's predecessors may still turn up.
      if (const StopReason stop = detect(); stop != StopReason::kNone || late_) return stop;
      return StopReason::kMaxDepth;
    }
    if (queue_of_ids_ && head_ == block_end_) {
      if (const StopReason stop = load_block(); stop != StopReason::kNone) return stop;
    }
    expand_batch();
    if (const StopReason stop = insert_batch(); stop != StopReason::kNone || ended_ || late_) {
      return stop;
    }
    if (!queue_of_ids_) queue_.release_below(head_);
    if (control_.due(head_)) {
      if (const StopReason stop = poll(); stop != StopReason::kNone) return stop;
    }
  }
}

StopReason ComBackBreadthFirst::start() {
  std::vector<std::byte> initial(width_ + kDescriptorSlack);
  model_.initial(initial.data());
  const StopReason stop = insert(set_.key(initial.data()), initial.data(), 0);
  level_end_ = set_.size();
  if (stop == StopReason::kNone) summary_.level_sizes.push_back(1);
  return stop;
}

const std::byte* ComBackBreadthFirst::waiting(StateId id) const {
  return queue_of_ids_ ? block_.data() + (id - block_first_) * width_ : queue_.get(id);
}

void ComBackBreadthFirst::expand_batch() {
  batch_.clear();
  // Nothing past the level's end: detection there may put states in between.
  StateId end = queue_of_ids_ ? block_end_ : set_.size();
  if (head_ < level_end_) end = std::min(end, level_end_);
  for (StateId id = head_; id < end && !batch_.full(); ++id) {
    if (options_.max_depth && depth_at(id) > *options_.max_depth) break;
    batch_.add(waiting(id), set_);
  }
}

StopReason ComBackBreadthFirst::insert_batch() {
  std::size_t next = 0;
  for (const Batch::Expanded& state : batch_.states()) {
    if (head_ == level_end_) {
      summary_.level_sizes.push_back(set_.size() - level_end_);
      level_start_ = level_end_;
      level_end_ = set_.size();
      ++depth_;
    }
    if (!inspect(head_, state)) {
      ended_ = true;
      return StopReason::kNone;
    }
    summary_.transitions += state.count;
    children_ = 0;
    for (std::uint32_t i = 0; i < state.count; ++i, ++next) {
      const StopReason stop = insert(batch_.key(next), batch_.descriptor(next), batch_.event(next));
      if (stop != StopReason::kNone || late_) return stop;
    }
    set_.cache().expanded(head_, waiting(head_), depth_, children_);
    ++head_;
    if (level_ends_ && head_ == level_end_ && set_.has_candidates()) {
      if (const StopReason stop = detect(); stop != StopReason::kNone) return stop;
    }
  }
  return StopReason::kNone;
}

StopReason ComBackBreadthFirst::insert(std::uint64_t key, const std::byte* descriptor,
                                       Event event) {
  if (!queue_of_ids_ && !queue_.reserve(1)) return StopReason::kMemory;
  const bool first = set_.size() == 0;
  const ComBackSet::Outcome outcome =
      set_.insert(key, descriptor, {head_, event, first ? 0 : depth_ + 1});
  switch (outcome) {
    case ComBackSet::Outcome::kKnown:
      return StopReason::kNone;
    case ComBackSet::Outcome::kNew:
      ++children_;
      if (!queue_of_ids_) queue_.append(descriptor);
      return StopReason::kNone;
    case ComBackSet::Outcome::kMaybe:
      return set_.candidates_full() ? detect() : StopReason::kNone;
    default:
      return stop_for(outcome);
  }
}

StopReason ComBackBreadthFirst::detect() {
  bool room = true;
  const auto accept = [&](const ComBackSet::Edge& edge) {
    late_ = edge.predecessor < level_start_;
    room = queue_of_ids_ || queue_.reserve(1);
    return !late_ && room;
  };
  const auto added = [&](const ComBackSet::Edge& edge, const std::byte* descriptor) {
    children_ += edge.predecessor == head_;
    if (!queue_of_ids_) queue_.append(descriptor);
  };
  const ComBackSet::Outcome outcome = set_.detect(accept, added);
  if (late_) return StopReason::kNone;
  return room ? stop_for(outcome) : StopReason::kMemory;
}

// Descriptors for the next ids of the queue: as many as wait, up to the size of a block.
StopReason ComBackBreadthFirst::load_block() {
  block_first_ = head_;
  block_end_ = std::min(set_.size(), head_ + *options_.comback.queue_block);
  block_ids_.clear();
  for (StateId id = block_first_; id < block_end_; ++id) block_ids_.push_back(id);
  const bool done = set_.reconstruct_all(block_ids_, [&](StateId id, const std::byte* descriptor) {
    copy_bytes(block_.data() + (id - block_first_) * width_, descriptor, width_);
  });
  return done ? StopReason::kNone : StopReason::kMemory;
}

bool ComBackBreadthFirst::inspect(StateId id, const Batch::Expanded& state) {
  inspected_end_ = id + 1;
  if (findings_.looks_at_states() && !findings_.check_state(waiting(id), place(id))) return false;
  if (state.faulted) return findings_.fault(batch_.fault(), place(id));
  if (state.count != 0) return true;
  ++summary_.deadlocks;
  return findings_.deadlock(place(id));
}

Findings::Place ComBackBreadthFirst::place(StateId id) {
  return {id, depth_at(id), [this, id] { return trace_to(id); }};
}

Result<Trace> ComBackBreadthFirst::trace_to(StateId id) {
  // The path is shortest if no candidate is late.
  if (set_.has_candidates()) detect();
  if (late_) return Error{Errc::kCorruption, "levels out of order"};  // never seen: starts again
  const std::vector<Event> events = path_to(set_.backedges(), id);
  if (queue_of_ids_ && (id < block_first_ || id >= block_end_)) return replay(model_, events);
  return make_trace(model_, events, waiting(id));
}

StopReason ComBackBreadthFirst::poll() {
  return control_.poll(head_, {.states = set_.size(),
                               .transitions = summary_.transitions,
                               .queued = set_.size() - head_,
                               .level = depth_,
                               .memory_bytes = budget_.used()});
}

// Every stored state is checked, also those that a limit keeps from being expanded.
void ComBackBreadthFirst::check_unexpanded() {
  for (StateId id = inspected_end_; id < set_.size(); ++id) {
    const std::byte* const state = queue_of_ids_ ? set_.reconstruct(id) : queue_.get(id);
    if (!findings_.check_state(state, place(id))) return;
  }
}

Status ComBackBreadthFirst::finish(StopReason stop) {
  if (findings_.looks_at_states() &&
      (stop == StopReason::kMaxStates || stop == StopReason::kMaxDepth)) {
    check_unexpanded();
  }
  if (findings_.failure()) return *findings_.failure();
  if (set_.size() > level_end_) summary_.level_sizes.push_back(set_.size() - level_end_);
  summary_.states = set_.size();
  summary_.wraps = batch_.wraps();
  findings_.conclude(stop);
  return Done{};
}

}  // namespace comback

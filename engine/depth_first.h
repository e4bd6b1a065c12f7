#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/findings.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/trace.h"
#include "storage/bytes.h"
#include "storage/descriptor_log.h"
#include "storage/insertion.h"
#include "storage/memory_budget.h"
#include "storage/record_stack.h"

namespace comback {

// Depth-first search over one of the sets of engine/visited.h, in the order of the recursive
// search: successors by increasing event, each looked up only when its turn comes.
//
// A frame of the stack is a state and a position among its successors: eight bytes where the
// visited set has the descriptor. The successors of the topmost frames are kept in a small area;
// those of a frame that has been buried too deep are generated again when the search is back.
// A state is left at most once for each child, so at most every state is generated twice.
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
        max_successors_(std::max<std::size_t>(1, model.max_successors())),
        area_capacity_(kAreaStates + 2 * max_successors_),
        area_(width_, area_capacity_),
        area_descriptors_(area_.view.descriptors),
        area_events_(area_.view.events),
        keys_(area_capacity_),
        stack_(frame_bytes(width_), budget) {}

  // What the driver itself allocates, beside the visited set.
  static std::uint64_t min_bytes(std::size_t width) {
    return RecordStack::min_bytes(frame_bytes(width));
  }

  Status run() {
    std::vector<std::byte> initial(width_ + 64);
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
  static constexpr std::size_t kAreaStates = 4096;
  static constexpr std::uint32_t kExhausted = 0xffffffff;  // a position: nothing is left to try

  // The successors of a frame, while they are in the area.
  struct Block {
    std::size_t start;
    std::uint32_t count;
  };

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
    if (blocks_.empty()) generate_again(descriptor(frame), next);
    const Block block = blocks_.back();
    for (; next < block.count; ++next) {
      const std::size_t i = block.start + next;
      const std::uint64_t before = visited_.size();
      set_position(frame, next + 1 == block.count ? kExhausted : next + 1);
      const StopReason stop = visit(keys_[i], area_descriptors_ + i * width_);
      if (stop != StopReason::kNone || visited_.size() != before) return stop;
    }
    leave();
    return StopReason::kNone;
  }

  void leave() {
    stack_.pop();
    if (!blocks_.empty()) {
      area_used_ = blocks_.back().start;
      blocks_.pop_back();
    }
  }

  // Puts the successors of the topmost frame in the area; those from `first` on are needed.
  void generate(const std::byte* state, std::uint32_t first) {
    if (area_used_ + max_successors_ > area_capacity_) forget_old_blocks();
    area_.view.descriptors = area_descriptors_ + area_used_ * width_;
    area_.view.events = area_events_ + area_used_;
    model_.successors(state, area_);
    for (std::uint32_t i = first; i < area_.size(); ++i) {
      keys_[area_used_ + i] = visited_.key(area_.descriptor(i));
      visited_.prefetch(keys_[area_used_ + i]);
    }
    blocks_.push_back({area_used_, area_.size()});
    area_used_ += area_.size();
  }

  void generate_again(const std::byte* state, std::uint32_t first) {
    const std::uint64_t wraps = area_.wraps();
    generate(state, first);
    area_.view.wraps = wraps;  // counted the first time
  }

  // Forgets the lower half of the area.
  void forget_old_blocks() {
    std::size_t kept = blocks_.size();
    while (kept > 0 && blocks_[kept - 1].start * 2 >= area_used_) --kept;
    const std::size_t from = kept == blocks_.size() ? area_used_ : blocks_[kept].start;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(kept));
    std::memmove(area_descriptors_, area_descriptors_ + from * width_,
                 (area_used_ - from) * width_);
    std::move(keys_.begin() + static_cast<std::ptrdiff_t>(from),
              keys_.begin() + static_cast<std::ptrdiff_t>(area_used_), keys_.begin());
    for (Block& block : blocks_) block.start -= from;
    area_used_ -= from;
  }

  // Looks a state up and, where it is new, stores it, expands it and makes it the topmost frame.
  StopReason visit(const Key& key, const std::byte* state) {
    if (options_.max_states && visited_.size() >= *options_.max_states) [[unlikely]] {
      return visited_.contains(key, state) ? StopReason::kNone : StopReason::kMaxStates;
    }
    if (!visited_.reserve(1)) [[unlikely]] {
      if (visited_.contains(key, state)) return StopReason::kNone;
      return visited_.size() >= DescriptorLog::kMaxSize ? StopReason::kTableFull
                                                        : StopReason::kMemory;
    }
    const std::uint64_t id = visited_.size();
    switch (visited_.insert(key, state)) {
      case Insertion::kKnown:
        return StopReason::kNone;
      case Insertion::kNoMemory:
        return StopReason::kMemory;
      case Insertion::kFull:
        return StopReason::kTableFull;
      case Insertion::kNew:
        break;
    }
    return enter(id, state);
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
    const std::uint64_t depth = stack_.size() - 1;
    summary_.max_depth = std::max(summary_.max_depth, depth);
    const std::byte* const stored = descriptor(frame);
    if (findings_.looks_at_states() && !findings_.check_state(stored, place(id))) {
      ended_ = true;
      return StopReason::kNone;
    }
    if (options_.max_depth && depth > *options_.max_depth) {
      too_deep_ = true;
      stack_.pop();
      return StopReason::kNone;
    }
    generate(stored, 0);
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
    summary_.wraps = area_.wraps();
    summary_.visited_bytes = visited_.bytes();
    summary_.omission_probability = visited_.omission_probability();
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
  std::size_t max_successors_;
  // The area: successors and their keys, those of blocks_ side by side; the view of area_ moves.
  std::size_t area_capacity_;
  SuccessorBuffer area_;
  std::byte* area_descriptors_;
  Event* area_events_;
  std::vector<Key> keys_;
  std::size_t area_used_ = 0;
  std::vector<Block> blocks_;  // of the topmost frames, the last one's at the back

  RecordStack stack_;
  std::uint64_t expanded_ = 0;
  bool too_deep_ = false;  // a state was left unexpanded because of its depth
  bool ended_ = false;     // at a violation
};

}  // namespace comback

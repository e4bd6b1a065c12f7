#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/model.h"

namespace comback {

// The successors of the topmost frames of a depth-first stack, with their keys. Those of a frame
// that has been buried too deep are forgotten, and generated again when the search is back. A state
// is left at most once for each child, so at most every state is generated twice.
template <class Key>
class SuccessorStack {
 public:
  explicit SuccessorStack(const Model& model)
      : model_(model),
        width_(model.width()),
        max_successors_(std::max<std::size_t>(1, model.max_successors())),
        capacity_(kSuccessors + 2 * max_successors_),
        area_(width_, capacity_),
        descriptors_(area_.view.descriptors),
        events_(area_.view.events),
        keys_(capacity_) {}

  // Generates the successors of the topmost frame's state and starts to look those from `first` on
  // up in `visited`. REQUIRES: `state` is not in this stack.
  template <class Visited>
  void push(const std::byte* state, std::uint32_t first, const Visited& visited) {
    if (used_ + max_successors_ > capacity_) forget_lower_half();
    area_.view.descriptors = descriptors_ + used_ * width_;
    area_.view.events = events_ + used_;
    model_.successors(state, area_);
    for (std::uint32_t i = first; i < area_.size(); ++i) {
      keys_[used_ + i] = visited.key(area_.descriptor(i));
      visited.prefetch(keys_[used_ + i]);
    }
    blocks_.push_back({used_, area_.size()});
    used_ += area_.size();
  }
  // The same for a state whose successors have been generated, and counted, before.
  template <class Visited>
  void push_again(const std::byte* state, std::uint32_t first, const Visited& visited) {
    const std::uint64_t wraps = area_.wraps();
    push(state, first, visited);
    area_.view.wraps = wraps;
  }
  // The topmost frame is left.
  void pop() {
    if (blocks_.empty()) return;
    used_ = blocks_.back().start;
    blocks_.pop_back();
  }

  // The topmost frame's successors have been forgotten.
  bool empty() const { return blocks_.empty(); }
  // Those of the topmost frame. REQUIRES: not empty().
  std::uint32_t count() const { return blocks_.back().count; }
  const Key& key(std::uint32_t i) const { return keys_[blocks_.back().start + i]; }
  const std::byte* descriptor(std::uint32_t i) const {
    return descriptors_ + (blocks_.back().start + i) * width_;
  }
  Event event(std::uint32_t i) const { return events_[blocks_.back().start + i]; }

  // Of the last push().
  bool faulted() const { return area_.faulted(); }
  const Fault& fault() const { return area_.fault(); }
  std::uint64_t wraps() const { return area_.wraps(); }  // so far

 private:
  static constexpr std::size_t kSuccessors = 4096;

  struct Block {
    std::size_t start;
    std::uint32_t count;
  };

  void forget_lower_half() {
    std::size_t kept = blocks_.size();
    while (kept > 0 && blocks_[kept - 1].start * 2 >= used_) --kept;
    const std::size_t from = kept == blocks_.size() ? used_ : blocks_[kept].start;
    const std::size_t count = used_ - from;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(kept));
    std::memmove(descriptors_, descriptors_ + from * width_, count * width_);
    std::memmove(events_, events_ + from, count * sizeof(Event));
    std::move(keys_.begin() + static_cast<std::ptrdiff_t>(from),
              keys_.begin() + static_cast<std::ptrdiff_t>(used_), keys_.begin());
    for (Block& block : blocks_) block.start -= from;
    used_ = count;
  }

  const Model& model_;
  std::size_t width_;
  std::size_t max_successors_;
  std::size_t capacity_;
  SuccessorBuffer area_;  // its view moves along its memory
  std::byte* descriptors_;
  Event* events_;
  std::vector<Key> keys_;
  std::size_t used_ = 0;
  std::vector<Block> blocks_;  // side by side; the topmost frame's at the back
};

}  // namespace comback

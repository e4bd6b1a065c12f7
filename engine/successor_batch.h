#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/model.h"

namespace comback {

// The successors of several states that a breadth-first search expands before it looks any of them
// up, so that the cache misses of about kStates look-ups overlap. They are inserted in the same
// order as one by one.
template <class Key>
class SuccessorBatch {
 public:
  struct Expanded {
    std::uint32_t count;  // of successors
    bool faulted;         // fault() says how
  };

  explicit SuccessorBatch(const Model& model)
      : model_(model),
        width_(model.width()),
        area_(width_, kStates + model.max_successors()),
        descriptors_(area_.view.descriptors),
        events_(area_.view.events),
        keys_(kStates + model.max_successors()) {
    states_.reserve(kStates);
  }

  void clear() {
    states_.clear();
    used_ = 0;
  }
  // Nothing can be added: there is enough, or the last state had a fault, which is kept.
  bool full() const {
    return used_ >= kStates || states_.size() >= kStates ||
           (!states_.empty() && states_.back().faulted);
  }

  // Expands a state and starts to look its successors up in `visited`. REQUIRES: not full().
  template <class Visited>
  void add(const std::byte* state, const Visited& visited) {
    area_.view.descriptors = descriptors_ + used_ * width_;
    area_.view.events = events_ + used_;
    model_.successors(state, area_);
    for (std::uint32_t i = 0; i < area_.size(); ++i) {
      keys_[used_ + i] = visited.key(area_.descriptor(i));
      visited.prefetch(keys_[used_ + i]);
    }
    states_.push_back({area_.size(), area_.faulted()});
    used_ += area_.size();
  }

  // The states in the order of add(), and the successors of all of them one after the other.
  const std::vector<Expanded>& states() const { return states_; }
  std::size_t size() const { return used_; }
  const Key& key(std::size_t i) const { return keys_[i]; }
  const std::byte* descriptor(std::size_t i) const { return descriptors_ + i * width_; }
  Event event(std::size_t i) const { return events_[i]; }

  const Fault& fault() const { return area_.fault(); }
  std::uint64_t wraps() const { return area_.wraps(); }  // so far

 private:
  static constexpr std::size_t kStates = 96;

  const Model& model_;
  std::size_t width_;
  SuccessorBuffer area_;  // its view moves along its memory
  std::byte* descriptors_;
  Event* events_;
  std::vector<Key> keys_;
  std::vector<Expanded> states_;
  std::size_t used_ = 0;
};

}  // namespace comback

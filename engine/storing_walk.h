#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/distinct_estimate.h"
#include "engine/search.h"
#include "engine/storing_strategy.h"
#include "engine/visited.h"
#include "engine/waiting_states.h"
#include "storage/backedge_table.h"
#include "storage/memory_budget.h"

namespace comback {

// Reachability with a storing strategy, state by state [behrmann03, Fig. 3]:
//
//   while (walk.take()) { ... look at the state and its successors ...; walk.go_on(); }
//
// Two walks with equal options take the same states in the same order, so a way to a state is found
// by walking again with `with_origin`, and costs nothing before.
//
// Invariant: a state is not stored and waiting at the same time.
class StoringWalk {
 public:
  // REQUIRES: all outlive it; `cover` is of `model` where the rule needs one.
  StoringWalk(const Model& model, const SearchOptions& options, const CoveringSet& cover,
              bool with_origin, MemoryBudget& budget);

  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& options) {
    return FullVisited::min_bytes(width, options) + WaitingStates::min_bytes(width);
  }
  // The initial state waits. False where the budget does not allow min_bytes().
  [[nodiscard]] bool open();

  // Takes the next waiting state, and generates its successors unless it is too deep. False: none
  // waits.
  bool take();
  // Stores the taken state, if it is to be, and lets its new successors wait. kNone, or what there
  // was no room for; calling it again then goes on where it stopped.
  StopReason go_on();

  // The taken state; 64 readable bytes follow it.
  const std::byte* state() const { return state_.data(); }
  std::uint64_t key() const { return key_; }
  std::uint64_t number() const { return explored_ - 1; }  // the how many-th that was taken
  std::uint64_t depth() const { return entry_.depth; }
  bool too_deep() const { return too_deep_; }
  const SuccessorBuffer& successors() const { return successors_; }

  // How many different states were taken, within about 1%.
  std::uint64_t estimated_states() const {
    return static_cast<std::uint64_t>(estimate_.value() + 0.5);
  }

  std::uint64_t explored() const { return explored_; }
  std::uint64_t stored() const { return stored_.size(); }
  std::uint64_t waiting() const { return waiting_.size(); }
  std::uint64_t peak_waiting() const { return peak_waiting_; }
  std::uint64_t peak_held() const { return peak_held_; }
  std::uint64_t bytes() const { return stored_.bytes() + waiting_.bytes(); }

  // The number of the state that the taken one was found from, and the event; of the initial state,
  // and of a walk without origin, (0, 0).
  Backedge origin() const { return {entry_.explorer, entry_.event}; }

 private:
  enum class Step { kStore, kSuccessors };

  bool relieves();
  bool is_outside_control_graphs(const std::byte* state) const;

  const Model& model_;
  const SearchOptions& options_;
  std::size_t width_;
  std::unique_ptr<StoringStrategy> strategy_;
  FullVisited stored_;
  WaitingStates waiting_;
  SuccessorBuffer successors_;

  std::vector<std::byte> state_;
  std::uint64_t key_ = 0;
  WaitingStates::Entry entry_;
  bool too_deep_ = false;
  Step step_ = Step::kStore;
  bool store_ = false;      // the taken state
  std::uint32_t next_ = 0;  // the successor to look at

  // Locations that no process declares, from the second on, of variables: error states.
  std::vector<std::pair<std::uint32_t, std::int64_t>> undeclared_locations_;

  DistinctEstimate estimate_;
  bool crowded_ = false;  // states are explored too often
  std::uint64_t next_look_ = 0;

  std::uint64_t explored_ = 0;
  std::uint64_t peak_waiting_ = 0;
  std::uint64_t peak_held_ = 0;
};

}  // namespace comback

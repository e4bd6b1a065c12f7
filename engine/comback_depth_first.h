#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/comback_set.h"
#include "engine/findings.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/successor_stack.h"
#include "storage/budget_charge.h"
#include "storage/record_stack.h"

namespace comback {

// Depth-first search with the ComBack method. With immediate detection it visits states in the
// order of the recursive search.
//
// With delayed detection [evangelista09, section 4.3] it goes down as long as states are surely
// new. A frame with successors among the candidates carries a marker; before it is left, duplicates
// are detected, and the search continues from the successors that turn out to be new. Where the
// set of candidates fills up earlier, new ones wait at their frames. A waiting state is not kept as
// a descriptor: its frame is on top when its turn comes, and one event gives it.
//
// A frame has the state's descriptor, or only its id (ComBackOptions::Queue).
class ComBackDepthFirst {
 public:
  // REQUIRES: all outlive the search; `options` resolved, `set` open and empty.
  ComBackDepthFirst(const Model& model, const SearchOptions& options, SearchControl& control,
                    MemoryBudget& budget, ComBackSet& set, Summary& summary);

  // Bytes that the stack takes at least.
  static std::uint64_t min_bytes(const SearchOptions& options, std::size_t width);

  Status run();

 private:
  static constexpr std::uint32_t kExhausted = 0xffffffff;  // a position: nothing is left to try
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Followed by the descriptor where the stack has descriptors.
  struct Frame {
    std::uint32_t id;
    std::uint32_t position;
    std::uint32_t children;  // states that have it as predecessor
    std::uint32_t waiting;   // its list in waiting_, or kNone
    std::uint32_t marker;    // the detection that its candidates wait for; 0: none
  };
  // A new state whose frame was not on top when it was found to be new.
  struct Waiting {
    std::uint32_t id;
    std::uint32_t next;
  };

  Frame& frame_at(std::uint64_t depth);
  const std::byte* descriptor(std::uint64_t depth);

  StopReason step();
  StopReason try_successors(bool& entered);
  StopReason enter_waiting();
  StopReason enter(StateId id, const std::byte* state);
  void leave();
  StopReason detect();
  Findings::Place place(StateId id);
  StopReason poll();
  Status finish(StopReason stop);

  const Model& model_;
  const SearchOptions& options_;
  bool stack_of_ids_;
  SearchControl& control_;
  MemoryBudget& budget_;
  ComBackSet& set_;
  Summary& summary_;
  Findings findings_;

  std::size_t width_;
  SuccessorStack<std::uint64_t> successors_;
  RecordStack stack_;
  std::vector<Waiting> waiting_;
  std::uint32_t free_waiting_ = kNone;  // the list of unused elements
  BudgetCharge charge_;
  std::vector<std::byte> child_;    // a waiting state on its way to the stack
  const std::byte* top_ = nullptr;  // the descriptor of the state that is being entered
  std::uint32_t next_detection_ = 1;
  std::uint64_t expanded_ = 0;
  std::uint64_t repeated_events_ = 0;  // successors generated again, and waiting states
  bool too_deep_ = false;              // a state was left unexpanded because of its depth
  bool ended_ = false;                 // at a violation
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/comback_set.h"
#include "engine/findings.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/successor_batch.h"
#include "storage/descriptor_log.h"

namespace comback {

// Breadth-first search with the ComBack method. Ids are given in the order of the queue, so the
// queue is the ids from `head_` on: their descriptors in a log, or reconstructed block by block.
//
// Delayed detection as published keeps the order of levels only as long as no candidate turns out
// to be new after the search has gone on to the next level. That takes a hash collision. It is
// noticed, before anything that depends on levels is reported; the search then starts again and
// detects duplicates at the end of every level too (`level_ends`).
class ComBackBreadthFirst {
 public:
  // REQUIRES: all outlive the search; `options` resolved, `set` open and empty.
  ComBackBreadthFirst(const Model& model, const SearchOptions& options, bool level_ends,
                      SearchControl& control, MemoryBudget& budget, ComBackSet& set,
                      Summary& summary);

  // Bytes that the queue takes at least.
  static std::uint64_t min_bytes(const SearchOptions& options, std::size_t width);
  [[nodiscard]] bool open();

  enum class End { kDone, kStartAgain };
  Result<End> run();

 private:
  using Batch = SuccessorBatch<std::uint64_t>;

  StopReason explore();
  StopReason start();
  void expand_batch();
  StopReason insert_batch();
  StopReason insert(std::uint64_t key, const std::byte* descriptor, Event event);
  StopReason detect();
  StopReason load_block();
  bool inspect(StateId id, const Batch::Expanded& state);
  void check_unexpanded();
  StopReason poll();
  Status finish(StopReason stop);
  Result<Trace> trace_to(StateId id);
  Findings::Place place(StateId id);

  // REQUIRES: head_ <= id, and id is in the current block where the queue has ids.
  const std::byte* waiting(StateId id) const;
  std::uint64_t depth_at(StateId id) const { return depth_ + (id >= level_end_ ? 1 : 0); }

  const Model& model_;
  const SearchOptions& options_;
  bool queue_of_ids_;
  bool level_ends_;
  SearchControl& control_;
  MemoryBudget& budget_;
  ComBackSet& set_;
  Summary& summary_;
  Findings findings_;

  std::size_t width_;
  Batch batch_;

  DescriptorLog queue_;
  Mapping block_;  // descriptors of the ids from block_first_ to before block_end_
  StateId block_first_ = 0;
  StateId block_end_ = 0;
  std::vector<StateId> block_ids_;

  StateId head_ = 0;            // the next state to expand
  StateId inspected_end_ = 0;   // all before it have been checked
  std::uint64_t depth_ = 0;     // its level, or the one before where head_ == level_end_
  StateId level_start_ = 0;     // the first id of that level
  StateId level_end_ = 0;       // the first id of the level after depth_
  std::uint64_t children_ = 0;  // of the state that is being expanded
  bool late_ = false;           // the order of levels is broken
  bool ended_ = false;          // at a violation
};

}  // namespace comback

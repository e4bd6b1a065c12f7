#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/disk_backedges.h"
#include "storage/level_store.h"

namespace comback {

// The tree that a run has stored: every state as the edge that first reached it. States are
// numbered by (level, predecessor, event), so predecessors never decrease from id to id, and the
// children of a state, and all its descendants on one level, are neighbours.
//
// Threads: many may read.
struct StoredTree {
  std::vector<StateId> first_ids;            // of every level, then the number of states
  const DiskBackedges* backedges = nullptr;  // of all of them, committed
  const LevelStore* levels = nullptr;        // descriptors of the levels it holds; may be null

  std::uint32_t depth() const { return static_cast<std::uint32_t>(first_ids.size() - 1); }
  std::uint64_t states() const { return first_ids.back(); }
  StateId first(std::uint32_t level) const { return first_ids[level]; }
  StateId end(std::uint32_t level) const { return first_ids[level + 1]; }
  std::uint64_t size(std::uint32_t level) const { return end(level) - first(level); }
  std::uint64_t widest() const;
  // REQUIRES: id < states()
  std::uint32_t level_of(StateId id) const {
    return static_cast<std::uint32_t>(std::upper_bound(first_ids.begin(), first_ids.end(), id) -
                                      first_ids.begin() - 1);
  }
  bool held(std::uint32_t level) const {
    return levels != nullptr && level < levels->levels() && levels->held(level);
  }

  // That the table has as many entries as there are states, and that level 0 is the initial state.
  Status check() const;

  // The events that lead from the initial state to `id`. REQUIRES: id < states()
  Result<std::vector<Event>> path_to(StateId id) const;
};

}  // namespace comback

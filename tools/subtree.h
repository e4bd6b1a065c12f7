#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "engine/stored_tree.h"
#include "io/result.h"

namespace comback::tools {

// A part of a run's tree: the state `root` and its descendants, at most `depth` events away and at
// most `max_states` in all, those nearest to the root first.
struct SubtreeRange {
  StateId root = 0;
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t max_states = std::numeric_limits<std::uint64_t>::max();
};

// The ids of one level that belong to it: neighbours.
struct SubtreeLevel {
  std::uint32_t level = 0;  // in the run
  StateId first = 0;
  StateId end = 0;
};

// Its levels, the root's first. REQUIRES: range.root < tree.states()
Result<std::vector<SubtreeLevel>> subtree_levels(const StoredTree& tree, const SubtreeRange& range);

// The children of the states first .. end-1, which are on `level`: on the next one, neighbours.
Result<SubtreeLevel> children_of(const StoredTree& tree, DiskBackedges::Reader& reader,
                                 const SubtreeLevel& parents);

}  // namespace comback::tools

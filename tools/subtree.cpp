#include "tools/subtree.h"

#include <algorithm>

namespace comback::tools {
namespace {

// The first id of first .. end-1 whose predecessor is not smaller than `predecessor`; `end` where
// there is none. Predecessors never decrease.
Result<StateId> first_child(DiskBackedges::Reader& reader, StateId first, StateId end,
                            StateId predecessor) {
  while (first < end) {
    const StateId middle = first + (end - first) / 2;
    const Result<Backedge> edge = reader.find(middle);
    if (!edge) return edge.error();
    if (edge->predecessor < predecessor) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

}  // namespace

Result<SubtreeLevel> children_of(const StoredTree& tree, DiskBackedges::Reader& reader,
                                 const SubtreeLevel& parents) {
  const std::uint32_t level = parents.level + 1;
  if (level >= tree.depth()) return SubtreeLevel{level, tree.states(), tree.states()};
  SubtreeLevel children{level, tree.first(level), tree.end(level)};
  // Mostly the parents are a whole level, and then so are the children.
  if (parents.first > tree.first(parents.level)) {
    const auto first = first_child(reader, children.first, children.end, parents.first);
    if (!first) return first.error();
    children.first = *first;
  }
  if (parents.end < tree.end(parents.level)) {
    const auto end = first_child(reader, children.first, children.end, parents.end);
    if (!end) return end.error();
    children.end = *end;
  }
  return children;
}

Result<std::vector<SubtreeLevel>> subtree_levels(const StoredTree& tree,
                                                 const SubtreeRange& range) {
  DiskBackedges::Reader reader(*tree.backedges);
  std::vector<SubtreeLevel> levels;
  std::uint64_t left = range.max_states;
  SubtreeLevel level{tree.level_of(range.root), range.root, range.root + 1};
  while (level.first < level.end && left > 0 && levels.size() <= range.depth) {
    level.end = level.first + std::min(level.end - level.first, left);
    left -= level.end - level.first;
    levels.push_back(level);
    const auto children = children_of(tree, reader, level);
    if (!children) return children.error();
    level = *children;
  }
  return levels;
}

}  // namespace comback::tools

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/stored_tree.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// The shape of the backedge tree of a run: everything that can be told from the edges alone,
// without executing anything.
struct TreeShape {
  struct Subtree {
    StateId root = 0;
    StateId predecessor = 0;
    Event event = 0;  // that leads into it
    std::uint32_t depth = 0;
    std::uint64_t states = 0;  // with its root
  };
  struct Level {
    std::uint64_t states = 0;
    std::uint64_t leaves = 0;                             // states that reached no new one
    std::uint64_t max_children = 0;                       // of any state
    Subtree heaviest;                                     // of those that begin on this level
    std::vector<std::pair<Event, std::uint64_t>> events;  // that reached its states, by event
  };

  std::vector<Level> levels;
  std::uint64_t states = 0;
  std::uint64_t leaves = 0;
  StateId widest_branching = 0;                         // a state with the most children
  std::uint64_t max_children = 0;                       // how many
  std::vector<std::uint64_t> children;                  // states by number of children; see below
  std::vector<std::uint64_t> subtree_sizes;             // [k]: subtrees of 2^k to 2^(k+1)-1 states
  std::vector<std::pair<Event, std::uint64_t>> events;  // states first reached by it, by event
  std::uint32_t heaviest_depth = 0;                     // where the heaviest subtrees below begin
  std::vector<Subtree> heaviest;                        // the largest first
  std::vector<Subtree> large;                           // by id; see the options

  // The last entry of `children` stands for so many and more.
  static constexpr std::size_t kMostChildren = 32;
};

struct TreeShapeOptions {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::size_t heaviest = 10;           // how many subtrees to name
  std::optional<std::uint32_t> depth;  // where they begin; default: the first level with that many
  // Lists the subtrees of at least so many states that begin on every so many-th level; 0: none.
  std::uint64_t large = 0;
  std::uint32_t large_every = 1;
};

// A backward pass over the backedges. Predecessors never decrease, so it takes memory for the
// subtree sizes of two levels; kOutOfMemory where that is more than the budget.
Result<TreeShape> measure_tree(const StoredTree& tree, const TreeShapeOptions& options,
                               Monitor& monitor);

}  // namespace comback

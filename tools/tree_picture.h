#pragma once

#include <string>

#include "engine/stored_tree.h"
#include "engine/tree_shape.h"
#include "io/result.h"
#include "models/model.h"

namespace comback::tools {

// The tree of a run as an icicle: a box for each subtree, as wide as its share of the states, below
// the box of the subtree that it is part of. Small subtrees are left out, and of a deep tree
// levels.
struct TreePicture {
  static constexpr std::uint32_t kRows = 40;
  static constexpr std::uint64_t kShares = 160;  // a subtree with less than 1/kShares is not drawn

  // What measure_tree() has to be told.
  static TreeShapeOptions options_for(const StoredTree& tree, std::uint64_t memory_bytes);

  std::uint32_t every = 1;  // only each so many-th level is drawn
  std::string svg;          // part of a page that has svg_plot_style()
  std::string legend;       // HTML: which colour is which process
};

Result<TreePicture> draw_tree(const Model& model, const StoredTree& tree, const TreeShape& shape,
                              const TreeShapeOptions& options);

}  // namespace comback::tools

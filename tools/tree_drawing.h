#pragma once

#include "io/result.h"
#include "tools/export_formats.h"
#include "tools/output.h"
#include "tools/subtree.h"

namespace comback::tools {

// How a part of the tree is drawn.
struct TreeDrawing {
  SubtreeRange range;
  bool states = false;  // write the variables into the nodes
};

// The part in the DOT language. Where states have children that are not drawn, it says how many.
Status write_tree_dot(const ExportedRun& run, const TreeDrawing& drawing, ResultStream& out);

}  // namespace comback::tools

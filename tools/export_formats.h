#pragma once

#include <string>

#include "engine/search.h"
#include "engine/stored_tree.h"
#include "engine/transition_graph.h"
#include "io/result.h"
#include "models/model.h"
#include "tools/output.h"
#include "tools/subtree.h"

namespace comback::tools {

// A stored run as it is exported.
struct ExportedRun {
  std::string model_name;  // "anderson.4.dve"
  const Model& model;
  const StoredTree& tree;
  const Summary& summary;
  bool complete = true;  // all reachable states are stored
};

// How events are named.
enum class ExportLabels {
  kWords,    // "P_0 line 16: NCS -> p1 { effect x = 1 }"
  kNumbers,  // as the events are numbered
};

// Every function ends early where `monitor` asks to stop, and where `out` fails: its status() says
// so.

// --- the level table ---
void write_levels_csv(const ExportedRun& run, ResultStream& out);
void write_levels_json(const ExportedRun& run, ResultStream& out);

// --- the tree, or a part of it ---
// id,predecessor,event,level and with words the label; the initial state has no predecessor.
Status write_tree_csv(const ExportedRun& run, const SubtreeRange& range, ExportLabels labels,
                      ResultStream& out, const Monitor& monitor);
Status write_tree_json(const ExportedRun& run, const SubtreeRange& range, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor);

// --- the full graph ---
// Aldebaran: "des (0, transitions, states)", then a line `(from, "label", to)` per transition.
Status write_graph_aut(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor);
Status write_graph_csv(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor);
Status write_graph_json(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                        ResultStream& out, const Monitor& monitor);

}  // namespace comback::tools

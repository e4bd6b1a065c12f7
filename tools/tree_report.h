#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/run_record.h"
#include "engine/stored_tree.h"
#include "engine/survey.h"
#include "engine/tree_shape.h"
#include "models/model.h"

namespace comback::tools {

// Where the transitions of a run lead, by the level that they come from.
struct TransitionShares {
  std::uint64_t forward = 0;   // one level down, to a state new or known
  std::uint64_t level = 0;     // to a state of the same level
  std::uint64_t backward = 0;  // up
  std::uint32_t longest = 0;   // levels that one leads up, at most
};

// The shape of a run's tree and what belongs to it, for people and for programs.
struct TreeReport {
  std::string model_name;  // "anderson.4.dve"
  const Model& model;
  const StoredTree& tree;
  const RunRecord& record;
  const TreeShape& shape;
  const Survey* survey = nullptr;            // where every state was expanded again
  const TransitionShares* shares = nullptr;  // where every transition was followed
  bool all_states = true;                    // the run has stored every reachable state
  std::string warning;                       // a line where it has not; else empty
  std::size_t top = 10;                      // of events that are printed
  bool all_events = false;
};

// The fields and their order are a promise: docs/tree.md.
nlohmann::ordered_json tree_json(const TreeReport& report);
std::string tree_text(const TreeReport& report);
// A row per level.
std::string tree_levels_csv(const TreeReport& report);
// A row per level and event that reached new states there.
std::string tree_events_csv(const TreeReport& report);

}  // namespace comback::tools

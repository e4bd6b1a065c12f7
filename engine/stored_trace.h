#pragma once

#include "engine/search.h"
#include "engine/stored_tree.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// The shortest path from the initial state to `id`, replayed before it is handed out: every event
// must be enabled, the path must be as long as the state's level is deep, and where the run keeps
// the state's descriptor the path must end in it. It costs a block of backedges for each of its
// steps, however large the run is. REQUIRES: id < tree.states()
Result<Trace> stored_trace(const Model& model, const StoredTree& tree, StateId id);

}  // namespace comback

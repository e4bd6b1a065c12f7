#pragma once

#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Breadth-first search level by level with all threads (--detection level): exact, within a memory
// budget, with the same numbering of states whatever the budget and the number of threads.
Result<Summary> explore_by_levels(const Model& model, const SearchOptions& options,
                                  Monitor& monitor);

}  // namespace comback

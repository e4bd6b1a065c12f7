#pragma once

#include "engine/search.h"

namespace comback {

// VisitedMode::kStoring: not every state is stored, so that states may be explored more than once;
// all are explored.
Result<Summary> explore_storing(const Model& model, const SearchOptions& options, Monitor& monitor);

}  // namespace comback

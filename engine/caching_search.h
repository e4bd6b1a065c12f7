#pragma once

#include "engine/search.h"

namespace comback {

// VisitedMode::kCache, and VisitedMode::kFull with sleep sets or their check. Depth first.
Result<Summary> explore_caching(const Model& model, const SearchOptions& options, Monitor& monitor);

}  // namespace comback

#pragma once

#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// The ComBack method as published [westergaard07, evangelista09], in memory: explore() with
// VisitedMode::kComBack. REQUIRES: hash_bits from 8 to 64.
Result<Summary> explore_comback(const Model& model, const SearchOptions& options, Monitor& monitor);

}  // namespace comback

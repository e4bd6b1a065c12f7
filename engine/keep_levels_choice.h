#pragma once

#include <cstddef>

#include "engine/keep_levels.h"
#include "models/model.h"

namespace comback {

// What reconstruction costs, measured on real states.
struct ReconstructionCosts {
  double event_ns = 0;   // to execute one
  double decode_ns = 0;  // one descriptor of a level block
};
// `rows`: `count` descriptors side by side, followed by 64 readable bytes.
ReconstructionCosts measure_reconstruction(const Model& model, const std::byte* rows,
                                           std::size_t count);

// --keep-levels auto: every K-th level, with the largest K up to 4 for which the events that a
// state between kept levels takes cost no more than half of what reading it would.
KeepLevels choose_keep_levels(const ReconstructionCosts& costs);

}  // namespace comback

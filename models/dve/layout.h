#pragma once

#include <cstddef>
#include <cstdint>

#include "models/dve/program.h"
#include "models/dve/report.h"

namespace comback::dve {

inline constexpr std::size_t kMaxWidth = 65535;          // bytes of a descriptor
inline constexpr std::uint32_t kMaxLocations = 65535;    // of one process
inline constexpr std::uint32_t kMaxCapacity = 255;       // of a channel: the count is one byte
inline constexpr std::uint32_t kMaxConstants = 1 << 20;  // values of all constant arrays

// Gives every component of the state its place in the descriptor: the globals (variables and
// buffered channels) in the order of the text, then for each process its location and its
// variables. Packed, without padding. Reports a model that does not fit.
// REQUIRES: the variables of one process are in the order of the text.
void lay_out(Program& program, Report& report);

}  // namespace comback::dve

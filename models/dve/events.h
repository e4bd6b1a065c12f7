#pragma once

#include <cstddef>

#include "models/dve/program.h"
#include "models/dve/report.h"

namespace comback::dve {

inline constexpr std::size_t kMaxEvents = 1 << 20;      // static ones
inline constexpr std::size_t kMaxSuccessors = 1 << 20;  // of one state

// Numbers the events of an asynchronous system, and bounds the successors of one state. Reports a
// model with too many of either, at `system`.
void number_events(Program& program, SourceRange system, Report& report);

}  // namespace comback::dve

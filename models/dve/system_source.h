#pragma once

#include <cstdint>
#include <string>

#include "models/dve/dve.h"
#include "models/dve/program.h"
#include "models/dve/transition_source.h"

// C++ for successors() and execute(), from the functions of transitions: part of
// models/dve/generator.h.

namespace comback::dve {

// REQUIRES: program.synchronous is as the function is called.
std::string asynchronous_system(const Program& program, RangeErrors range_errors,
                                const TransitionSource& transitions);
std::string synchronous_system(const Program& program, RangeErrors range_errors,
                               const TransitionSource& transitions);

inline bool has_error_state(RangeErrors range_errors) {
  return range_errors == RangeErrors::kErrorState || range_errors == RangeErrors::kTerminal;
}

// A process's location in state s, as an int.
std::string location_text(const Process& process);
// A statement that moves the process of d.
std::string move_text(const Process& process, std::size_t target);
// The head of successors() up to "Cursor c".
std::string begin_successors(const Program& program, RangeErrors range_errors);

}  // namespace comback::dve

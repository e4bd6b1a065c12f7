#pragma once

#include "models/dve/names.h"
#include "models/dve/program.h"
#include "models/dve/report.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// Fills in the variables, constants, channels, processes and assertions of `program` from what was
// read. Reports what does not make sense; the program is complete only where nothing was reported.
// Layout, events and sites are left to others.
void check_system(const syntax::System& system, Program& program, Report& report);

// The names of a checked program, as a predicate can use them.
Names names_of(const Program& program);

}  // namespace comback::dve

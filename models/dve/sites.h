#pragma once

#include <vector>

#include "models/dve/program.h"

namespace comback::dve {

// Gives a site to every place of the program that may fail at run time, and to none that is known
// not to: by the ranges of its operands, and by what the transition's guard says about them as long
// as nothing it mentions has changed.
void place_sites(Program& program);

// The same for one expression over a state; its sites are appended to `sites`.
void place_sites(const std::vector<Variable>& variables, Expr& e, std::vector<Site>& sites);

}  // namespace comback::dve

#pragma once

#include <vector>

#include "models/dve/lexer.h"
#include "models/dve/report.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// Reads a whole model. What cannot be read is reported, and reading goes on behind it; the result
// is complete only where nothing was reported.
// REQUIRES: `tokens` are those of the report's text, which outlives the result.
syntax::System parse_system(const std::vector<Token>& tokens, Report& report);

// Reads one expression and nothing behind it.
syntax::Expression parse_expression(const std::vector<Token>& tokens, Report& report);

}  // namespace comback::dve

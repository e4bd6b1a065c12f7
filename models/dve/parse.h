#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/diagnostic.h"
#include "models/dve/program.h"

// From text to what can be executed: lexis, syntax, names, constants, layout, events.

namespace comback::dve {

using ProgramResult = std::variant<Program, Diagnostics>;

// `file` is what messages call it. A model with a property process is refused unless
// `ignore_property`.
ProgramResult parse_program(std::string file, std::string text, bool ignore_property);

// An expression over one state in the model's own language: global variables and constants,
// P.location, P->variable, and P.variable where P has no location of that name.
struct CheckedPredicate {
  std::string text;
  Expr condition;           // ranges in it are bytes of `text`
  std::vector<Site> sites;  // what Expr::site of `condition` counts; not those of the program
};

using CheckedPredicateResult = std::variant<CheckedPredicate, Diagnostics>;

// Messages call the text "<predicate>".
CheckedPredicateResult parse_predicate(const Program& program, std::string_view text);

}  // namespace comback::dve

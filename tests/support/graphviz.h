#pragma once

#include <string>

#include "tests/support/command.h"

namespace comback::test {

// Whether Graphviz is installed, which only tests use.
inline bool has_graphviz() { return run_command({"dot", "-V"}).exit_code == 0; }

// What Graphviz makes of a text in the DOT language, in its format for programs: a line "node ..."
// for every node and "edge ..." for every edge.
inline CommandResult graphviz(const std::string& text) {
  return run_command({"dot", "-Tplain"}, {.input = text});
}

}  // namespace comback::test

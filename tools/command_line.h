#pragma once

#include "tools/exit_code.h"
#include "tools/output.h"

namespace comback::tools {

// The whole command: reads the arguments, runs the command that they name, and says what is wrong
// with them on standard error.
ExitCode run_command_line(int argc, const char* const* argv, StandardOutput& out);

}  // namespace comback::tools

#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// What a run remembers of the command line that made it: options by name without dashes, each with
// its values; a flag's value is "true". Options that say how a session reports, and where, are left
// out: they are no part of the run.
std::map<std::string, std::vector<std::string>> options_given(const CLI::App& command);

// Gives `command` the options of a run, as far as the command line says nothing of them; an option
// that decides what is explored must not differ from the run's. Limits are left out with
// `no_limits`.
Status apply_run_options(CLI::App& command,
                         const std::map<std::string, std::vector<std::string>>& options,
                         bool no_limits);

}  // namespace comback::tools

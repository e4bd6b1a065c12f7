#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// What a run remembers of the command line that made it: options by name without dashes, each with
// its values; a flag's value is "true". Options that say how a session reports, and where, are left
// out: they are no part of the run.
std::map<std::string, std::vector<std::string>> options_given(const CLI::App& command);

}  // namespace comback::tools

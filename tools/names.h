#pragma once

#include <string>
#include <vector>

// The names that a user can have meant.

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

std::vector<std::string> option_names(const CLI::App& command);  // "--memory", "--threads", ...
std::vector<std::string> command_names(const CLI::App& root);    // "explore", "info", ...

}  // namespace comback::tools

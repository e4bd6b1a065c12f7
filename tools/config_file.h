#pragma once

#include <string>

#include "io/result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// Gives `command` the options of a TOML file: each key is an option's name, at the top or in a
// section named for the command. Options already given keep their values; a value of the wrong kind
// throws CLI::ParseError, as on the command line.
Status apply_config(CLI::App& command, const std::string& file);

}  // namespace comback::tools

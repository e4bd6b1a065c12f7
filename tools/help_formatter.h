#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace comback::tools {

// What --help prints: usage, arguments, options in groups with their defaults, commands, examples;
// in lines that fit a terminal.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace comback::tools

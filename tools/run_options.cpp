#include "tools/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace comback::tools {
namespace {

constexpr std::array<std::string_view, 8> kOfASession = {
    "help", "config", "run", "json", "progress", "progress-interval", "trace", "no-limits"};

}  // namespace

std::map<std::string, std::vector<std::string>> options_given(const CLI::App& command) {
  std::map<std::string, std::vector<std::string>> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::find(kOfASession.begin(), kOfASession.end(), name) != kOfASession.end()) continue;
    given[name] = option->results();
  }
  return given;
}

}  // namespace comback::tools

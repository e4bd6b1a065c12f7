#include "tools/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace comback::tools {
namespace {

constexpr std::array<std::string_view, 8> kOfASession = {
    "help", "config", "run", "json", "progress", "progress-interval", "trace", "no-limits"};

// What another session may do otherwise without changing what is found.
constexpr std::array<std::string_view, 12> kChangeable = {
    "memory",    "threads",    "disk",        "checkpoint", "io",         "max-states",
    "max-depth", "time-limit", "keep-levels", "tables",     "successors", "hash-bits"};
constexpr std::array<std::string_view, 4> kLimits = {"max-states", "max-depth", "time-limit",
                                                     "disk"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string in_words(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "'" : ", '") + value + "'";
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::map<std::string, std::vector<std::string>> options_given(const CLI::App& command) {
  std::map<std::string, std::vector<std::string>> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (among(kOfASession, name)) continue;
    given[name] = option->results();
  }
  return given;
}

Status apply_run_options(CLI::App& command,
                         const std::map<std::string, std::vector<std::string>>& options,
                         bool no_limits) {
  for (CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (among(kOfASession, name) || among(kChangeable, name)) continue;
    const auto it = options.find(name);
    if (it != options.end() && it->second == option->results()) continue;
    return Error{Errc::kInvalidArgument,
                 fmt::format("--{} cannot be changed, because it decides what is explored: the run "
                             "was made with {}. Explore anew with --run and another directory",
                             name, it == options.end() ? "its default" : in_words(it->second))};
  }
  for (const auto& [name, values] : options) {
    CLI::Option* const option = command.get_option_no_throw("--" + name);
    if (option == nullptr) {
      return Error{Errc::kUnsupported, fmt::format("run.json has an option \"{}\", which this "
                                                   "comback does not know",
                                                   name)};
    }
    if (option->count() > 0 || (no_limits && among(kLimits, name))) continue;
    try {
      for (const std::string& value : values) option->add_result(value);
      option->run_callback();
    } catch (const CLI::Error& error) {
      return Error{Errc::kCorruption,
                   fmt::format("run.json: option \"{}\": {}", name, error.what())};
    }
  }
  return Done{};
}

}  // namespace comback::tools

#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

// The command as a user runs it: a process with its outputs and its exit code.

namespace comback::test {

inline CommandResult comback(std::vector<std::string> arguments,
                             const CommandOptions& options = {}) {
  arguments.insert(arguments.begin(), binary().string());
  return run_command(arguments, options);
}

inline std::string sample(const std::string& name) {
  return (samples_dir() / (name + ".dve")).string();
}

// Interpreted, without progress: what most tests want.
inline CommandResult explore(const std::string& model, std::vector<std::string> arguments = {},
                             const CommandOptions& options = {}) {
  arguments.insert(arguments.begin(),
                   {"explore", model, "--successors", "interpreted", "--progress", "none"});
  return comback(std::move(arguments), options);
}

// The summary of such a run.
inline nlohmann::json summary(const std::string& model, std::vector<std::string> arguments = {},
                              int expected_code = 0) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const CommandResult result = explore(model, std::move(arguments));
  EXPECT_EQ(result.exit_code, expected_code) << result.err;
  return nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in:\n" << text;
}

}  // namespace comback::test

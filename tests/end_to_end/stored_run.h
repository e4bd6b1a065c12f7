#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {

// A run of a model in a directory of its own, made by the command. An expected code of -1 is any
// that tells of all states: 0, or 1 with --continue.
class CommandRun {
 public:
  explicit CommandRun(const std::string& model, std::vector<std::string> arguments = {},
                      int expected_code = 0)
      : path_((dir_ / "a.run").string()) {
    arguments.insert(arguments.end(), {"--run", path_, "--memory", "64M"});
    const CommandResult result = explore(model, std::move(arguments));
    if (expected_code < 0) {
      EXPECT_LE(result.exit_code, 1) << result.err;
    } else {
      EXPECT_EQ(result.exit_code, expected_code) << result.err;
    }
  }

  const std::string& path() const { return path_; }
  const TempDir& dir() const { return dir_; }

  // comback COMMAND DIR ARGUMENTS...
  CommandResult ask(const std::string& command, std::vector<std::string> arguments = {},
                    const CommandOptions& options = {}) const {
    arguments.insert(arguments.begin(), {command, path_});
    return comback(std::move(arguments), options);
  }
  // The same where it answers in JSON on standard output.
  nlohmann::json json(const std::string& command, std::vector<std::string> arguments,
                      int expected_code = 0) const {
    const CommandResult result = ask(command, std::move(arguments));
    EXPECT_EQ(result.exit_code, expected_code) << result.err;
    return nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  }

 private:
  TempDir dir_;
  std::string path_;
};

}  // namespace comback::test

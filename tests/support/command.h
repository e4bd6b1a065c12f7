#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comback::test {

// Every member has an initialiser, so that g++ lets a call name only those that it means.
struct CommandOptions {
  std::filesystem::path directory{};  // to run in; empty: the caller's
  std::string input{};                // its standard input
  // Set in its environment{}; an empty optional removes the variable.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment{};
  std::chrono::milliseconds timeout{60'000};  // then it is killed
  // A signal sent once, that long after the start.
  std::optional<std::pair<std::chrono::milliseconds, int>> signal{};
};

struct CommandResult {
  int exit_code = -1;  // 128 + signal where a signal ended it; 127 where it could not be started
  bool timed_out = false;
  std::string out;  // standard output
  std::string err;  // standard error
  std::uint64_t peak_memory_bytes = 0;
  double seconds = 0;
};

// Runs `arguments[0]` (looked up in PATH unless it has a slash) without a shell, and waits.
CommandResult run_command(const std::vector<std::string>& arguments,
                          const CommandOptions& options = {});

}  // namespace comback::test

#pragma once

#include "io/result.h"
#include "tools/exit_code.h"
#include "tools/output.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// One of the things that `comback` does: `comback NAME ...`.
class Command {
 public:
  virtual ~Command() = default;

  // Declares the command and its options below `root`. The object outlives the parsing.
  virtual CLI::App* add_to(CLI::App& root) = 0;
  // What each option alone cannot tell: a missing model, options that contradict each other.
  virtual Status check() const = 0;
  // REQUIRES: check() is fine.
  virtual ExitCode run(StandardOutput& out) = 0;
};

}  // namespace comback::tools

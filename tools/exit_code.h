#pragma once

namespace comback::tools {

// What the command's exit code tells scripts.
enum class ExitCode : int {
  kComplete = 0,    // nothing violated
  kViolation = 1,   // there is a counterexample
  kUsage = 2,       // the command line or the model is wrong; nothing was started
  kIncomplete = 3,  // a limit, a signal, or the budget ended the search early
  kFailure = 4,     // the machine failed: a full disk, a broken pipe, no memory
};

}  // namespace comback::tools

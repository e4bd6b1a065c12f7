#pragma once

#include <cstdint>
#include <optional>

#include "engine/verification.h"
#include "tools/command.h"
#include "tools/stored_run_options.h"

namespace comback::tools {

struct VerifyReport;

// Looks for damage in a stored run, and changes nothing.
class VerifyCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  // Fills in what is found; what keeps it from looking is the error.
  Status verify(VerifyReport& report, ProgressReporter& reporter) const;
  VerifyOptions verify_options() const;

  StoredRunOptions stored_;
  bool full_ = false;
  std::optional<std::uint64_t> sample_;
  bool json_ = false;
};

}  // namespace comback::tools

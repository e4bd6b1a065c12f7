#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/command.h"
#include "tools/run_page.h"
#include "tools/stored_run_options.h"

namespace comback::tools {

// `comback report DIR -o FILE`: a page about a stored run.
class ReportCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  Result<std::string> page(const OpenedRun& run, ProgressReporter& reporter) const;
  Status add_survey(const OpenedRun& run, ProgressReporter& reporter, RunPage& page) const;
  Status add_shown(const OpenedRun& run, RunPage& page) const;

  StoredRunOptions stored_;
  std::string output_;
  bool survey_ = false;
  bool no_survey_ = false;
  std::optional<std::uint64_t> deadlocks_;
};

}  // namespace comback::tools

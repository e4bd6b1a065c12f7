#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/stored_run_options.h"

namespace comback::tools {

// `comback compare DIR DIR`: whether two runs found the same.
class CompareCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  std::vector<std::string> dirs_;
  StoredRunOptions stored_;
  bool counts_ = false;
  bool trace_ = false;
  std::optional<std::string> json_;
};

}  // namespace comback::tools

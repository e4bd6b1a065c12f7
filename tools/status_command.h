#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "tools/command.h"

namespace comback::tools {

// `comback status DIR`: what a run is, how far it got and what can be done with it, also while
// another process explores it.
class StatusCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  std::filesystem::path dir_;
  std::optional<std::string> json_;
  bool watch_ = false;
  std::optional<std::chrono::duration<double>> interval_;
};

}  // namespace comback::tools

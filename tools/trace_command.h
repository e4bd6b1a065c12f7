#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/command.h"
#include "tools/stored_run_options.h"
#include "tools/trace_formats.h"

namespace CLI {
class Option;
}  // namespace CLI

namespace comback::tools {

// `comback trace DIR`: the shortest path to a state of a stored run.
class TraceCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  struct Target {
    StateId state = 0;
    const Violation* violation = nullptr;  // as the run has recorded it
    bool deadlock = false;
  };
  // Where there is no such state, why, and what scripts are told.
  struct Found {
    std::optional<Target> target;
    std::string why_not{};
    ExitCode code = ExitCode::kComplete;
  };

  void take_violation(const std::string& text);
  static Found not_found(std::string why, ExitCode code);
  Result<Found> find(const OpenedRun& run) const;
  Found find_violation(const OpenedRun& run) const;
  Result<Found> find_deadlock(const OpenedRun& run) const;
  Result<Found> search_deadlock(const OpenedRun& run) const;
  Result<StatePath> path_to(const OpenedRun& run, const Target& target) const;

  StoredRunOptions stored_;
  std::optional<std::uint64_t> state_;
  bool deadlock_ = false;
  std::optional<unsigned> violation_;
  TraceFormat format_ = TraceFormat::kText;
  std::optional<std::string> output_;
};

}  // namespace comback::tools

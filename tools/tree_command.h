#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/survey.h"
#include "engine/thread_team.h"
#include "tools/command.h"
#include "tools/stored_run_options.h"
#include "tools/tree_report.h"

namespace comback::tools {

// `comback tree DIR`: the shape of a stored run's tree.
class TreeCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  enum class Format { kText, kJson, kCsv };
  // Runs of so many states are expanded again without being asked: 32 million take ten seconds.
  static constexpr std::uint64_t kSurveyedStates = 50'000'000;

  bool surveys(const OpenedRun& run) const;
  Result<TransitionShares> follow_transitions(const OpenedRun& run, ThreadTeam& team,
                                              Monitor& monitor) const;
  std::string format(const TreeReport& report) const;

  StoredRunOptions stored_;
  Format format_ = Format::kText;
  std::optional<std::uint64_t> top_;
  std::optional<std::uint64_t> depth_;
  bool events_ = false;
  bool survey_ = false;
  bool no_survey_ = false;
  bool transitions_ = false;
  std::optional<std::string> output_;
};

}  // namespace comback::tools

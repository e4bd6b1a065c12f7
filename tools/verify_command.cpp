#include "tools/verify_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/run_verification.h"
#include "engine/thread_team.h"
#include "tools/json_text.h"
#include "tools/option_types.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"
#include "tools/verify_report.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback verify anderson.run
  comback verify anderson.run --full
  comback verify /mnt/backup/anderson.run --sample 10000 --json

Without --full or --sample, every state is made again by the event that first reached it, and
compared. Nothing is repaired or changed.

Exit codes: 0 no damage was found; 2 it is not a run, or the command line is wrong; 3 interrupted;
4 it is damaged, or cannot be read.)";

}  // namespace

CLI::App* VerifyCommand::add_to(CLI::App& root) {
  CLI::App* command = root.add_subcommand("verify", "Look for damage in a run, changing nothing");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  constexpr const char* kGroup = "How much is executed again";
  command
      ->add_flag("--full", full_,
                 "Every event of every state, as exploring it again: also checks the counts, and "
                 "that no successor is missing")
      ->group(kGroup);
  add_count(*command, "--sample", sample_, "The paths to N states only")->group(kGroup);
  command->add_flag("--json", json_, "Write the result as JSON")->group("Output");
  stored_.add_pass_to(*command);
  return command;
}

Status VerifyCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  if (full_ && sample_) {
    return Error{Errc::kInvalidArgument, "--full and --sample exclude each other"};
  }
  return Done{};
}

VerifyOptions VerifyCommand::verify_options() const {
  VerifyOptions options;
  if (full_) options.execution = VerifyOptions::Execution::kAll;
  if (sample_) {
    options.execution = VerifyOptions::Execution::kSample;
    options.sample = *sample_;
  }
  return options;
}

ExitCode VerifyCommand::run(StandardOutput& out) {
  const auto start = std::chrono::steady_clock::now();
  VerifyReport report;
  report.dir = stored_.dir();
  report.options = verify_options();
  Status status = Done{};
  {
    ProgressReporter reporter(stored_.progress());
    const StopOnSignals signals(reporter, !reporter.quiet());
    status = verify(report, reporter);
    reporter.finish();
  }
  if (!status) {
    complain(fmt::format("comback: {}\n", status.error().what));
    return exit_code_of(status.error());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.write(json_ ? json_text(to_json(report)) : to_text(report));
  if (report.damaged()) return ExitCode::kFailure;
  return report.result.found.interrupted ? ExitCode::kIncomplete : ExitCode::kComplete;
}

Status VerifyCommand::verify(VerifyReport& report, ProgressReporter& reporter) const {
  const auto damaged = [&](const Error& error) {
    report.result.found.problems.push_back({RunPart::kFiles, error.what});
  };
  auto directory = RunDirectory::open(stored_.dir());
  if (!directory) {
    if (directory.error().code != Errc::kCorruption) return directory.error();
    damaged(directory.error());
    return Done{};
  }
  report.header = directory->header();
  auto model = load_stored_model(*directory, stored_.backend(),
                                 [&](std::string_view text) { reporter.status(text); });
  if (!model) {
    // That it is missing is damage; that this program cannot read it is not.
    const Errc code = model.error().code;
    if (code != Errc::kCorruption && code != Errc::kNotFound) return model.error();
    damaged(model.error());
    return Done{};
  }

  MemoryBudget budget(stored_.memory_bytes());
  ThreadTeam team(stored_.threads());
  const TemporaryRun temporary;
  VerifyOptions options = report.options;
  // The tables' caches take some; a pass over all states, half of the rest.
  options.stream.memory_bytes = budget.limit() / 2;
  options.stream.temporary_dir = temporary.dir();
  const bool changing = RunLock::holder(directory->path()).has_value();
  auto result = verify_run(directory->path(), **model, options, changing, team, budget, reporter);
  if (result) {
    report.result = std::move(*result);
    return Done{};
  }
  if (result.error().code != Errc::kNotFound) return result.error();
  report.has_checkpoint = false;
  return Done{};
}

}  // namespace comback::tools

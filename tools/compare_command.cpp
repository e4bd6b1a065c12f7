#include "tools/compare_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/thread_team.h"
#include "tools/json_text.h"
#include "tools/run_comparison.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback compare before.run after.run
  comback compare before.run after.run --trace
  comback compare before.run after.run --counts --json differences.json

Exit codes: 0 the same; 1 there is a difference; 2 the command line is wrong; 3 a run is incomplete,
and what both have explored is the same; 4 a run or the machine failed.)";

}  // namespace

CLI::App* CompareCommand::add_to(CLI::App& root) {
  CLI::App* command = root.add_subcommand("compare", "Tell whether two stored runs are the same");
  command->footer(kExamples);
  command->add_option("DIR", dirs_, "Two run directories, of explore --run DIR")
      ->expected(1, 2)
      ->option_text("DIR DIR");
  command
      ->add_flag("--counts", counts_,
                 "Compare counts and the sizes of levels, not states: that takes no time")
      ->group("Comparison");
  command
      ->add_flag("--trace", trace_,
                 "Show the shortest path to a state that one run has and the other does not")
      ->group("Output");
  command
      ->add_option("--json", json_,
                   "Write the comparison to FILE; - is standard output, and then nothing else goes "
                   "there")
      ->option_text("FILE")
      ->group("Output");
  stored_.add_pass_to(*command);
  return command;
}

Status CompareCommand::check() const {
  if (dirs_.size() != 2) {
    return Error{Errc::kInvalidArgument, "two run directories are needed: DIR DIR"};
  }
  if (json_) {
    if (Status status = ResultFile(*json_).check(); !status) {
      return Error{status.error().code, "--json: " + status.error().what};
    }
  }
  return Done{};
}

ExitCode CompareCommand::run(StandardOutput& out) {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  const auto fail = [&](const Error& error) {
    reporter.finish();
    complain(fmt::format("comback: {}\n", error.what));
    return reporter.stop_requested() ? ExitCode::kIncomplete : exit_code_of(error);
  };
  std::vector<OpenedRun> opened;
  for (const std::string& dir : dirs_) {
    StoredRunOptions options = stored_;
    options.set_dir(dir);
    auto run = counts_ ? options.open_interpreted()
                       : options.open([&](std::string_view text) { reporter.status(text); });
    if (!run) return fail(run.error());
    opened.push_back(std::move(*run));
  }
  const std::array<const OpenedRun*, 2> runs = {&opened[0], &opened[1]};
  auto comparison = compare_records(runs, {dirs_[0], dirs_[1]});
  if (!comparison) return fail(comparison.error());
  comparison->states_not_compared =
      counts_ ? "--counts" : layout_difference(*opened[0].model, *opened[1].model);
  if (comparison->states_not_compared.empty()) {
    const TemporaryRun temporary;
    StateStream::Options options = stored_.pass(opened[0], "comparing", temporary.dir());
    options.memory_bytes = std::min(options.memory_bytes, opened[1].budget->left());
    ThreadTeam team(stored_.threads());
    if (Status status = compare_states(runs, team, options, reporter, *comparison); !status) {
      return fail(status.error());
    }
  }
  reporter.finish();
  const auto text = [&] { return comparison_text(runs, *comparison, trace_); };
  if (!json_) {
    out.write(text());
    return exit_code(*comparison);
  }
  const std::string json = json_text(comparison_json(runs, *comparison, trace_));
  if (ResultFile(*json_).is_standard_output()) {
    out.write(json);
    return exit_code(*comparison);
  }
  out.write(text());
  if (const Status status = ResultFile(*json_).write(json); !status) {
    fail(status.error());
    return ExitCode::kFailure;
  }
  return exit_code(*comparison);
}

}  // namespace comback::tools

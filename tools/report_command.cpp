#include "tools/report_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/stored_trace.h"
#include "engine/thread_team.h"
#include "storage/run_directory.h"
#include "tools/option_types.h"
#include "tools/quantity.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback report anderson.run -o report.html
  comback report bank.run -o report.html --no-survey

Exit codes: 0 the page is written; 2 the command line is wrong; 3 the page is written and the run is
incomplete, or making it was interrupted; 4 the run or the machine failed.)";

// Expanding so many states again takes seconds.
constexpr std::uint64_t kSurveyedUnasked = 20'000'000;
constexpr std::uint64_t kDeadlocks = 3;

const Error kInterrupted{Errc::kInvalidArgument, "interrupted; nothing was written"};

}  // namespace

CLI::App* ReportCommand::add_to(CLI::App& root) {
  CLI::App* command = root.add_subcommand("report", "Write a page about a stored run, as HTML");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  command
      ->add_option("-o,--output", output_,
                   "Where to; - is standard output. One file that needs no other and no network")
      ->option_text("FILE")
      ->group("Output");
  command
      ->add_flag("--survey", survey_,
                 fmt::format("Expand every state again, which tells the transitions and deadlocks "
                             "of every level and the events that never happen; done without asking "
                             "for runs of up to {} states",
                             format_count(kSurveyedUnasked)))
      ->group("Output");
  command->add_flag("--no-survey", no_survey_, "Look at the tree alone")->group("Output");
  add_count(*command, "--deadlocks", deadlocks_,
            fmt::format("Show the way to so many deadlocks, where there is a survey; default: {}",
                        kDeadlocks))
      ->group("Output");
  stored_.add_pass_to(*command);
  return command;
}

Status ReportCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  if (survey_ && no_survey_) {
    return Error{Errc::kInvalidArgument, "--survey and --no-survey contradict each other"};
  }
  if (output_.empty()) {
    return Error{Errc::kInvalidArgument, "-o FILE is needed: where the page goes, or -"};
  }
  if (Status status = ResultFile(output_).check(); !status) {
    return Error{status.error().code, "--output: " + status.error().what};
  }
  return Done{};
}

ExitCode ReportCommand::run(StandardOutput& out) {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  const auto fail = [&](const Error& error) {
    reporter.finish();
    complain(fmt::format("comback: {}\n", error.what));
    return reporter.stop_requested() ? ExitCode::kIncomplete : exit_code_of(error);
  };
  const Result<OpenedRun> run = stored_.open([&](std::string_view text) { reporter.status(text); });
  if (!run) return fail(run.error());
  const Result<std::string> text = page(*run, reporter);
  if (!text) return fail(text.error());
  reporter.finish();
  const ResultFile file(output_);
  if (file.is_standard_output()) {
    out.write(*text);
  } else if (const Status status = file.write(*text); !status) {
    fail(status.error());
    return ExitCode::kFailure;
  } else {
    out.write(fmt::format("{} is written: {}\n", output_, format_size(text->size())));
  }
  complain(warning_of_missing_states(*run));
  return exit_code_of_answer(*run);
}

Result<std::string> ReportCommand::page(const OpenedRun& run, ProgressReporter& reporter) const {
  const StoredTree& tree = run.stored->tree();
  RunPage page{.run = run,
               .dir = stored_.dir(),
               .complete = has_all_states(run),
               .warning = warning_of_missing_states(run),
               .shape = {},
               .picture = {},
               .survey = {},
               .shown = {},
               .timeline = read_timeline(run.directory.path() / "metrics.ndjson"),
               .made = time_in_words()};
  const TreeShapeOptions options = TreePicture::options_for(tree, run.budget->left());
  auto shape = measure_tree(tree, options, reporter);
  if (!shape) return reporter.stop_requested() ? kInterrupted : shape.error();
  page.shape = std::move(*shape);
  auto picture = draw_tree(*run.model, tree, page.shape, options);
  if (!picture) return picture.error();
  page.picture = std::move(*picture);
  if (survey_ || (!no_survey_ && tree.states() <= kSurveyedUnasked)) {
    if (Status status = add_survey(run, reporter, page); !status) return status.error();
  }
  if (Status status = add_shown(run, page); !status) return status.error();
  return page.html();
}

Status ReportCommand::add_survey(const OpenedRun& run, ProgressReporter& reporter,
                                 RunPage& page) const {
  const TemporaryRun temporary;
  ThreadTeam team(stored_.threads());
  SurveyOptions what;
  what.deadlocks = deadlocks_.value_or(kDeadlocks);
  auto found = survey(*run.model, run.stored->tree(), what, team,
                      stored_.pass(run, "expanding", temporary.dir()), reporter);
  if (!found) return found.error();
  if (found->interrupted) return kInterrupted;
  page.survey = std::move(*found);
  return Done{};
}

// Violations as the run has them, then deadlocks that are none of them.
Status ReportCommand::add_shown(const OpenedRun& run, RunPage& page) const {
  const RunRecord& record = run.stored->record();
  for (const Violation& violation : record.summary.violations) {
    page.shown.push_back({"violation: " + violation.what, violation.state, violation.event, {}});
  }
  std::vector<StateId> deadlocks;
  if (page.survey) {
    deadlocks = page.survey->first_deadlocks;
  } else if (record.first_deadlock) {
    deadlocks.push_back(*record.first_deadlock);
  }
  for (const StateId id : deadlocks) {
    const bool known = std::any_of(page.shown.begin(), page.shown.end(),
                                   [&](const ShownState& state) { return state.id == id; });
    if (!known) page.shown.push_back({"deadlock", id, {}, {}});
  }
  for (ShownState& state : page.shown) {
    auto trace = stored_trace(*run.model, run.stored->tree(), state.id);
    if (!trace) return trace.error();
    state.trace = std::move(*trace);
  }
  return Done{};
}

}  // namespace comback::tools

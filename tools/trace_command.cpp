#include "tools/trace_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "engine/stored_trace.h"
#include "engine/survey.h"
#include "engine/thread_team.h"
#include "tools/option_types.h"
#include "tools/quantity.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback trace philosophers.run --deadlock
  comback trace bank.run --violation --format full
  comback trace anderson.run --state 29640 --format itf -o last.itf.json
  comback trace anderson.run --state 17 --format dot | dot -Tsvg > path.svg

Exit codes: 0 the path was printed; 2 the command line is wrong, or a run that is complete has no such
state; 3 an incomplete run has none so far; 4 the run or the machine failed.)";

const std::vector<std::pair<std::string, TraceFormat>> kFormats = {
    {"text", TraceFormat::kText}, {"full", TraceFormat::kFull}, {"json", TraceFormat::kJson},
    {"itf", TraceFormat::kItf},   {"dot", TraceFormat::kDot},   {"csv", TraceFormat::kCsv}};

// What the run says of the state a path leads to must be true of the state it leads to.
Status check_end(const Model& model, const StatePath& path) {
  if (!path.kind) return Done{};
  std::vector<std::byte> state = path.trace.states.back();
  state.resize(model.width() + kDescriptorSlack);
  SuccessorBuffer successors(model.width(), model.max_successors());
  model.successors(state.data(), successors);
  bool holds = true;
  if (*path.kind == Verdict::kDeadlock) holds = successors.size() == 0 && !successors.faulted();
  if (*path.kind == Verdict::kError) {
    holds = successors.faulted() && (!path.failing || successors.fault().event == *path.failing);
  }
  if (*path.kind == Verdict::kAssertion) holds = model.failed_assertion(state.data()) >= 0;
  if (holds) return Done{};
  return Error{Errc::kCorruption, fmt::format("the run says of state {}: {}; its model does not",
                                              path.state, path.what)};
}

}  // namespace

CLI::App* TraceCommand::add_to(CLI::App& root) {
  CLI::App* command = root.add_subcommand("trace", "Print the shortest path to a stored state");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  constexpr const char* kGroup = "To which state";
  add_count(*command, "--state", state_, "The state with this id, from 0")
      ->option_text("ID")
      ->group(kGroup);
  command
      ->add_flag("--deadlock", deadlock_,
                 "The first state without successors, whether or not explore looked for one")
      ->group(kGroup);
  command
      ->add_option_function<std::string>(
          "--violation", [this](const std::string& text) { take_violation(text); },
          "The first violation that explore found, or the N-th")
      ->option_text("[N]")
      ->expected(0, 1)
      ->group(kGroup);
  add_choice(*command, "--format", kFormats, format_,
             "text: what each step changes; full: whole states; json; itf: the Informal Trace "
             "Format of Apalache; dot: Graphviz; csv: a row per state")
      ->group("Output");
  command
      ->add_option("-o,--output", output_, "Write to FILE instead; it appears whole or not at all")
      ->option_text("FILE")
      ->group("Output");
  stored_.add_pass_to(*command);
  return command;
}

void TraceCommand::take_violation(const std::string& text) {
  violation_ = 1;
  if (text.empty() || text == "true") return;
  if (text.find_first_not_of("0123456789") != std::string::npos) {
    stored_.set_dir(text);  // comback trace --violation DIR
  } else if (text.size() > 9) {
    violation_ = 999'999'999;
  } else {
    violation_ = static_cast<unsigned>(std::stoul(text));
  }
}

Status TraceCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  const int targets = (state_ ? 1 : 0) + (deadlock_ ? 1 : 0) + (violation_ ? 1 : 0);
  if (targets != 1) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} of --state ID, --deadlock and --violation is needed",
                             targets == 0 ? "one" : "only one")};
  }
  if (violation_ && *violation_ == 0) {
    return Error{Errc::kInvalidArgument, "--violation: violations are counted from 1"};
  }
  if (output_) {
    if (Status status = ResultFile(*output_).check(); !status) {
      return Error{status.error().code, "--output: " + status.error().what};
    }
  }
  return Done{};
}

ExitCode TraceCommand::run(StandardOutput& out) {
  // A path has few events: nothing is compiled unless every state must be searched.
  const Result<OpenedRun> run = stored_.open_interpreted();
  if (!run) {
    complain(fmt::format("comback: {}\n", run.error().what));
    return exit_code_of(run.error());
  }
  const Result<Found> found = find(*run);
  if (!found) {
    complain(fmt::format("comback: {}\n", found.error().what));
    return exit_code_of(found.error());
  }
  if (!found->target) {
    complain(fmt::format("comback: {}\n", found->why_not));
    return found->code;
  }
  const Result<StatePath> path = path_to(*run, *found->target);
  if (!path) {
    complain(fmt::format("comback: {}\n", path.error().what));
    return exit_code_of(path.error());
  }
  const std::string text = format_path(*run->model, *path, format_);
  if (!output_ || ResultFile(*output_).is_standard_output()) {
    out.write(text);
    return ExitCode::kComplete;
  }
  if (const Status status = ResultFile(*output_).write(text); !status) {
    complain(fmt::format("comback: {}\n", status.error().what));
    return ExitCode::kFailure;
  }
  return ExitCode::kComplete;
}

Result<TraceCommand::Found> TraceCommand::find(const OpenedRun& run) const {
  const std::uint64_t states = run.stored->tree().states();
  if (state_ && *state_ >= states) {
    return not_found(fmt::format("there is no state {}: the {} has the states 0 to {}", *state_,
                                 has_all_states(run) ? "run" : "run so far", states - 1),
                     ExitCode::kUsage);
  }
  if (state_) return Found{Target{*state_, nullptr, false}};
  return violation_ ? find_violation(run) : find_deadlock(run);
}

TraceCommand::Found TraceCommand::not_found(std::string why, ExitCode code) {
  Found found;
  found.why_not = std::move(why);
  found.code = code;
  return found;
}

TraceCommand::Found TraceCommand::find_violation(const OpenedRun& run) const {
  const std::vector<Violation>& violations = run.stored->record().summary.violations;
  if (*violation_ <= violations.size()) {
    const Violation& violation = violations[*violation_ - 1];
    return Found{Target{violation.state, &violation, false}};
  }
  const bool all = has_all_states(run);
  if (violations.empty()) {
    return not_found(all ? "the run is complete and has no violation"
                         : "the run has no violation so far; " + why_not_all(run),
                     all ? ExitCode::kUsage : ExitCode::kIncomplete);
  }
  return not_found(fmt::format("there is no violation {}: the run has {}", *violation_,
                               violations.size() == 1
                                   ? std::string("one")
                                   : fmt::format("the violations 1 to {}", violations.size())),
                   ExitCode::kUsage);
}

Result<TraceCommand::Found> TraceCommand::find_deadlock(const OpenedRun& run) const {
  const RunRecord& record = run.stored->record();
  for (const Violation& violation : record.summary.violations) {
    if (violation.kind == Verdict::kDeadlock) {
      return Found{Target{violation.state, &violation, true}};
    }
  }
  if (record.first_deadlock) return Found{Target{*record.first_deadlock, nullptr, true}};
  if (has_all_states(run) && record.summary.deadlocks == 0) {
    return not_found("the run is complete and has no deadlock", ExitCode::kUsage);
  }
  return search_deadlock(run);
}

// States that the search has stored and not expanded may have no successors, too.
Result<TraceCommand::Found> TraceCommand::search_deadlock(const OpenedRun& run) const {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  ThreadTeam team(stored_.threads());
  const TemporaryRun temporary;
  StateStream::Options options = stored_.pass(run, "searching for a deadlock", temporary.dir());
  const RunRecord& record = run.stored->record();
  // What was expanded and counted is known.
  if (!record.finished && record.level < run.stored->tree().depth()) {
    options.from_level = record.level;
  }
  const auto found =
      survey(*run.model, run.stored->tree(), {.deadlocks = 1, .stop_at_first_deadlock = true}, team,
             options, reporter);
  reporter.finish();
  if (!found) return found.error();
  if (!found->first_deadlocks.empty()) {
    return Found{Target{found->first_deadlocks.front(), nullptr, true}};
  }
  if (found->interrupted) {
    return not_found("interrupted while searching for a deadlock", ExitCode::kIncomplete);
  }
  return not_found(fmt::format("none of the {} states stored so far is a deadlock; {}",
                               format_count(run.stored->tree().states()), why_not_all(run)),
                   ExitCode::kIncomplete);
}

Result<StatePath> TraceCommand::path_to(const OpenedRun& run, const Target& target) const {
  Result<Trace> trace = stored_trace(*run.model, run.stored->tree(), target.state);
  if (!trace) return trace.error();
  StatePath path{.model_name = run.directory.header().model,
                 .what = fmt::format("state {}", target.state),
                 .kind = {},
                 .state = target.state,
                 .trace = std::move(*trace)};
  if (target.violation != nullptr) {
    path.kind = target.violation->kind;
    path.what = "violation: " + target.violation->what;
    path.failing = target.violation->event;
  } else if (target.deadlock) {
    path.kind = Verdict::kDeadlock;
    path.what = "deadlock";
  }
  if (Status status = check_end(*run.model, path); !status) return status.error();
  return path;
}

}  // namespace comback::tools

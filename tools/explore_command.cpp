#include "tools/explore_command.h"

#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "tools/json_text.h"
#include "tools/machine.h"
#include "tools/metrics_log.h"
#include "tools/option_types.h"
#include "tools/predicates.h"
#include "tools/quantity.h"
#include "tools/report.h"
#include "tools/run_options.h"
#include "tools/signals.h"
#include "tools/stored_model.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kResumeExamples = R"(Examples:
  comback resume anderson.run
  comback resume anderson.run --memory 8G --threads 4
  comback resume anderson.run --max-states 100M
  comback resume anderson.run --no-limits --json -

What the run was made with counts, unless it is given anew. Memory, threads, disk, I/O, kept levels,
checkpoints and limits can be changed; what is explored cannot: model, violations, range errors.
A limit that stopped the run holds no longer.

Exit codes: 0 complete, nothing violated; 1 there is a counterexample; 2 the command line is wrong or
somebody else explores the run; 3 incomplete; 4 the machine failed or the run is damaged.)";

constexpr const char* kExamples = R"(Examples:
  comback explore models/samples/peterson_filter.dve
  comback explore models/samples/philosophers_deadlock.dve --deadlock
  comback explore anderson.dve --run anderson.run --memory 4G
  comback explore lock.dve --invariant 'P_0.cs + P_1.cs <= 1' --memory 2G --json summary.json

Exit codes: 0 complete, nothing violated; 1 there is a counterexample; 2 the command line or the
model is wrong; 3 incomplete; 4 the machine failed.)";

}  // namespace

CLI::App* ExploreCommand::add_to(CLI::App& root) {
  default_memory_ = granted_memory() / 4;

  CLI::App* command =
      resumes_ ? root.add_subcommand("resume", "Go on with a run that was stopped or killed")
               : root.add_subcommand("explore", "Explore the reachable states of a model");
  command->footer(resumes_ ? kResumeExamples : kExamples);
  command_ = command;
  if (resumes_) {
    command->add_option("DIR", run_dir_, "The directory of a run: explore --run DIR made it");
  } else {
    model_.add_file_to(*command);
  }

  command->add_flag("--deadlock", deadlock_, "A state without successors is a violation")
      ->group("Violations");
  command
      ->add_option("--invariant", invariants_,
                   "What must hold in every state, in the model's language; repeatable")
      ->option_text("EXPR")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Violations");
  command->add_flag("--continue", continue_, "Go on after the first violation, and count them")
      ->group("Violations");
  add_choice<TraceStyle>(
      *command, "--trace",
      {{"changes", TraceStyle::kChanges}, {"full", TraceStyle::kFull}, {"none", TraceStyle::kNone}},
      traces_,
      "How the way to a violation is printed: what each step changes, whole "
      "states, or not at all")
      ->group("Violations");

  search_.add_to(*command, !resumes_);
  model_.add_execution_to(*command);

  add_size(*command, "--memory", memory_,
           fmt::format("The budget for all that the search holds, such as 512M or 4G; default: a "
                       "quarter of what the machine grants, here {}",
                       format_size(default_memory_)))
      ->group("Resources");
  add_count(*command, "--max-states", max_states_, "Stop when so many states are found")
      ->group("Resources");
  add_count(*command, "--max-depth", max_depth_,
            "Do not expand states that are more than N events from the initial one")
      ->group("Resources");
  add_duration(*command, "--time-limit", time_limit_,
               "Stop after exploring so long, such as 60s or 1h30m")
      ->group("Resources");
  if (resumes_) {
    command
        ->add_flag("--no-limits", no_limits_,
                   "Forget --max-states, --max-depth, --time-limit and --disk of earlier sessions")
        ->group("Resources");
  }

  command
      ->add_option("--json", json_,
                   "Write the summary to FILE; - is standard output, and then nothing else goes "
                   "there")
      ->option_text("FILE")
      ->group("Output");
  progress_.add_to(*command);
  return command;
}

Status ExploreCommand::check() const {
  if (resumes_) {
    if (run_dir_.empty()) return Error{Errc::kInvalidArgument, "the DIR of a run is needed"};
  } else {
    if (model_.file.empty()) return Error{Errc::kInvalidArgument, "a MODEL is needed"};
    if (Status status = search_.check(); !status) return status;
  }
  if (json_) {
    if (Status status = ResultFile(*json_).check(); !status) {
      return Error{status.error().code, "--json: " + status.error().what};
    }
  }
  return Done{};
}

SearchOptions ExploreCommand::search_options() const {
  SearchOptions options;
  options.memory_bytes = memory_.value_or(default_memory_);
  search_.apply(options);
  options.deadlock_is_violation = deadlock_;
  options.continue_after_violation = continue_;
  options.max_states = max_states_;
  options.max_depth = max_depth_;
  options.time_limit = time_limit_;
  if (resumes_) {
    options.levels.resume = true;
    options.levels.write_run = true;
    options.levels.run_dir = run_dir_;
  }
  return options;
}

Diagnostics ExploreCommand::read_invariants(const Model& model, SearchOptions& options) const {
  return read_predicates(model, invariants_, "invariant", options.invariants);
}

Status ExploreCommand::take_options_of_run() {
  const RunHeader& header = run_->header();
  if (Status status = apply_run_options(*command_, header.options, no_limits_); !status) {
    return Error{status.error().code,
                 fmt::format("{}: {}", run_dir_.string(), status.error().what)};
  }
  model_.file = header.model;
  return search_.check();
}

std::map<std::string, std::vector<std::string>> ExploreCommand::run_options(
    const SearchOptions& options) const {
  auto result = options_given(*command_);
  result["memory"] = {std::to_string(options.memory_bytes)};
  result["range-errors"] = {model_.range_errors_in_words()};
  return result;
}

Result<RunLock> ExploreCommand::take_run(const SearchOptions& options, std::string_view source) {
  if (!resumes_) {
    RunHeader header;
    header.comback_version = COMBACK_VERSION;
    header.model = std::filesystem::path(model_.file).filename().string();
    header.model_path = model_.file;
    header.options = run_options(options);
    auto made = RunDirectory::create(search_.run_dir(), std::move(header), source);
    if (!made) return Error{made.error().code, "--run: " + made.error().what};
    run_.emplace(std::move(*made));
    return RunLock::take(run_->path());
  }
  auto lock = RunLock::take(run_->path());
  if (!lock) return lock;
  // The next session goes on with what counts in this one.
  RunHeader header = run_->header();
  header.options = run_options(options);
  if (header.options != run_->header().options) {
    if (Status status = run_->write_header(std::move(header)); !status) return status.error();
  }
  return lock;
}

ExitCode ExploreCommand::failed(const Error& error, const SearchOptions& options) const {
  complain(fmt::format("comback: {}\n", error.what));
  const bool by_levels = options.visited == VisitedMode::kLevels;
  switch (error.code) {
    case Errc::kInvalidArgument:
    case Errc::kUnsupported:
      return ExitCode::kUsage;
    case Errc::kOutOfMemory:
      // Other searches ask for all that they need when they start.
      if (!by_levels) return ExitCode::kUsage;
      break;
    case Errc::kNoSpace:
      break;
    default:
      if (run_) {
        complain(
            fmt::format("The run is as its last checkpoint left it. 'comback verify {0}' tells "
                        "whether it is sound, 'comback resume {0}' goes on with it.\n",
                        run_->path().string()));
      }
      return ExitCode::kFailure;
  }
  if (run_) {
    complain(
        fmt::format("The run is as its last checkpoint left it. {} and go on with it by "
                    "'comback resume {}{}'.\n",
                    error.code == Errc::kNoSpace ? "Make room on the disk" : "Find more memory",
                    run_->path().string(), error.code == Errc::kNoSpace ? "" : " --memory SIZE"));
  }
  return ExitCode::kIncomplete;
}

// A limit that was reached would stop the next session at once: it holds no longer.
void ExploreCommand::forget_limit(StopReason reason) {
  if (reason != StopReason::kMaxStates && reason != StopReason::kMaxDepth &&
      reason != StopReason::kTimeLimit) {
    return;
  }
  RunHeader header = run_->header();
  header.options.erase(to_string(reason));
  if (Status status = run_->write_header(std::move(header)); !status) {
    complain(fmt::format("comback: {} still holds for the next session: {}\n", to_string(reason),
                         status.error().what));
  }
}

void ExploreCommand::tell_how_to_go_on(const Summary& summary) const {
  if (!run_ || summary.stop_reason == StopReason::kNone) return;
  const std::string dir = run_->path().string();
  switch (summary.stop_reason) {
    case StopReason::kMaxStates:
    case StopReason::kMaxDepth:
    case StopReason::kTimeLimit:
      complain(
          fmt::format("comback: go on with 'comback resume {0}', or 'comback resume {0} --{1} "
                      "{2}' up to the next limit\n",
                      dir, to_string(summary.stop_reason),
                      summary.stop_reason == StopReason::kTimeLimit ? "TIME" : "N"));
      return;
    case StopReason::kMemory:
      complain(fmt::format("comback: go on with 'comback resume {} --memory SIZE'\n", dir));
      return;
    case StopReason::kDisk:
      complain(fmt::format(
          "comback: about {} more are needed soon. Make room{}, then go on with "
          "'comback resume {}{}'\n",
          format_size(summary.disk_needed), search_.disk_limited() ? " or allow more" : "", dir,
          search_.disk_limited() ? " --disk SIZE" : ""));
      return;
    default:
      complain(fmt::format("comback: go on with 'comback resume {}'\n", dir));
  }
}

ExitCode ExploreCommand::run(StandardOutput& out) {
  if (resumes_) {
    auto opened = RunDirectory::open(run_dir_);
    if (!opened) {
      complain(fmt::format("comback: {}\n", opened.error().what));
      return exit_code_of(opened.error());
    }
    run_.emplace(std::move(*opened));
    if (Status status = take_options_of_run(); !status) {
      complain(fmt::format("comback: {}\n", status.error().what));
      return exit_code_of(status.error());
    }
  }
  SearchOptions options = search_options();
  // Native code in the background is news only where a search takes long enough to need it.
  const bool in_background = model_.dve.backend == dve::Backend::kAuto;
  ProgressReporter reporter(progress_.settings(
      options.memory_bytes, std::chrono::duration<double>(in_background ? 1 : 0)));
  RunMonitor monitor(reporter);
  const StopOnSignals signals(monitor, !reporter.quiet());

  reporter.phase("reading " + model_.file);
  const auto status = [&](std::string_view text) { reporter.status(text); };
  std::unique_ptr<Model> model;
  std::string source;
  if (resumes_) {
    auto loaded = load_stored_model(*run_, model_.dve.backend, status);
    if (!loaded) {
      reporter.finish();
      complain(fmt::format("comback: {}\n", loaded.error().what));
      return exit_code_of(loaded.error());
    }
    model = std::move(*loaded);
  } else {
    auto loaded = load_model(model_, status, search_.run_dir().empty() ? nullptr : &source);
    if (const auto* problems = std::get_if<Diagnostics>(&loaded)) {
      reporter.finish();
      complain(to_string(*problems));
      return ExitCode::kUsage;
    }
    model = std::move(std::get<std::unique_ptr<Model>>(loaded));
  }
  // Reading a large model takes tens of megabytes for a while, which the search is not to be
  // charged for.
  ::malloc_trim(0);
  if (const Diagnostics problems = read_invariants(*model, options); !problems.empty()) {
    reporter.finish();
    complain(to_string(problems));
    return ExitCode::kUsage;
  }

  std::optional<TemporaryRun> temporary;
  std::optional<RunLock> lock;
  std::optional<MetricsLog> metrics;
  if (!resumes_ && search_.run_dir().empty()) {
    temporary.emplace();
    options.levels.run_dir = temporary->dir();
  } else {
    auto taken = take_run(options, source);
    if (!taken) {
      reporter.finish();
      complain(fmt::format("comback: {}\n", taken.error().what));
      return exit_code_of(taken.error());
    }
    lock.emplace(std::move(*taken));
    metrics.emplace(run_->metrics(), options.memory_bytes);
    monitor.log_to(*metrics);
  }
  const Result<Summary> summary = explore(*model, options, monitor);
  reporter.finish();
  if (!summary) return failed(summary.error(), options);
  if (metrics) metrics->finish(*summary);
  if (run_) forget_limit(summary->stop_reason);
  const ExitCode code = report(*model, options, *summary, out);
  tell_how_to_go_on(*summary);
  return code;
}

ExitCode ExploreCommand::report(const Model& model, const SearchOptions& options,
                                const Summary& summary, StandardOutput& out) const {
  nlohmann::ordered_json settings;
  search_.describe(options, model, settings);
  settings["memory_bytes"] = options.memory_bytes;
  if (!settings.contains("threads")) settings["threads"] = 1;
  settings["successors"] = std::string(model.backend());
  settings["range_errors"] = model_.range_errors_in_words();
  const Report report{.model_name = std::filesystem::path(model_.file).filename().string(),
                      .model = model,
                      .options = options,
                      .summary = summary,
                      .settings = std::move(settings),
                      .visited_in_words = search_.visited_in_words(),
                      .peak_memory_bytes = peak_memory()};
  if (json_) {
    const ResultFile json(*json_);
    const std::string text = json_text(to_json(report));
    if (json.is_standard_output()) {
      out.write(text);
      return exit_code(summary);
    }
    if (const Status status = json.write(text); !status) {
      out.write(to_text(report, traces_));
      complain(fmt::format("comback: the summary is lost: {}\n", status.error().what));
      return ExitCode::kFailure;
    }
  }
  out.write(to_text(report, traces_));
  return exit_code(summary);
}

}  // namespace comback::tools

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

constexpr const char* kExamples = R"(Examples:
  comback explore models/samples/peterson_filter.dve
  comback explore models/samples/philosophers_deadlock.dve --deadlock
  comback explore lock.dve --invariant 'P_0.cs + P_1.cs <= 1' --memory 2G --json summary.json

Exit codes: 0 complete, nothing violated; 1 there is a counterexample; 2 the command line or the
model is wrong; 3 incomplete; 4 the machine failed.)";

}  // namespace

CLI::App* ExploreCommand::add_to(CLI::App& root) {
  default_memory_ = granted_memory() / 4;

  CLI::App* command = root.add_subcommand("explore", "Explore the reachable states of a model");
  command->footer(kExamples);
  command_ = command;
  model_.add_file_to(*command);

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

  search_.add_to(*command);
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
  if (model_.file.empty()) return Error{Errc::kInvalidArgument, "a MODEL is needed"};
  if (Status status = search_.check(); !status) return status;
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
  return options;
}

Diagnostics ExploreCommand::read_invariants(const Model& model, SearchOptions& options) const {
  return read_predicates(model, invariants_, "invariant", options.invariants);
}

ExitCode ExploreCommand::run(StandardOutput& out) {
  SearchOptions options = search_options();
  // Native code in the background is news only where a search takes long enough to need it.
  const bool in_background = model_.dve.backend == dve::Backend::kAuto;
  ProgressReporter reporter(progress_.settings(
      options.memory_bytes, std::chrono::duration<double>(in_background ? 1 : 0)));
  const StopOnSignals signals(reporter, !reporter.quiet());

  reporter.phase("reading " + model_.file);
  std::string source;
  auto loaded = load_model(
      model_, [&](std::string_view text) { reporter.status(text); },
      search_.run_dir().empty() ? nullptr : &source);
  if (const auto* problems = std::get_if<Diagnostics>(&loaded)) {
    reporter.finish();
    complain(to_string(*problems));
    return ExitCode::kUsage;
  }
  const auto& model = std::get<std::unique_ptr<Model>>(loaded);
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
  if (search_.run_dir().empty()) {
    temporary.emplace();
    options.levels.run_dir = temporary->dir();
  } else {
    auto directory = RunDirectory::create(search_.run_dir(), header(options), source);
    auto taken = directory ? RunLock::take(search_.run_dir()) : directory.error();
    if (!taken) {
      reporter.finish();
      complain(fmt::format("comback: --run: {}\n", taken.error().what));
      return exit_code_of(taken.error());
    }
    lock.emplace(std::move(*taken));
  }
  const Result<Summary> summary = explore(*model, options, reporter);
  reporter.finish();
  if (!summary) {
    complain(fmt::format("comback: {}\n", summary.error().what));
    const Errc code = summary.error().code;
    // Options that no search can be started with; --memory too small is one.
    const bool refused =
        code == Errc::kOutOfMemory || code == Errc::kInvalidArgument || code == Errc::kUnsupported;
    return refused ? ExitCode::kUsage : ExitCode::kFailure;
  }
  return report(*model, options, *summary, out);
}

RunHeader ExploreCommand::header(const SearchOptions& options) const {
  RunHeader header;
  header.comback_version = COMBACK_VERSION;
  header.model = std::filesystem::path(model_.file).filename().string();
  header.model_path = model_.file;
  header.options = options_given(*command_);
  header.options["memory"] = {std::to_string(options.memory_bytes)};
  header.options["range-errors"] = {model_.range_errors_in_words()};
  return header;
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

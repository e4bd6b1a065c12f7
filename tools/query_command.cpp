#include "tools/query_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/stored_trace.h"
#include "engine/thread_team.h"
#include "tools/json_text.h"
#include "tools/machine.h"
#include "tools/option_types.h"
#include "tools/predicates.h"
#include "tools/signals.h"
#include "tools/suggestion.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback query bank.run 'balance[0] + balance[1] != 20' --trace
  comback query bank.run 'lock == 1' 'balance[0] < 5' --per-level --limit 3
  comback query bank.run --count-by 'balance[0] + balance[1]' --distinct Teller_0

Exit codes: 0 answered; 2 the command line or a predicate is wrong; 3 answered about part of the
reachable states: the run is incomplete, or the query was interrupted; 4 the run or the machine failed.)";

constexpr std::uint64_t kDefaultLimit = 10;
constexpr std::uint64_t kDefaultValues = 50;

CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& texts,
                       const std::string& kind, const std::string& help) {
  return command.add_option(name, texts, help)
      ->option_text(kind)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

CLI::App* QueryCommand::add_to(CLI::App& root) {
  CLI::App* command =
      root.add_subcommand("query", "Ask about all states of a stored run, in one pass");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  command->add_option("PREDICATE", predicates_,
                      "In the model's language: how many states satisfy it, and which are first; "
                      "several are answered together");
  constexpr const char* kGroup = "Questions";
  add_texts(*command, "--count-by", count_by_, "EXPR",
            "How often the expression has which value; repeatable")
      ->group(kGroup);
  add_texts(*command, "--distinct", distinct_, "VAR",
            "Which values the variable takes, and which of its names never occur; repeatable")
      ->group(kGroup);
  constexpr const char* kOutput = "Output";
  add_count(*command, "--limit", limit_,
            fmt::format("Name so many of the states that satisfy a predicate, the first by id and "
                        "with that by depth; default {}",
                        kDefaultLimit))
      ->group(kOutput);
  command->add_flag("--trace", trace_, "Show the way to the first state of each predicate")
      ->group(kOutput);
  command->add_flag("--all-traces", all_traces_, "Show the way to every state that is named")
      ->group(kOutput);
  command
      ->add_flag("--per-level", per_level_,
                 "Count the states that satisfy a predicate level by level")
      ->group(kOutput);
  add_count(*command, "--values", values_,
            fmt::format("Print so many values of --count-by and --distinct, the most frequent; "
                        "default {}, 0 is all",
                        kDefaultValues))
      ->group(kOutput);
  command
      ->add_option("--json", json_,
                   "Write the answers to FILE; - is standard output, and then nothing else goes "
                   "there")
      ->option_text("FILE")
      ->group(kOutput);
  stored_.add_pass_to(*command);
  return command;
}

Status QueryCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  if (predicates_.empty() && count_by_.empty() && distinct_.empty()) {
    return Error{Errc::kInvalidArgument,
                 "a PREDICATE is needed, or --count-by EXPR, or --distinct VAR"};
  }
  if (predicates_.empty() && (trace_ || all_traces_ || per_level_ || limit_)) {
    return Error{Errc::kInvalidArgument,
                 "--limit, --trace, --all-traces and --per-level do nothing without a PREDICATE"};
  }
  if ((trace_ || all_traces_) && limit_ && *limit_ == 0) {
    return Error{Errc::kInvalidArgument, "--limit 0 names no state that a way could lead to"};
  }
  if (json_) {
    if (Status status = ResultFile(*json_).check(); !status) {
      return Error{status.error().code, "--json: " + status.error().what};
    }
  }
  return Done{};
}

Diagnostics QueryCommand::read_questions(const Model& model, Query& query) const {
  Diagnostics problems = read_predicates(model, predicates_, "predicate", query.predicates);
  for (Diagnostic& problem : read_predicates(model, count_by_, "count-by", query.count_by)) {
    problems.push_back(std::move(problem));
  }
  std::vector<std::string> names;
  for (const VariableInfo& variable : model.variables()) names.push_back(variable.name);
  for (const std::string& name : distinct_) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) {
      query.distinct.push_back(static_cast<std::uint32_t>(at - names.begin()));
      continue;
    }
    Diagnostic problem;
    problem.file = "<distinct>";
    problem.message = fmt::format("there is no variable '{}'{}", name, did_you_mean(name, names));
    problem.hint = fmt::format("the variables are {}", fmt::join(names, ", "));
    problems.push_back(std::move(problem));
  }
  query.limit = limit_.value_or(kDefaultLimit);
  return problems;
}

ExitCode QueryCommand::run(StandardOutput& out) {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  reporter.phase("opening " + stored_.dir());
  const Result<OpenedRun> run = stored_.open([&](std::string_view text) { reporter.status(text); });
  if (!run) {
    reporter.finish();
    complain(fmt::format("comback: {}\n", run.error().what));
    return exit_code_of(run.error());
  }
  Query query;
  if (const Diagnostics problems = read_questions(*run->model, query); !problems.empty()) {
    reporter.finish();
    complain(to_string(problems));
    return ExitCode::kUsage;
  }

  ThreadTeam team(stored_.threads());
  const TemporaryRun temporary;
  const auto start = std::chrono::steady_clock::now();
  const Result<QueryAnswer> answer = ask(*run->model, run->stored->tree(), query, team,
                                         stored_.pass(*run, "querying", temporary.dir()), reporter);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  reporter.finish();
  if (!answer) {
    complain(fmt::format("comback: {}\n", answer.error().what));
    return exit_code_of(answer.error());
  }
  auto traces = paths(*run, *answer);
  if (!traces) {
    complain(fmt::format("comback: {}\n", traces.error().what));
    return exit_code_of(traces.error());
  }
  const QueryReport report{.model_name = run->directory.header().model,
                           .model = *run->model,
                           .tree = run->stored->tree(),
                           .query = query,
                           .answer = *answer,
                           .all_states = has_all_states(*run) && !answer->interrupted,
                           .warning = warning_of_missing_states(*run),
                           .per_level = per_level_,
                           .values = static_cast<std::size_t>(values_.value_or(kDefaultValues)),
                           .paths = std::move(*traces),
                           .seconds = elapsed.count(),
                           .peak_memory_bytes = peak_memory()};
  return print(report, report.all_states ? ExitCode::kComplete : ExitCode::kIncomplete, out);
}

Result<std::vector<std::vector<StatePath>>> QueryCommand::paths(const OpenedRun& run,
                                                                const QueryAnswer& answer) const {
  std::vector<std::vector<StatePath>> result;
  if (!trace_ && !all_traces_) return result;
  for (const QueryAnswer::ForPredicate& found : answer.predicates) {
    std::vector<StatePath>& of_this = result.emplace_back();
    for (const StateId id : found.first) {
      Result<Trace> trace = stored_trace(*run.model, run.stored->tree(), id);
      if (!trace) return trace.error();
      of_this.push_back({.model_name = run.directory.header().model,
                         .what = fmt::format("state {}", id),
                         .kind = {},
                         .state = id,
                         .trace = std::move(*trace)});
      if (!all_traces_) break;
    }
  }
  return result;
}

ExitCode QueryCommand::print(const QueryReport& report, ExitCode code, StandardOutput& out) const {
  if (json_) {
    const ResultFile json(*json_);
    const std::string text = json_text(query_json(report));
    if (json.is_standard_output()) {
      out.write(text);
      return code;
    }
    if (const Status status = json.write(text); !status) {
      out.write(query_text(report));
      complain(fmt::format("comback: the answers are not in the file: {}\n", status.error().what));
      return ExitCode::kFailure;
    }
  }
  out.write(query_text(report));
  return code;
}

}  // namespace comback::tools

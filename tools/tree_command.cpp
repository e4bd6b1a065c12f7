#include "tools/tree_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "engine/transition_graph.h"
#include "engine/tree_shape.h"
#include "tools/json_text.h"
#include "tools/option_types.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback tree anderson.run
  comback tree anderson.run --survey --events
  comback tree anderson.run --format csv -o levels.csv

Exit codes: 0 the shape of all reachable states; 2 the command line is wrong; 3 the run is incomplete,
or it was interrupted; 4 the run or the machine failed.)";

constexpr std::uint64_t kDefaultTop = 10;

}  // namespace

CLI::App* TreeCommand::add_to(CLI::App& root) {
  CLI::App* command = root.add_subcommand(
      "tree", "Show the shape of a stored run's tree: levels, branching, subtrees, events");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  constexpr const char* kContents = "Contents";
  add_count(*command, "--top", top_,
            fmt::format("Name so many subtrees and events; default {}", kDefaultTop))
      ->group(kContents);
  add_count(*command, "--depth", depth_,
            "Name the heaviest subtrees that begin on this level; default: the first level that "
            "has --top states")
      ->group(kContents);
  command
      ->add_flag("--events", events_,
                 "Print every event; with --format csv, a row per level and event")
      ->group(kContents);
  command
      ->add_flag("--survey", survey_,
                 fmt::format("Expand every state again, which tells the transitions and deadlocks "
                             "of every level and the events that never fire; done without asking "
                             "for runs of up to {} states",
                             kSurveyedStates))
      ->group(kContents);
  command->add_flag("--no-survey", no_survey_, "Look at the tree alone")->group(kContents);
  command
      ->add_flag("--transitions", transitions_,
                 "Follow every transition to the state it leads to, which tells how many lead "
                 "forward, to the same level and back; takes about as long as exploring")
      ->group(kContents);
  add_choice<Format>(*command, "--format",
                     {{"text", Format::kText}, {"json", Format::kJson}, {"csv", Format::kCsv}},
                     format_, "csv is a row per level")
      ->group("Output");
  command
      ->add_option("-o,--output", output_, "Write to FILE instead; it appears whole or not at all")
      ->option_text("FILE")
      ->group("Output");
  stored_.add_pass_to(*command);
  return command;
}

Status TreeCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  if (survey_ && no_survey_) {
    return Error{Errc::kInvalidArgument, "--survey and --no-survey contradict each other"};
  }
  if (output_) {
    if (Status status = ResultFile(*output_).check(); !status) {
      return Error{status.error().code, "--output: " + status.error().what};
    }
  }
  return Done{};
}

bool TreeCommand::surveys(const OpenedRun& run) const {
  return !no_survey_ && (survey_ || run.stored->tree().states() <= kSurveyedStates);
}

ExitCode TreeCommand::run(StandardOutput& out) {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  reporter.phase("opening " + stored_.dir());
  const auto give_up = [&](const Error& error) {
    reporter.finish();
    if (reporter.stop_requested()) {
      complain("comback: interrupted\n");
      return ExitCode::kIncomplete;
    }
    complain(fmt::format("comback: {}\n", error.what));
    return exit_code_of(error);
  };
  const Result<OpenedRun> run = stored_.open([&](std::string_view text) { reporter.status(text); });
  if (!run) return give_up(run.error());
  const StoredTree& tree = run->stored->tree();
  if (depth_ && *depth_ >= tree.depth()) {
    reporter.finish();
    complain(fmt::format("comback: --depth: there is no level {}: the run has the levels 0 to {}\n",
                         *depth_, tree.depth() - 1));
    return ExitCode::kUsage;
  }

  TreeShapeOptions shape_options;
  shape_options.memory_bytes = run->budget->left();
  shape_options.heaviest = static_cast<std::size_t>(top_.value_or(kDefaultTop));
  if (depth_) shape_options.depth = static_cast<std::uint32_t>(*depth_);
  const Result<TreeShape> shape = measure_tree(tree, shape_options, reporter);
  if (!shape) return give_up(shape.error());

  ThreadTeam team(stored_.threads());
  const TemporaryRun temporary;
  std::optional<Survey> surveyed;
  if (surveys(*run)) {
    auto result = survey(*run->model, tree, {}, team,
                         stored_.pass(*run, "expanding", temporary.dir()), reporter);
    if (!result) return give_up(result.error());
    if (result->interrupted) return give_up({Errc::kIo, "interrupted"});
    surveyed = std::move(*result);
  }
  std::optional<TransitionShares> shares;
  if (transitions_) {
    const Result<TransitionShares> result = follow_transitions(*run, team, reporter);
    if (!result) return give_up(result.error());
    shares = *result;
  }
  reporter.finish();

  const TreeReport report{.model_name = run->directory.header().model,
                          .model = *run->model,
                          .tree = tree,
                          .record = run->stored->record(),
                          .shape = *shape,
                          .survey = surveyed ? &*surveyed : nullptr,
                          .shares = shares ? &*shares : nullptr,
                          .all_states = has_all_states(*run),
                          .warning = warning_of_missing_states(*run),
                          .top = shape_options.heaviest,
                          .all_events = events_};
  const std::string text = format(report);
  if (!output_ || ResultFile(*output_).is_standard_output()) {
    out.write(text);
  } else if (const Status status = ResultFile(*output_).write(text); !status) {
    complain(fmt::format("comback: {}\n", status.error().what));
    return ExitCode::kFailure;
  }
  return exit_code_of_answer(*run);
}

Result<TransitionShares> TreeCommand::follow_transitions(const OpenedRun& run, ThreadTeam& team,
                                                         Monitor& monitor) const {
  const StoredTree& tree = run.stored->tree();
  const TemporaryRun temporary;
  TransitionGraph::Options options;
  options.memory_bytes = run.budget->left();
  options.temporary_dir = temporary.dir();
  if (!has_all_states(run)) {
    const Result<StateId> expanded = expanded_states(tree, run.stored->record());
    if (!expanded) return expanded.error();
    options.expanded = *expanded;
  }
  TransitionGraph graph(*run.model, tree, team, options);
  if (Status status = graph.build(monitor); !status) return status.error();
  if (graph.stopped()) return Error{Errc::kIo, "interrupted"};
  TransitionShares shares;
  const Status visited =
      graph.visit([&](std::span<const GraphTransition> transitions) -> Result<bool> {
        std::uint32_t level = tree.level_of(transitions.front().from);
        for (const GraphTransition& transition : transitions) {
          while (transition.from >= tree.end(level)) ++level;
          if (transition.to >= tree.end(level)) {
            ++shares.forward;
          } else if (transition.to >= tree.first(level)) {
            ++shares.level;
          } else {
            ++shares.backward;
            shares.longest = std::max(shares.longest, level - tree.level_of(transition.to));
          }
        }
        return !monitor.stop_requested();
      });
  if (!visited) return visited.error();
  if (monitor.stop_requested()) return Error{Errc::kIo, "interrupted"};
  return shares;
}

std::string TreeCommand::format(const TreeReport& report) const {
  switch (format_) {
    case Format::kText:
      return tree_text(report);
    case Format::kJson:
      return json_text(tree_json(report));
    case Format::kCsv:
      return events_ ? tree_events_csv(report) : tree_levels_csv(report);
  }
  return {};
}

}  // namespace comback::tools

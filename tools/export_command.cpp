#include "tools/export_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/thread_team.h"
#include "engine/transition_graph.h"
#include "tools/option_types.h"
#include "tools/quantity.h"
#include "tools/signals.h"
#include "tools/temporary_run.h"
#include "tools/tree_drawing.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback export anderson.run --format aut -o anderson.aut
  comback export anderson.run --format csv --what levels
  comback export bank.run --format dot --depth 3 --states | dot -Tsvg > tree.svg
  comback export bank.run --format json --what tree --root 17 -o below-17.json

Exit codes: 0 all of it was written; 2 the command line is wrong; 3 the run is incomplete, or writing
was interrupted; 4 the run or the machine failed.)";

// More boxes than this nobody looks at.
constexpr std::uint64_t kDrawable = 200;

constexpr const char* kInterrupted = "interrupted; nothing was written";

}  // namespace

CLI::App* ExportCommand::add_to(CLI::App& root) {
  CLI::App* command =
      root.add_subcommand("export", "Write the graph, the tree or the levels of a stored run");
  command->footer(kExamples);
  stored_.add_dir_to(*command);
  add_choice<std::optional<Format>>(*command, "--format",
                                    {{"aut", Format::kAut},
                                     {"dot", Format::kDot},
                                     {"csv", Format::kCsv},
                                     {"json", Format::kJson}},
                                    format_,
                                    "aut: the full graph in the Aldebaran format; dot: a part of "
                                    "the tree, for Graphviz; csv and json: see --what")
      ->default_str("")
      ->group("Output");
  add_choice<std::optional<What>>(
      *command, "--what",
      {{"graph", What::kGraph}, {"tree", What::kTree}, {"levels", What::kLevels}}, what_,
      "graph: every transition, by expanding every state again; tree: the edge that first reached "
      "each state; levels: how many states each has; default: tree of csv and dot, levels of json")
      ->default_str("")
      ->group("Output");
  add_choice<ExportLabels>(
      *command, "--labels", {{"words", ExportLabels::kWords}, {"numbers", ExportLabels::kNumbers}},
      labels_, "How events are named: in words, or by their numbers alone, which is shorter")
      ->group("Output");
  command
      ->add_option("-o,--output", output_,
                   "Where to; the file appears when it is complete. Default: standard output")
      ->option_text("FILE")
      ->group("Output");
  command
      ->add_flag("--partial", partial_,
                 "Of a run that is incomplete, write the graph of what it has expanded")
      ->group("Output");
  add_count(*command, "--root", root_, "Only the state with this id and its descendants")
      ->option_text("ID")
      ->group("Part of the tree");
  add_count(*command, "--depth", depth_, "Only states at most N events below the root")
      ->group("Part of the tree");
  add_count(
      *command, "--max-nodes", max_nodes_,
      fmt::format("At most so many states, the nearest to the root; default of dot: {}", kDrawable))
      ->group("Part of the tree");
  command->add_flag("--states", states_, "With dot: write into each node what its event changed")
      ->group("Part of the tree");
  stored_.add_pass_to(*command);
  return command;
}

ExportCommand::What ExportCommand::what() const {
  if (what_) return *what_;
  switch (*format_) {
    case Format::kAut:
      return What::kGraph;
    case Format::kJson:
      return What::kLevels;
    default:
      return What::kTree;
  }
}

Status ExportCommand::check() const {
  if (Status status = stored_.check(); !status) return status;
  if (!format_) return Error{Errc::kInvalidArgument, "--format is needed: aut, dot, csv or json"};
  if (*format_ == Format::kAut && what() != What::kGraph) {
    return Error{Errc::kInvalidArgument, "--format aut writes the graph; csv and json the rest"};
  }
  if (*format_ == Format::kDot && what() != What::kTree) {
    return Error{Errc::kInvalidArgument, "--format dot draws the tree; aut, csv and json the rest"};
  }
  if (states_ && *format_ != Format::kDot) {
    return Error{Errc::kInvalidArgument, "--states goes with --format dot"};
  }
  if ((root_ || depth_ || max_nodes_) && what() != What::kTree) {
    return Error{Errc::kInvalidArgument,
                 "--root, --depth and --max-nodes select a part of the "
                 "tree: they go with --what tree"};
  }
  if (partial_ && what() != What::kGraph) {
    return Error{Errc::kInvalidArgument,
                 "--partial goes with --what graph; the rest is written of any run"};
  }
  if (Status status = ResultFile(output_).check(); !status) {
    return Error{status.error().code, "--output: " + status.error().what};
  }
  return Done{};
}

SubtreeRange ExportCommand::range() const {
  SubtreeRange range;
  range.root = root_.value_or(0);
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint32_t>::max();
  range.depth = static_cast<std::uint32_t>(std::min(depth_.value_or(kAll), kAll));
  range.max_states = max_nodes_.value_or(*format_ == Format::kDot ? kDrawable : range.max_states);
  return range;
}

ExitCode ExportCommand::run(StandardOutput& out) {
  ProgressReporter reporter(stored_.progress());
  const StopOnSignals signals(reporter, !reporter.quiet());
  const auto fail = [&](const Error& error) {
    reporter.finish();
    complain(fmt::format("comback: {}\n", error.what));
    return reporter.stop_requested() ? ExitCode::kIncomplete : exit_code_of(error);
  };
  const Result<OpenedRun> run =
      what() == What::kGraph ? stored_.open([&](std::string_view text) { reporter.status(text); })
                             : stored_.open_interpreted();
  if (!run) return fail(run.error());
  if (root_ && *root_ >= run->stored->tree().states()) {
    return fail({Errc::kInvalidArgument,
                 fmt::format("--root: there is no state {}: the run has the states 0 to {}", *root_,
                             run->stored->tree().states() - 1)});
  }
  const bool complete = has_all_states(*run);
  if (what() == What::kGraph && !complete && !partial_) {
    fail({Errc::kInvalidArgument,
          warning_of_missing_states(*run) +
              "Its graph is not complete; --partial writes what it has expanded"});
    return ExitCode::kIncomplete;
  }
  auto stream = ResultStream::open(output_, out);
  if (!stream) {
    fail(stream.error());
    return ExitCode::kFailure;
  }
  if (const Status status = write(*run, *stream, reporter); !status) return fail(status.error());
  if (reporter.stop_requested()) return fail({Errc::kInvalidArgument, kInterrupted});
  reporter.finish();
  if (const Status status = stream->finish(); !status) {
    fail(status.error());
    return ExitCode::kFailure;
  }
  complain(warning_of_missing_states(*run));
  return exit_code_of_answer(*run);
}

Status ExportCommand::write(const OpenedRun& run, ResultStream& out,
                            ProgressReporter& reporter) const {
  const ExportedRun exported{.model_name = run.directory.header().model,
                             .model = *run.model,
                             .tree = run.stored->tree(),
                             .summary = run.stored->record().summary,
                             .complete = has_all_states(run)};
  switch (what()) {
    case What::kGraph:
      return write_graph(run, exported, out, reporter);
    case What::kTree:
      return write_tree(exported, out, reporter);
    case What::kLevels:
      (*format_ == Format::kCsv ? write_levels_csv : write_levels_json)(exported, out);
      return Done{};
  }
  return Done{};
}

Status ExportCommand::write_tree(const ExportedRun& exported, ResultStream& out,
                                 const Monitor& monitor) const {
  if (Status status = exported.tree.check(); !status) return status;
  if (*format_ == Format::kDot) {
    return write_tree_dot(exported, {.range = range(), .states = states_}, out);
  }
  return (*format_ == Format::kCsv ? write_tree_csv : write_tree_json)(exported, range(), labels_,
                                                                       out, monitor);
}

Status ExportCommand::write_graph(const OpenedRun& run, const ExportedRun& exported,
                                  ResultStream& out, ProgressReporter& reporter) const {
  const RunRecord& record = run.stored->record();
  const TemporaryRun temporary;
  TransitionGraph::Options options;
  options.memory_bytes = run.budget->left();
  options.temporary_dir = temporary.dir();
  if (!exported.complete) {
    const auto expanded = expanded_states(exported.tree, record);
    if (!expanded) return expanded.error();
    options.expanded = *expanded;
  }
  ThreadTeam team(stored_.threads());
  TransitionGraph graph(exported.model, exported.tree, team, options);
  if (Status status = graph.build(reporter); !status || graph.stopped()) return status;
  if (exported.complete && graph.transitions() != record.summary.transitions) {
    return Error{
        Errc::kCorruption,
        fmt::format("the states have {} transitions, and the run has counted {}; comback "
                    "verify tells what is wrong",
                    format_count(graph.transitions()), format_count(record.summary.transitions))};
  }
  reporter.phase("writing");
  const auto write_as = *format_ == Format::kAut   ? write_graph_aut
                        : *format_ == Format::kCsv ? write_graph_csv
                                                   : write_graph_json;
  return write_as(exported, graph, labels_, out, reporter);
}

}  // namespace comback::tools

#include "tools/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/stored_trace.h"
#include "tools/quantity.h"
#include "tools/stored_run_options.h"
#include "tools/table.h"
#include "tools/trace_report.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::array<const OpenedRun*, 2>;
using Side = RunComparison::Side;

// Ids go by predecessors, so the level below the last state's predecessor is whole, and the next
// one may be.
Result<std::uint32_t> whole_levels(const OpenedRun& run, bool complete) {
  const StoredTree& tree = run.stored->tree();
  if (complete) return tree.depth();
  const RunRecord& record = run.stored->record();
  if (!record.finished) {
    const bool level_done = record.expanded >= tree.states() ||
                            (record.expanded > 0 && tree.level_of(record.expanded) > record.level);
    return std::min(tree.depth(), record.level + 1 + (level_done ? 1 : 0));
  }
  const Result<Backedge> last = tree.backedges->find(tree.states() - 1);
  if (!last) return last.error();
  return tree.level_of(last->predecessor) + 1;
}

// The first levels of a run alone.
StoredTree first_levels(const StoredTree& tree, std::uint32_t levels) {
  StoredTree part = tree;
  part.first_ids.resize(std::size_t{levels} + 1);
  return part;
}

const std::string& other_name(const RunComparison& comparison, unsigned run) {
  return comparison.sides[1 - run].dir;
}

std::string verdict_in_words(const Side& side) {
  if (side.finished && !side.complete) return side.verdict + ", and stopped there";
  return side.verdict;
}

std::string example_text(const OpenedRun& run, const RunComparison& comparison,
                         const RunComparison::Example& example, bool traces) {
  const StateOfOne& state = example.state;
  const std::string where =
      state.elsewhere ? fmt::format("which {} has at another depth, as state {}",
                                    other_name(comparison, state.run), *state.elsewhere)
                      : fmt::format("which {} does not have", other_name(comparison, state.run));
  std::string text = fmt::format("\n{} has state {} on level {}, {}:\n",
                                 comparison.sides[state.run].dir, state.id, state.depth, where);
  text += wrapped(assignments(*run.model, state.state.data(), nullptr), "  ");
  if (traces) {
    text += "\n" + trace_text(*run.model, example.trace, std::nullopt, TraceStyle::kChanges);
  } else {
    text += fmt::format("  comback trace {} --state {} shows the way there\n",
                        comparison.sides[state.run].dir, state.id);
  }
  return text;
}

}  // namespace

std::string layout_difference(const Model& a, const Model& b) {
  const auto ours = a.variables();
  const auto theirs = b.variables();
  const std::size_t both = std::min(ours.size(), theirs.size());
  for (std::size_t v = 0; v < both; ++v) {
    const VariableInfo& mine = ours[v];
    const VariableInfo& other = theirs[v];
    if (mine.name != other.name) {
      return fmt::format("variable {} is {} in one model and {} in the other", v + 1, mine.name,
                         other.name);
    }
    if (mine.kind != other.kind || mine.length != other.length ||
        mine.offset_bytes != other.offset_bytes || mine.element_bytes != other.element_bytes ||
        mine.message_items != other.message_items) {
      return fmt::format("{} has another type in one model than in the other", mine.name);
    }
    if (mine.value_names != other.value_names) {
      return fmt::format("process {} has other states in one model than in the other", mine.name);
    }
  }
  if (ours.size() != theirs.size()) {
    const auto& more = ours.size() > theirs.size() ? ours : theirs;
    return fmt::format("only one model has the variable {}", more[both].name);
  }
  if (a.width() != b.width()) return "their descriptors have different widths";
  return {};
}

Result<RunComparison> compare_records(const Runs& runs, const std::array<std::string, 2>& dirs) {
  RunComparison comparison;
  for (unsigned r = 0; r < 2; ++r) {
    const RunRecord& record = runs[r]->stored->record();
    const StoredTree& tree = runs[r]->stored->tree();
    Side& side = comparison.sides[r];
    side.dir = dirs[r];
    side.model = runs[r]->directory.header().model;
    side.verdict = to_string(record.summary.verdict);
    side.complete = has_all_states(*runs[r]);
    side.finished = record.finished;
    side.states = record.summary.states;
    side.transitions = record.summary.transitions;
    side.deadlocks = record.summary.deadlocks;
    for (std::uint32_t level = 0; level < tree.depth(); ++level) {
      side.level_sizes.push_back(tree.size(level));
    }
    const auto whole = whole_levels(*runs[r], side.complete);
    if (!whole) return whole.error();
    side.whole_levels = *whole;
  }
  const auto& [a, b] = comparison.sides;
  comparison.levels = std::min(a.whole_levels, b.whole_levels);
  const auto differs = [&](const char* what, bool different) {
    if (different) comparison.different.emplace_back(what);
  };
  differs("verdict", a.finished && b.finished && a.verdict != b.verdict);
  if (comparison.complete()) {
    differs("states", a.states != b.states);
    differs("transitions", a.transitions != b.transitions);
    differs("deadlocks", a.deadlocks != b.deadlocks);
  }
  // A run without the level that follows its last one has an empty level there.
  // A run that is complete has no states on the levels that follow its last one.
  differs("levels", (a.complete && b.level_sizes.size() > a.level_sizes.size()) ||
                        (b.complete && a.level_sizes.size() > b.level_sizes.size()));
  for (std::uint32_t level = 0; level < comparison.levels && !comparison.level; ++level) {
    if (a.level_sizes[level] != b.level_sizes[level]) comparison.level = level;
  }
  if (!comparison.level && !comparison.different.empty() &&
      comparison.different.back() == "levels") {
    comparison.level = comparison.levels;
  }
  return comparison;
}

Status compare_states(const Runs& runs, ThreadTeam& team, const StateStream::Options& options,
                      Monitor& monitor, RunComparison& comparison) {
  // Of the first level that differs in size, states are compared; what comes after it need not be.
  std::array<StoredTree, 2> trees;
  std::array<ComparedRun, 2> compared;
  for (unsigned r = 0; r < 2; ++r) {
    const StoredTree& tree = runs[r]->stored->tree();
    const std::uint32_t levels = comparison.level ? *comparison.level + 1 : comparison.levels;
    trees[r] = first_levels(tree, std::min(levels, tree.depth()));
    compared[r] = {runs[r]->model.get(), &trees[r]};
  }
  auto difference = find_difference(compared[0], compared[1], team, options, monitor);
  if (!difference) return difference.error();
  if (difference->level) comparison.level = difference->level;
  for (StateOfOne& state : difference->examples) {
    const OpenedRun& run = *runs[state.run];
    auto trace = stored_trace(*run.model, run.stored->tree(), state.id);
    if (!trace) return trace.error();
    comparison.examples.push_back({std::move(state), std::move(*trace)});
  }
  return Done{};
}

ExitCode exit_code(const RunComparison& comparison) {
  if (!comparison.same()) return ExitCode::kViolation;
  return comparison.complete() ? ExitCode::kComplete : ExitCode::kIncomplete;
}

std::string comparison_text(const Runs& runs, const RunComparison& comparison, bool traces) {
  const auto& [a, b] = comparison.sides;
  Table table({"", a.dir, b.dir});
  table.add({"model", a.model, b.model});
  table.add({"verdict", verdict_in_words(a), verdict_in_words(b)});
  table.add({"states", format_count(a.states), format_count(b.states)});
  table.add({"transitions", format_count(a.transitions), format_count(b.transitions)});
  table.add({"deadlocks", format_count(a.deadlocks), format_count(b.deadlocks)});
  table.add({"levels", format_count(a.level_sizes.size()), format_count(b.level_sizes.size())});
  std::string text = table.text() + "\n";

  if (comparison.same()) {
    const std::string what =
        comparison.states_not_compared.empty() ? "states" : "numbers of states";
    if (comparison.complete()) {
      text += fmt::format("The same: counts, and the {} of all {} level{}.\n", what,
                          format_count(comparison.levels), comparison.levels == 1 ? "" : "s");
    } else {
      text += fmt::format("The same as far as both are explored: the {} of the first {} level{}.\n",
                          what, format_count(comparison.levels), comparison.levels == 1 ? "" : "s");
    }
  } else if (comparison.level) {
    const auto size = [&](const Side& side) {
      return *comparison.level < side.level_sizes.size()
                 ? format_count(side.level_sizes[*comparison.level])
                 : std::string("no");
    };
    text += fmt::format("Different: level {} is the first that differs, ", *comparison.level);
    text += size(a) == size(b) ? fmt::format("with {} states in both but not the same.\n", size(a))
                               : fmt::format("with {} and {} states.\n", size(a), size(b));
  } else {
    text += fmt::format("Different: {}; the levels that both have are the same.\n",
                        fmt::join(comparison.different, ", "));
  }
  if (!comparison.states_not_compared.empty()) {
    text += fmt::format("Only numbers were compared, not states: {}.\n",
                        comparison.states_not_compared);
  }
  for (const RunComparison::Example& example : comparison.examples) {
    text += example_text(*runs[example.state.run], comparison, example, traces);
  }
  return text;
}

Json comparison_json(const Runs& runs, const RunComparison& comparison, bool traces) {
  Json json;
  json["same"] = comparison.same();
  json["complete"] = comparison.complete();
  json["different"] = comparison.different;
  json["levels_compared"] = comparison.levels;
  if (comparison.level) {
    json["first_level"] = *comparison.level;
  } else {
    json["first_level"] = nullptr;
  }
  json["states_compared"] = comparison.states_not_compared.empty();
  if (!comparison.states_not_compared.empty()) {
    json["states_not_compared"] = comparison.states_not_compared;
  }
  json["runs"] = Json::array();
  for (const Side& side : comparison.sides) {
    json["runs"].push_back({{"dir", side.dir},
                            {"model", side.model},
                            {"verdict", side.verdict},
                            {"complete", side.complete},
                            {"states", side.states},
                            {"transitions", side.transitions},
                            {"deadlocks", side.deadlocks},
                            {"levels", side.level_sizes.size()},
                            {"level_sizes", side.level_sizes}});
  }
  json["examples"] = Json::array();
  for (const RunComparison::Example& example : comparison.examples) {
    const Model& model = *runs[example.state.run]->model;
    Json entry = {{"only_in", example.state.run},
                  {"state", example.state.id},
                  {"level", example.state.depth}};
    if (example.state.elsewhere) {
      entry["elsewhere"] = *example.state.elsewhere;
    } else {
      entry["elsewhere"] = nullptr;
    }
    entry["variables"] = state_json(model, example.state.state.data());
    if (traces) entry["trace"] = trace_json(model, example.trace);
    json["examples"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace comback::tools

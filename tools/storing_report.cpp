#include "tools/storing_report.h"

#include <fmt/format.h>

#include "tools/quantity.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t distinct_states(const StoringCounts& counts) {
  return counts.explored - counts.revisits;
}

const TransitionInfo& transition_of(const Model& model, const CoveringEdge& edge) {
  return model.processes()[edge.process].transitions[edge.transition];
}

std::string arrow(const Model& model, const CoveringEdge& edge) {
  const ProcessInfo& process = model.processes()[edge.process];
  const TransitionInfo& transition = transition_of(model, edge);
  return fmt::format("{}: {} -> {}", process.name, process.locations[transition.source].name,
                     process.locations[transition.target].name);
}

}  // namespace

std::string visits_in_words(const Summary& summary) {
  if (summary.storing->counted) return format_count(summary.states);
  return fmt::format("{} explored, of about {} different ones",
                     format_count(summary.storing->explored),
                     format_count(distinct_states(*summary.storing)));
}

std::vector<Row> storing_rows(const Report& report) {
  const StoringCounts& counts = *report.summary.storing;
  const std::uint64_t states = distinct_states(counts);
  const char* const about = counts.counted ? "" : "about ";
  std::vector<Row> rows;
  rows.emplace_back("stored",
                    fmt::format("{}, {}{:.1f}% of the states", format_count(counts.stored), about,
                                100 * share(counts.stored, states)));
  rows.emplace_back("explored",
                    fmt::format("{}, {}{:.2f} times each", format_count(counts.explored), about,
                                share(counts.explored, states)));
  rows.emplace_back("held at most", fmt::format("{} states, {}{:.1f}%, stored or waiting",
                                                format_count(counts.peak_held), about,
                                                100 * share(counts.peak_held, states)));
  if (report.options.storing.rule.needs_cover()) {
    rows.emplace_back("covering set", fmt::format("{} transitions ({}, weight {:.3g}), below",
                                                  counts.cover.edges.size(), counts.cover.heuristic,
                                                  counts.cover.weight));
  }
  return rows;
}

void add_storing_json(const Report& report, Json& json) {
  const StoringCounts& counts = *report.summary.storing;
  json["explored"] = counts.explored;
  json["states_exact"] = counts.counted;
  json["states_estimate"] = distinct_states(counts);
  json["stored"] = counts.stored;
  json["revisits"] = counts.revisits;
  json["explored_transitions"] = counts.transitions;
  json["peak_waiting"] = counts.peak_waiting;
  json["peak_held"] = counts.peak_held;
  if (report.options.storing.rule.needs_cover()) {
    json["covering_set"] = covering_set_json(report.model, counts.cover);
  }
}

std::string covering_set_text(const Model& model, const CoveringSet& set) {
  std::string text;
  for (const CoveringEdge& edge : set.edges) {
    text += fmt::format("  line {:<5} {}\n", transition_of(model, edge).line, arrow(model, edge));
  }
  return text;
}

std::string covering_set_report(const Model& model, const CoveringSet& set) {
  Table table({"heuristic", "transitions", "weight"});
  for (const CoveringSet::Candidate& candidate : set.candidates) {
    table.add({candidate.heuristic, std::to_string(candidate.edges),
               fmt::format("{:.3g}", candidate.weight)});
  }
  std::string text = fmt::format("  {} local cycles", format_count(set.local_cycles));
  if (set.unlisted_processes > 0) {
    text += fmt::format("; {} processes have too many to list", set.unlisted_processes);
  }
  text += fmt::format("\n\n{}\n", table.text());
  if (set.edges.empty()) return text + "  The state graph has no cycles of several states.\n";
  text += fmt::format("  Every cycle has one of these transitions ({}):\n", set.heuristic);
  return text + covering_set_text(model, set);
}

Json covering_set_json(const Model& model, const CoveringSet& set) {
  Json transitions = Json::array();
  for (const CoveringEdge& edge : set.edges) {
    const ProcessInfo& process = model.processes()[edge.process];
    const TransitionInfo& transition = transition_of(model, edge);
    transitions.push_back({{"process", process.name},
                           {"transition", edge.transition},
                           {"line", transition.line},
                           {"source", process.locations[transition.source].name},
                           {"target", process.locations[transition.target].name}});
  }
  Json candidates = Json::array();
  for (const CoveringSet::Candidate& candidate : set.candidates) {
    candidates.push_back({{"heuristic", candidate.heuristic},
                          {"transitions", candidate.edges},
                          {"weight", candidate.weight}});
  }
  return {{"heuristic", set.heuristic},
          {"weight", set.weight},
          {"local_cycles", set.local_cycles},
          {"unlisted_processes", set.unlisted_processes},
          {"transitions", std::move(transitions)},
          {"candidates", std::move(candidates)}};
}

}  // namespace comback::tools

#include "tools/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/caching_report.h"
#include "tools/quantity.h"
#include "tools/storing_report.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

// Whether states were found level by level, and the levels are known.
bool breadth_first(const Report& report) {
  if (report.summary.storing && report.summary.level_sizes.empty()) return false;
  return report.options.order == SearchOrder::kBreadthFirst;
}

// Why the search ended early and what helps, for people.
std::string stop_in_words(const Report& report) {
  switch (report.summary.stop_reason) {
    case StopReason::kNone:
      return {};
    case StopReason::kMaxStates:
      return "--max-states was reached";
    case StopReason::kMaxDepth:
      return "--max-depth was reached; deeper states were not expanded";
    case StopReason::kTimeLimit:
      return "--time-limit was reached";
    case StopReason::kMemory:
      return fmt::format("the memory budget of {} is used up; a larger --memory helps",
                         format_size(report.options.memory_bytes));
    case StopReason::kTableFull:
      return "the table of hashes is full; a larger --table-size or --memory helps";
    case StopReason::kInterrupted:
      return "it was interrupted";
    case StopReason::kDisk:
      return "the disk would soon be full";
    case StopReason::kCacheFull:
      return "the states of the stack fill the cache; a larger --cache-size helps";
    case StopReason::kMaxRevisits:
      if (report.summary.storing) {
        return fmt::format(
            "--max-revisits was reached: about {} of the {} states explored had been "
            "explored before",
            format_count(report.summary.storing->revisits),
            format_count(report.summary.storing->explored));
      }
      return fmt::format(
          "--max-revisits was reached: about {} of the {} states explored had been "
          "explored before; a larger --cache-size or --sleep-sets helps",
          format_count(report.summary.caching->revisits), format_count(report.summary.states));
  }
  return {};
}

std::string headline(const Report& report) {
  const Summary& summary = report.summary;
  switch (summary.verdict) {
    case Verdict::kComplete:
      return summary.omission_probability ? "complete as far as hashes tell, nothing violated"
                                          : "complete, nothing violated";
    case Verdict::kDeadlock:
      return "there is a deadlock";
    case Verdict::kAssertion:
      return "an assertion fails";
    case Verdict::kInvariant:
      return "an invariant is violated";
    case Verdict::kError:
      return "the model fails";
    case Verdict::kIncomplete:
      return fmt::format("incomplete: {}", stop_in_words(report));
  }
  return {};
}

// Whether states were forgotten and may have been visited more than once.
bool revisits(const Summary& summary) { return summary.table && summary.table->replacements > 0; }

std::string states_in_words(const Summary& summary) {
  if (summary.caching) return explored_in_words(summary);
  if (summary.storing) return visits_in_words(summary);
  const std::string count = format_count(summary.states);
  return revisits(summary) ? count + " at most: forgotten ones count again" : count;
}

std::vector<Row> rows(const Report& report) {
  const Summary& summary = report.summary;
  std::vector<Row> rows = {{"states", states_in_words(summary)},
                           {"transitions", format_count(summary.transitions)},
                           {"deadlocks", format_count(summary.deadlocks)}};
  if (breadth_first(report)) {
    const auto& sizes = summary.level_sizes;
    const auto widest = std::max_element(sizes.begin(), sizes.end());
    rows.emplace_back("levels",
                      sizes.empty()
                          ? "0"
                          : fmt::format("{}, the widest of {} state{}", format_count(sizes.size()),
                                        format_count(*widest), *widest == 1 ? "" : "s"));
  } else {
    rows.emplace_back(summary.storing ? "longest path" : "deepest stack",
                      format_count(summary.max_depth));
  }
  if (summary.storing) {
    for (Row& row : storing_rows(report)) rows.push_back(std::move(row));
  }
  if (summary.caching) {
    for (Row& row : caching_rows(report)) rows.push_back(std::move(row));
  }
  if (summary.assertion_violations > 1) {
    rows.emplace_back("failed assertions", format_count(summary.assertion_violations) + " states");
  }
  if (summary.invariant_violations > 1) {
    rows.emplace_back("violated invariants",
                      format_count(summary.invariant_violations) + " states");
  }
  if (summary.wraps > 0) rows.emplace_back("wrapped values", format_count(summary.wraps));
  if (summary.reconstructions > 0) {
    rows.emplace_back("reconstructions",
                      fmt::format("{}, {} events executed", format_count(summary.reconstructions),
                                  format_count(summary.reconstruction_events)));
  }
  if (summary.omission_probability) {
    rows.emplace_back("omission",
                      fmt::format("a state was missed with probability of at most {:.2g}",
                                  *summary.omission_probability));
  }
  if (summary.table) {
    rows.emplace_back("table", fmt::format("{} of {} slots taken, {} states replaced",
                                           format_count(summary.table->occupied),
                                           format_count(summary.table->slots),
                                           format_count(summary.table->replacements)));
  }
  rows.emplace_back("visited set", fmt::format("{}: {}", report.visited_in_words,
                                               format_size(summary.visited_bytes)));
  rows.emplace_back(
      "memory", fmt::format("{} at most, the budget was {}", format_size(report.peak_memory_bytes),
                            format_size(report.options.memory_bytes)));
  if (summary.disk_bytes > 0) {
    rows.emplace_back(
        "disk",
        fmt::format("{}, {:.2f} bytes a state", format_size(summary.disk_bytes),
                    static_cast<double>(summary.disk_bytes) / static_cast<double>(summary.states)));
    if (!summary.keep_levels.empty()) rows.emplace_back("kept levels", summary.keep_levels);
    if (!summary.io.empty())
      rows.emplace_back("read with", summary.io == "uring" ? "io_uring" : summary.io);
  }
  std::string time = format_duration(summary.seconds);
  if (summary.seconds > 0.001) {
    const double rate = static_cast<double>(summary.transitions) / summary.seconds;
    time += fmt::format(", {}", format_rate(rate, "transitions"));
  }
  rows.emplace_back("time", time);
  rows.emplace_back("successors", std::string(report.model.backend()));
  return rows;
}

}  // namespace

ExitCode exit_code(const Summary& summary) {
  switch (summary.verdict) {
    case Verdict::kComplete:
      return ExitCode::kComplete;
    case Verdict::kIncomplete:
      return ExitCode::kIncomplete;
    default:
      return ExitCode::kViolation;
  }
}

Json to_json(const Report& report) {
  const Summary& summary = report.summary;
  Json json;
  json["model"] = report.model_name;
  json["verdict"] = comback::to_string(summary.verdict);
  if (summary.stop_reason == StopReason::kNone) {
    json["stop_reason"] = nullptr;
  } else {
    json["stop_reason"] = comback::to_string(summary.stop_reason);
  }
  json["states"] = summary.states;
  json["transitions"] = summary.transitions;
  json["deadlocks"] = summary.deadlocks;
  if (breadth_first(report)) {
    json["levels"] = summary.level_sizes.size();
    json["level_sizes"] = summary.level_sizes;
  } else {
    json["levels"] = nullptr;
    json["level_sizes"] = Json::array();
    json["max_depth"] = summary.max_depth;
  }
  if (summary.caching) add_caching_json(summary, json);
  if (summary.storing) add_storing_json(report, json);
  json["events"] = summary.events;
  json["reconstruction_events"] = summary.reconstruction_events;
  json["reconstructions"] = summary.reconstructions;
  json["hash_conflicts"] = summary.hash_conflicts;
  json["wraps"] = summary.wraps;
  if (summary.omission_probability) json["omission_probability"] = *summary.omission_probability;
  if (summary.table) {
    json["table"] = {{"slots", summary.table->slots},
                     {"occupied", summary.table->occupied},
                     {"replacements", summary.table->replacements}};
  }
  json["assertion_violations"] = summary.assertion_violations;
  json["invariant_violations"] = summary.invariant_violations;
  json["violations"] = Json::array();
  for (const Violation& violation : summary.violations) {
    json["violations"].push_back(violation_json(report.model, violation));
  }
  json["seconds"] = summary.seconds;
  json["peak_memory_bytes"] = report.peak_memory_bytes;
  json["visited_bytes"] = summary.visited_bytes;
  json["disk_bytes"] = summary.disk_bytes;
  if (summary.tree_digest) json["tree_digest"] = fmt::format("{:016x}", *summary.tree_digest);
  if (report.options.visited == VisitedMode::kLevels) json["spilled_bytes"] = summary.spilled_bytes;
  if (summary.disk_bytes > 0) {
    json["disk_bytes_by_part"] = {{"states", summary.disk_parts.states},
                                  {"backedges", summary.disk_parts.backedges},
                                  {"levels", summary.disk_parts.levels}};
  }
  if (!summary.keep_levels.empty()) json["keep_levels"] = summary.keep_levels;
  json["settings"] = report.settings;
  return json;
}

std::string to_text(const Report& report, TraceStyle traces) {
  const Summary& summary = report.summary;
  std::string text = fmt::format("{}: {}\n", report.model_name, headline(report));
  if (summary.verdict != Verdict::kIncomplete && summary.stop_reason != StopReason::kNone) {
    text += fmt::format("The search is incomplete, too: {}\n", stop_in_words(report));
  }
  const std::vector<Row> table = rows(report);
  std::size_t width = 0;
  for (const Row& row : table) width = std::max(width, row.first.size());
  for (const auto& [name, value] : table) {
    text += fmt::format("  {:<{}}  {}\n", name, width, value);
  }
  if (summary.storing && !summary.storing->cover.edges.empty()) {
    text += "\nEvery cycle has one of these transitions:\n" +
            covering_set_text(report.model, summary.storing->cover);
  }
  for (const Violation& violation : summary.violations) {
    text += fmt::format("\n{}", report_violation(report.model, violation, traces));
  }
  if (summary.deadlocks > 0 && !report.options.deadlock_is_violation) {
    text += "\nSome states have no successors; --deadlock shows the way to one.\n";
  }
  return text;
}

}  // namespace comback::tools

#include "tools/verify_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tools/quantity.h"

namespace comback::tools {
namespace {

constexpr RunPart kParts[] = {RunPart::kFiles,      RunPart::kDatabase, RunPart::kTree,
                              RunPart::kStateTable, RunPart::kLevels,   RunPart::kExecution,
                              RunPart::kCounts};

const char* word_for(VerifyOptions::Execution execution) {
  switch (execution) {
    case VerifyOptions::Execution::kSample:
      return "sample";
    case VerifyOptions::Execution::kEach:
      return "each";
    case VerifyOptions::Execution::kAll:
      return "full";
  }
  return "";
}

// What was looked at of a part; empty where it was not.
std::string looked_at(const VerifyReport& report, RunPart part) {
  const Verification& found = report.result.found;
  const bool full = report.options.execution == VerifyOptions::Execution::kAll;
  switch (part) {
    case RunPart::kFiles:
      return "run.json, model.dve, the last checkpoint's record";
    case RunPart::kDatabase:
      return fmt::format("every block of {} files", format_count(found.database_files));
    case RunPart::kTree:
      return found.backedges == 0
                 ? ""
                 : fmt::format("{} backedges and their digest", format_count(found.backedges));
    case RunPart::kStateTable:
      return found.table_entries == 0
                 ? ""
                 : fmt::format("{} entries{}", format_count(found.table_entries),
                               found.checked_successors == 0
                                   ? ""
                                   : fmt::format(", {} successors looked up",
                                                 format_count(found.checked_successors)));
    case RunPart::kLevels:
      return found.kept_levels == 0
                 ? ""
                 : fmt::format("{} kept levels with {} descriptors",
                               format_count(found.kept_levels), format_count(found.kept_states));
    case RunPart::kExecution:
      return found.executed_states == 0 ? ""
                                        : fmt::format("{} states made again from their events",
                                                      format_count(found.executed_states));
    case RunPart::kCounts:
      return full && found.expanded_states > 0
                 ? fmt::format("{} states expanded again", format_count(found.expanded_states))
                 : "";
  }
  return {};
}

std::uint64_t sound_states(const VerifyReport& report) {
  if (!report.result.record) return 0;
  return report.result.record->first_ids()[report.result.found.sound_levels];
}

}  // namespace

const char* VerifyReport::verdict() const {
  if (damaged()) return "damaged";
  return result.found.interrupted ? "interrupted" : "sound";
}

std::vector<std::string> VerifyReport::advice() const {
  std::vector<std::string> all;
  if (!has_checkpoint) {
    all.push_back(
        fmt::format("No checkpoint was made yet: nothing is stored, and 'comback resume "
                    "{}' begins from the initial state.",
                    dir));
    return all;
  }
  if (!damaged()) return all;
  if (!header) {
    all.push_back(
        "Nothing can be read without run.json: restore it from a backup, or explore again.");
    return all;
  }
  const Verification& found = result.found;
  if (!result.record) {
    all.push_back("Nothing can be read of the run: explore again.");
    return all;
  }
  const RunRecord& record = *result.record;
  const std::uint64_t states = sound_states(*this);
  if (states == record.summary.states && found.sound(RunPart::kTree)) {
    all.push_back(
        fmt::format("The tree is whole, with all its {} states: traces to any of them and "
                    "'comback tree' can be trusted.",
                    format_count(states)));
  } else if (states > 0) {
    all.push_back(
        fmt::format("Levels 0 to {}, the states 0 to {}, hold together: traces to them "
                    "can be trusted.",
                    found.sound_levels - 1, states - 1));
  } else {
    all.push_back("No level of the tree can be trusted.");
  }
  if (!record.finished && !result.can_resume) {
    all.push_back("The search cannot go on with it: explore again.");
  } else if (states < record.summary.states) {
    all.push_back("For everything else, explore again.");
  }
  return all;
}

std::string to_text(const VerifyReport& report) {
  std::string text;
  if (report.header) {
    text += fmt::format("{}: {}", report.dir, report.header->model);
    if (report.result.record) {
      const RunRecord& record = *report.result.record;
      text += fmt::format(", {} states on {} levels, {}\n", format_count(record.summary.states),
                          format_count(record.summary.level_sizes.size()),
                          record.finished ? to_string(record.summary.verdict) : "not finished");
    } else {
      text += "\n";
    }
    text += "\n";
  }
  const Verification& found = report.result.found;
  for (const RunPart part : kParts) {
    const std::string what = looked_at(report, part);
    const bool sound = found.sound(part);
    if (sound && (what.empty() || !report.has_checkpoint)) continue;
    text += fmt::format("  {:<12} {:<8} {}", to_string(part), sound ? "ok" : "DAMAGED", what);
    while (text.back() == ' ') text.pop_back();
    text += "\n";
    for (const Verification::Problem& problem : found.problems) {
      if (problem.part == part) text += fmt::format("    - {}\n", problem.what);
    }
  }
  if (report.has_checkpoint) text += "\n";
  if (report.damaged()) {
    text += "The run is damaged. Nothing was changed.\n";
  } else if (found.interrupted) {
    text += "Interrupted: no damage found so far.\n";
  } else if (report.has_checkpoint) {
    text += fmt::format("No damage found, in {}.\n", format_duration(report.seconds));
  }
  for (const std::string& sentence : report.advice()) text += sentence + "\n";
  return text;
}

nlohmann::ordered_json to_json(const VerifyReport& report) {
  const Verification& found = report.result.found;
  nlohmann::ordered_json json;
  json["run"] = report.dir;
  json["model"] = report.header ? nlohmann::ordered_json(report.header->model) : nullptr;
  json["verdict"] = report.verdict();
  json["execution"] = word_for(report.options.execution);
  if (report.result.record) {
    const RunRecord& record = *report.result.record;
    json["finished"] = record.finished;
    json["states"] = record.summary.states;
    json["levels"] = record.summary.level_sizes.size();
    json["tree_digest"] =
        record.summary.tree_digest
            ? nlohmann::ordered_json(fmt::format("{:016x}", *record.summary.tree_digest))
            : nullptr;
  }
  json["checked"] = {
      {"database_files", found.database_files},   {"backedges", found.backedges},
      {"table_entries", found.table_entries},     {"kept_levels", found.kept_levels},
      {"kept_states", found.kept_states},         {"executed_states", found.executed_states},
      {"expanded_states", found.expanded_states}, {"checked_successors", found.checked_successors}};
  json["problems"] = nlohmann::ordered_json::array();
  for (const Verification::Problem& problem : found.problems) {
    json["problems"].push_back({{"part", to_string(problem.part)}, {"what", problem.what}});
  }
  json["sound_levels"] = report.result.record ? found.sound_levels : 0;
  json["sound_states"] = sound_states(report);
  json["can_resume"] = !report.has_checkpoint || report.result.can_resume;
  json["advice"] = report.advice();
  json["seconds"] = report.seconds;
  return json;
}

}  // namespace comback::tools

#include "tools/query_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/quantity.h"
#include "tools/share.h"
#include "tools/table.h"
#include "tools/trace_report.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string states_in_words(std::uint64_t states) {
  return format_count(states) + (states == 1 ? " state" : " states");
}

std::string predicate_text(const QueryReport& report, std::size_t p) {
  const QueryAnswer::ForPredicate& found = report.answer.predicates[p];
  std::string text = fmt::format("\n{}\n", report.query.predicates[p]->text());
  const std::uint64_t states = report.answer.states;
  if (found.satisfied == 0) {
    text += fmt::format("  holds in none of {}\n", states_in_words(states));
  } else {
    text += fmt::format("  holds in {} of {} ({})\n", format_count(found.satisfied),
                        states_in_words(states), format_share(found.satisfied, states));
  }
  if (found.undefined > 0) {
    text += fmt::format("  cannot be evaluated in {}\n", states_in_words(found.undefined));
  }
  if (!found.first.empty()) {
    Table table({"first", "depth"});
    for (const StateId id : found.first) {
      table.add({std::to_string(id), std::to_string(report.tree.level_of(id))});
    }
    text += "\n" + table.text();
  }
  if (p < report.paths.size()) {
    for (const StatePath& path : report.paths[p]) {
      text += "\n" + format_path(report.model, path, TraceFormat::kText);
    }
  }
  return text;
}

std::string per_level_text(const QueryReport& report) {
  std::vector<std::string> header = {"level", "states"};
  for (std::size_t p = 0; p < report.query.predicates.size(); ++p) {
    header.push_back(report.query.predicates.size() == 1 ? "holds in"
                                                         : fmt::format("#{} holds in", p + 1));
  }
  Table table(std::move(header));
  for (std::uint32_t level = 0; level < report.tree.depth(); ++level) {
    std::vector<std::string> row = {std::to_string(level), format_count(report.tree.size(level))};
    for (const auto& found : report.answer.predicates) {
      row.push_back(format_count(found.per_level[level]));
    }
    table.add(std::move(row));
  }
  return "\n" + table.text();
}

// A distribution with the names of its values. `variable` may be null.
std::string distribution_text(const QueryReport& report, const std::string& name,
                              const QueryAnswer::Distribution& found,
                              const VariableInfo* variable) {
  std::uint64_t sum = 0;
  for (const auto& [value, count] : found.counts) sum += count;
  const bool array = variable != nullptr && variable->length > 0;
  std::string text =
      fmt::format("\n{}: {} value{}{}\n", name, format_count(found.counts.size()),
                  found.counts.size() == 1 ? "" : "s", array ? ", of all elements together" : "");
  if (found.undefined > 0) {
    text += fmt::format("  cannot be evaluated in {}\n", states_in_words(found.undefined));
  }
  // Where not all are shown, the most frequent.
  std::vector<std::pair<std::int64_t, std::uint64_t>> shown(found.counts.begin(),
                                                            found.counts.end());
  if (report.values > 0 && shown.size() > report.values) {
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    shown.resize(report.values);
  }
  Table table({"value", array ? "elements" : "states", "share"});
  for (const auto& [value, count] : shown) {
    table.add({variable != nullptr ? value_text(*variable, value) : std::to_string(value),
               format_count(count), format_share(count, sum)});
  }
  if (!shown.empty()) text += table.text();
  if (shown.size() < found.counts.size()) {
    text += fmt::format("  and {} more values, which are rarer; --values shows more, --json all\n",
                        format_count(found.counts.size() - shown.size()));
  }
  if (variable == nullptr) return text;
  std::string never;
  for (std::size_t value = 0; value < variable->value_names.size(); ++value) {
    if (found.counts.count(static_cast<std::int64_t>(value)) != 0) continue;
    never += (never.empty() ? "" : ", ") + variable->value_names[value];
  }
  if (!never.empty()) text += fmt::format("  never: {}\n", never);
  return text;
}

Json distribution_json(const QueryAnswer::Distribution& found, const VariableInfo* variable) {
  Json counts = Json::array();
  for (const auto& [value, count] : found.counts) {
    Json entry;
    entry["value"] = value;
    if (variable != nullptr && !variable->value_names.empty()) {
      entry["name"] = value_text(*variable, value);
    }
    entry["count"] = count;
    counts.push_back(std::move(entry));
  }
  return counts;
}

}  // namespace

std::string query_text(const QueryReport& report) {
  std::string text =
      fmt::format("{}: {}\n", report.model_name, states_in_words(report.answer.states));
  if (report.answer.interrupted) {
    text =
        fmt::format("{}: interrupted after {} of {}: the answers are partial\n", report.model_name,
                    format_count(report.answer.states), states_in_words(report.tree.states()));
  }
  text += report.warning;
  for (std::size_t p = 0; p < report.query.predicates.size(); ++p) {
    text += predicate_text(report, p);
  }
  if (report.per_level && !report.query.predicates.empty()) text += per_level_text(report);
  for (std::size_t e = 0; e < report.query.count_by.size(); ++e) {
    text += distribution_text(report, report.query.count_by[e]->text(), report.answer.count_by[e],
                              nullptr);
  }
  for (std::size_t d = 0; d < report.query.distinct.size(); ++d) {
    const VariableInfo& variable = report.model.variables()[report.query.distinct[d]];
    text += distribution_text(report, variable.name, report.answer.distinct[d], &variable);
  }
  return text;
}

Json query_json(const QueryReport& report) {
  Json json;
  json["model"] = report.model_name;
  json["states"] = report.answer.states;
  json["all_states"] = report.all_states;
  json["interrupted"] = report.answer.interrupted;
  Json& predicates = json["predicates"] = Json::array();
  for (std::size_t p = 0; p < report.query.predicates.size(); ++p) {
    const QueryAnswer::ForPredicate& found = report.answer.predicates[p];
    Json entry;
    entry["predicate"] = report.query.predicates[p]->text();
    entry["satisfied"] = found.satisfied;
    entry["undefined"] = found.undefined;
    Json& first = entry["first"] = Json::array();
    for (std::size_t i = 0; i < found.first.size(); ++i) {
      Json state;
      state["state"] = found.first[i];
      state["depth"] = report.tree.level_of(found.first[i]);
      if (p < report.paths.size() && i < report.paths[p].size()) {
        state["trace"] = trace_json(report.model, report.paths[p][i].trace);
      }
      first.push_back(std::move(state));
    }
    if (report.per_level) entry["per_level"] = found.per_level;
    predicates.push_back(std::move(entry));
  }
  if (report.per_level) {
    Json& sizes = json["level_sizes"] = Json::array();
    for (std::uint32_t level = 0; level < report.tree.depth(); ++level) {
      sizes.push_back(report.tree.size(level));
    }
  }
  Json& count_by = json["count_by"] = Json::array();
  for (std::size_t e = 0; e < report.query.count_by.size(); ++e) {
    const QueryAnswer::Distribution& found = report.answer.count_by[e];
    count_by.push_back({{"expression", report.query.count_by[e]->text()},
                        {"undefined", found.undefined},
                        {"values", distribution_json(found, nullptr)}});
  }
  Json& distinct = json["distinct"] = Json::array();
  for (std::size_t d = 0; d < report.query.distinct.size(); ++d) {
    const VariableInfo& variable = report.model.variables()[report.query.distinct[d]];
    distinct.push_back({{"variable", variable.name},
                        {"values", distribution_json(report.answer.distinct[d], &variable)}});
  }
  json["seconds"] = report.seconds;
  json["peak_memory_bytes"] = report.peak_memory_bytes;
  return json;
}

}  // namespace comback::tools

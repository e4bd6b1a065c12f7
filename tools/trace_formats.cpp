#include "tools/trace_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tools/csv.h"
#include "tools/dot.h"
#include "tools/json_text.h"
#include "tools/quantity.h"
#include "tools/trace_report.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string plain_text(const Model& model, const StatePath& path, TraceStyle style) {
  const std::size_t events = path.trace.events.size();
  const std::string length =
      events == 0   ? "the initial state"
      : events == 1 ? "one event from the initial state"
                    : fmt::format("{} events from the initial state", format_count(events));
  // Without commas in the id: people copy it into the next command.
  const std::string where = fmt::format("state {}, {}", path.state, length);
  return fmt::format("{}: {}\n\n", path.model_name, path.kind ? path.what + "\n" + where : where) +
         trace_text(model, path.trace, path.failing, style);
}

// --- ITF ---

// Readers with floating-point numbers lose what is beyond these, and ITF has another form for it.
constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

Json itf_integer(std::int64_t value) {
  if (value >= -kExactInDouble && value <= kExactInDouble) return value;
  return {{"#bigint", std::to_string(value)}};
}

Json itf_value(const Model& model, const std::byte* state, std::uint32_t variable) {
  const VariableInfo& info = model.variables()[variable];
  const auto element = [&](std::uint32_t e) -> Json {
    const std::int64_t value = model.value(state, variable, e);
    if (info.value_names.empty()) return itf_integer(value);
    return value_text(info, value);
  };
  if (info.length == 0) return element(0);
  Json array = Json::array();
  for (std::uint32_t e = 0; e < info.length; ++e) array.push_back(element(e));
  return array;
}

Json itf(const Model& model, const StatePath& path) {
  Json json;
  json["#meta"] = {{"format", "ITF"},
                   {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
                   {"source", path.model_name},
                   {"status", path.kind ? "violation" : "ok"},
                   {"description", fmt::format("{}, by comback", path.what)}};
  Json& names = json["vars"] = Json::array();
  for (const VariableInfo& variable : model.variables()) names.push_back(variable.name);
  Json& states = json["states"] = Json::array();
  for (std::size_t i = 0; i < path.trace.states.size(); ++i) {
    Json state;
    state["#meta"] = {{"index", i}};
    if (i > 0) {
      state["#meta"]["action"] =
          model.describe_event(path.trace.states[i - 1].data(), path.trace.events[i - 1]);
    }
    for (std::uint32_t v = 0; v < model.variables().size(); ++v) {
      state[model.variables()[v].name] = itf_value(model, path.trace.states[i].data(), v);
    }
    states.push_back(std::move(state));
  }
  return json;
}

// --- Graphviz ---

std::string dot(const Model& model, const StatePath& path) {
  constexpr std::size_t kColumns = 60;
  std::string text = fmt::format(
      "digraph trace {{\n"
      "  label=\"{}: {}\";\n"
      "  labelloc=t;\n"
      "  node [shape=box, fontname=\"monospace\"];\n"
      "  edge [fontname=\"monospace\"];\n",
      dot_escaped(path.model_name), dot_escaped(path.what));
  const Trace& trace = path.trace;
  for (std::size_t i = 0; i < trace.states.size(); ++i) {
    const std::byte* before = i == 0 ? nullptr : trace.states[i - 1].data();
    const auto parts = assignments(model, trace.states[i].data(), before);
    const std::string about = parts.empty() ? "nothing changes\n" : wrapped(parts, "", kColumns);
    const bool last = i + 1 == trace.states.size();
    text += fmt::format("  s{} [label=\"{}{}\"{}];\n", i, i, dot_escaped("\n" + about),
                        last && path.kind ? ", peripheries=2" : "");
    if (i == 0) continue;
    text += fmt::format("  s{} -> s{} [label=\"{}\"];\n", i - 1, i,
                        dot_escaped(model.describe_event(before, trace.events[i - 1])));
  }
  if (path.failing) {
    text += fmt::format(
        "  failed [label=\"this step fails\", style=dashed];\n"
        "  s{} -> failed [label=\"{}\", style=dashed];\n",
        trace.states.size() - 1,
        dot_escaped(model.describe_event(trace.states.back().data(), *path.failing)));
  }
  return text + "}\n";
}

// --- CSV ---

std::string csv(const Model& model, const StatePath& path) {
  const auto variables = model.variables();
  std::vector<std::string> cells = {"step", "event", "action"};
  for (const VariableInfo& variable : variables) {
    if (variable.length == 0) cells.push_back(variable.name);
    for (std::uint32_t e = 0; e < variable.length; ++e) {
      cells.push_back(fmt::format("{}[{}]", variable.name, e));
    }
  }
  std::string text = csv_line(cells);
  for (std::size_t i = 0; i < path.trace.states.size(); ++i) {
    const std::byte* state = path.trace.states[i].data();
    cells = {std::to_string(i), "", ""};
    if (i > 0) {
      cells[1] = std::to_string(path.trace.events[i - 1]);
      cells[2] = model.describe_event(path.trace.states[i - 1].data(), path.trace.events[i - 1]);
    }
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
      for (std::uint32_t e = 0; e < std::max<std::uint32_t>(1, variables[v].length); ++e) {
        cells.push_back(value_text(variables[v], model.value(state, v, e)));
      }
    }
    text += csv_line(cells);
  }
  return text;
}

}  // namespace

Json path_json(const Model& model, const StatePath& path) {
  Json json;
  json["model"] = path.model_name;
  json["what"] = path.what;
  if (path.kind) json["kind"] = to_string(*path.kind);
  json["state"] = path.state;
  json["depth"] = path.trace.events.size();
  if (path.failing) {
    json["event"] = *path.failing;
    json["action"] = model.describe_event(path.trace.states.back().data(), *path.failing);
  }
  json["trace"] = trace_json(model, path.trace);
  return json;
}

std::string format_path(const Model& model, const StatePath& path, TraceFormat format) {
  switch (format) {
    case TraceFormat::kText:
      return plain_text(model, path, TraceStyle::kChanges);
    case TraceFormat::kFull:
      return plain_text(model, path, TraceStyle::kFull);
    case TraceFormat::kJson:
      return json_text(path_json(model, path));
    case TraceFormat::kItf:
      return json_text(itf(model, path));
    case TraceFormat::kDot:
      return dot(model, path);
    case TraceFormat::kCsv:
      return csv(model, path);
  }
  return {};
}

}  // namespace comback::tools

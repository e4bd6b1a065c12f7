#include "tools/trace_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tools/quantity.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

std::uint32_t elements(const VariableInfo& variable) {
  return std::max<std::uint32_t>(1, variable.length);
}

}  // namespace

std::string value_text(const VariableInfo& variable, std::int64_t value) {
  if (value >= 0 && static_cast<std::size_t>(value) < variable.value_names.size()) {
    return variable.value_names[static_cast<std::size_t>(value)];
  }
  return std::to_string(value);
}

std::vector<std::string> assignments(const Model& model, const std::byte* state,
                                     const std::byte* previous) {
  std::vector<std::string> result;
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& variable = variables[v];
    std::string all;
    std::vector<std::string> changed;
    for (std::uint32_t e = 0; e < elements(variable); ++e) {
      const std::int64_t value = model.value(state, v, e);
      const std::string text = value_text(variable, value);
      all += (e == 0 ? "" : ", ") + text;
      if (previous != nullptr && model.value(previous, v, e) != value) {
        changed.push_back(variable.length == 0
                              ? fmt::format("{} = {}", variable.name, text)
                              : fmt::format("{}[{}] = {}", variable.name, e, text));
      }
    }
    if (previous == nullptr) {
      result.push_back(variable.length == 0 ? fmt::format("{} = {}", variable.name, all)
                                            : fmt::format("{} = [{}]", variable.name, all));
    } else {
      result.insert(result.end(), changed.begin(), changed.end());
    }
  }
  return result;
}

std::string wrapped(const std::vector<std::string>& parts, std::string_view indent,
                    std::size_t columns) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool first = column == 0;
    if (!first && column + 2 + parts[i].size() > columns) {
      text += ",\n";
      column = 0;
    }
    const std::string_view before = column == 0 ? indent : std::string_view(", ");
    text += before;
    text += parts[i];
    column += before.size() + parts[i].size();
  }
  return text + "\n";
}

std::string trace_text(const Model& model, const Trace& trace, std::optional<Event> failing,
                       TraceStyle style) {
  std::string text;
  const std::size_t digits = std::to_string(trace.events.size()).size();
  const std::string indent(digits + 4, ' ');
  text += fmt::format("  {:>{}}  initial state\n", 0, digits);
  text += wrapped(assignments(model, trace.states[0].data(), nullptr), indent);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const std::byte* before = trace.states[i].data();
    const std::byte* after = trace.states[i + 1].data();
    text +=
        fmt::format("  {:>{}}  {}\n", i + 1, digits, model.describe_event(before, trace.events[i]));
    const auto parts = assignments(model, after, style == TraceStyle::kFull ? nullptr : before);
    text += parts.empty() ? indent + "nothing changes\n" : wrapped(parts, indent);
  }
  if (failing) {
    text += fmt::format("  {:>{}}  {}\n{}this step fails\n", "!", digits,
                        model.describe_event(trace.states.back().data(), *failing), indent);
  }
  return text;
}

std::string report_violation(const Model& model, const Violation& violation, TraceStyle style) {
  std::string text = fmt::format("violation: {}\n", violation.what);
  if (style == TraceStyle::kNone || violation.trace.states.empty()) return text;
  return text + "\n" + trace_text(model, violation.trace, violation.event, style);
}

Json state_json(const Model& model, const std::byte* state) {
  Json json = Json::object();
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& variable = variables[v];
    const auto element = [&](std::uint32_t e) -> Json {
      const std::int64_t value = model.value(state, v, e);
      if (variable.value_names.empty()) return value;
      return value_text(variable, value);
    };
    if (variable.length == 0) {
      json[variable.name] = element(0);
    } else {
      Json& array = json[variable.name] = Json::array();
      for (std::uint32_t e = 0; e < variable.length; ++e) array.push_back(element(e));
    }
  }
  return json;
}

Json trace_json(const Model& model, const Trace& trace) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < trace.states.size(); ++i) {
    Json step = Json::object();
    if (i > 0) {
      step["event"] = trace.events[i - 1];
      step["action"] = model.describe_event(trace.states[i - 1].data(), trace.events[i - 1]);
    }
    step["state"] = state_json(model, trace.states[i].data());
    steps.push_back(std::move(step));
  }
  return steps;
}

Json violation_json(const Model& model, const Violation& violation) {
  Json json = {{"kind", to_string(violation.kind)},
               {"what", violation.what},
               {"state", violation.state},
               {"depth", violation.depth}};
  if (violation.event) {
    json["event"] = *violation.event;
    if (!violation.trace.states.empty()) {
      json["action"] = model.describe_event(violation.trace.states.back().data(), *violation.event);
    }
  }
  json["trace"] = trace_json(model, violation.trace);
  return json;
}

}  // namespace comback::tools

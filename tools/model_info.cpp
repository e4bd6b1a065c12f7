#include "tools/model_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tools/quantity.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

const char* word(EventKind kind) {
  switch (kind) {
    case EventKind::kBranch:
      return "branch";
    case EventKind::kReceive:
      return "receive";
    case EventKind::kSend:
      return "send";
    case EventKind::kAssignment:
      return "assignment";
    case EventKind::kOther:
      return "other";
  }
  return "?";
}

const char* word(VariableInfo::Kind kind) {
  switch (kind) {
    case VariableInfo::Kind::kLocation:
      return "location";
    case VariableInfo::Kind::kData:
      return "data";
    case VariableInfo::Kind::kChannel:
      return "channel";
  }
  return "?";
}

std::vector<std::string> assertions(const Model& model) {
  std::vector<std::string> found;
  for (int i = 0; model.has_assertions(); ++i) {
    std::string text = model.describe_assertion(i);
    if (text.empty()) break;
    found.push_back(std::move(text));
  }
  return found;
}

std::string type_of(const VariableInfo& variable) {
  std::string type = word(variable.kind);
  if (variable.kind == VariableInfo::Kind::kData)
    type = variable.element_bytes == 1 ? "byte" : "int";
  return variable.length == 0 ? type : fmt::format("{}[{}]", type, variable.length);
}

std::string use_text(const Model& model, const VariableUse& use) {
  const VariableInfo& variable = model.variables()[use.variable];
  if (variable.length == 0) return variable.name;
  if (use.element == kWholeArray) return variable.name + "[]";
  return fmt::format("{}[{}]", variable.name, use.element);
}

std::vector<std::string> use_texts(const Model& model, const std::vector<VariableUse>& uses) {
  std::vector<std::string> texts;
  for (const VariableUse& use : uses) texts.push_back(use_text(model, use));
  return texts;
}

// The values in the initial state; one where all elements of an array are equal.
std::string initial_text(const Model& model, const std::byte* initial, std::uint32_t v) {
  const VariableInfo& variable = model.variables()[v];
  std::vector<std::string> values;
  for (std::uint32_t e = 0; e < std::max<std::uint32_t>(1, variable.length); ++e) {
    const std::int64_t value = model.value(initial, v, e);
    const bool named = value >= 0 && static_cast<std::size_t>(value) < variable.value_names.size();
    values.push_back(named ? variable.value_names[static_cast<std::size_t>(value)]
                           : std::to_string(value));
  }
  if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end()) {
    return values.front();
  }
  return fmt::format("{{{}}}", fmt::join(values, ", "));
}

std::string variables_text(const Model& model, const std::byte* initial) {
  Table table({"offset", "bytes", "name", "type", "range", "initial"});
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& variable = variables[v];
    const std::size_t bytes = variable.element_bytes * std::max<std::uint32_t>(1, variable.length);
    table.add({std::to_string(variable.offset_bytes), std::to_string(bytes), variable.name,
               type_of(variable), fmt::format("{}..{}", variable.min, variable.max),
               initial_text(model, initial, v)});
  }
  return table.text();
}

std::string processes_text(const Model& model) {
  Table table({"process", "locations", "transitions", "initial", "committed", "accepting"});
  for (const ProcessInfo& process : model.processes()) {
    const auto count = [&](bool LocationInfo::*flag) {
      const auto n = std::count_if(process.locations.begin(), process.locations.end(),
                                   [&](const LocationInfo& l) { return l.*flag; });
      return n == 0 ? std::string("-") : std::to_string(n);
    };
    table.add({process.name, std::to_string(process.locations.size()),
               std::to_string(process.transitions.size()), process.locations[process.initial].name,
               count(&LocationInfo::committed), count(&LocationInfo::accepting)});
  }
  return table.text();
}

std::string channels_text(const Model& model) {
  Table table({"channel", "kind", "message", "line"});
  for (const ChannelInfo& channel : model.channels()) {
    table.add({channel.name,
               channel.capacity == 0 ? std::string("rendezvous")
                                     : fmt::format("buffer of {}", channel.capacity),
               channel.items.empty() ? std::string("any")
                                     : fmt::format("{{{}}}", fmt::join(channel.items, ", ")),
               std::to_string(channel.line)});
  }
  return table.text();
}

// Two lines per event: what it does, and what it touches.
std::string events_text(const Model& model) {
  std::string text = "\n";
  const auto events = model.events();
  const std::size_t digits = std::to_string(events.size()).size();
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    const EventInfo& event = events[e];
    text += fmt::format("  {:>{}}  {}\n", e, digits, model.describe_event(nullptr, e));
    text += fmt::format("  {:>{}}  {}; reads {}; writes {}\n", "", digits, word(event.kind),
                        fmt::join(use_texts(model, event.reads), " "),
                        fmt::join(use_texts(model, event.writes), " "));
  }
  return text;
}

std::vector<std::string> effect_texts(const TransitionInfo& transition) {
  std::vector<std::string> texts;
  for (const EffectInfo& effect : transition.effects) texts.push_back(effect.text);
  return texts;
}

std::string control_graph_text(const Model& model) {
  std::string text;
  for (const ProcessInfo& process : model.processes()) {
    text += fmt::format("\nProcess {}\n", process.name);
    Table table({"line", "from", "to", "kind", "channel", "guard", "effect"});
    for (const TransitionInfo& transition : process.transitions) {
      table.add({std::to_string(transition.line), process.locations[transition.source].name,
                 process.locations[transition.target].name, word(transition.kind),
                 transition.channel, transition.guard,
                 fmt::format("{}", fmt::join(effect_texts(transition), ", "))});
    }
    text += table.text();
  }
  return text;
}

// "12: 4 receive, 8 assignment".
std::string event_counts(const Model& model) {
  std::array<std::size_t, 5> counts{};
  for (const EventInfo& event : model.events()) ++counts[static_cast<std::size_t>(event.kind)];
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    parts.push_back(fmt::format("{} {}", format_count(counts[k]), word(static_cast<EventKind>(k))));
  }
  if (parts.empty()) return "not numbered: processes step together";
  return fmt::format("{} ({})", format_count(model.events().size()), fmt::join(parts, ", "));
}

std::vector<std::byte> initial_state(const Model& model) {
  std::vector<std::byte> state(model.width());
  model.initial(state.data());
  return state;
}

Json uses_json(const Model& model, const std::vector<VariableUse>& uses) {
  return use_texts(model, uses);
}

Json process_json(const Model& model, const ProcessInfo& process) {
  Json locations = Json::array();
  for (const LocationInfo& location : process.locations) {
    locations.push_back({{"name", location.name},
                         {"committed", location.committed},
                         {"accepting", location.accepting}});
  }
  Json transitions = Json::array();
  for (const TransitionInfo& transition : process.transitions) {
    transitions.push_back({{"source", process.locations[transition.source].name},
                           {"target", process.locations[transition.target].name},
                           {"line", transition.line},
                           {"kind", word(transition.kind)},
                           {"guard", transition.guard},
                           {"channel", transition.channel},
                           {"effects", effect_texts(transition)},
                           {"reads", uses_json(model, transition.reads)},
                           {"writes", uses_json(model, transition.writes)}});
  }
  return {{"name", process.name},
          {"initial", process.locations[process.initial].name},
          {"locations", std::move(locations)},
          {"transitions", std::move(transitions)}};
}

}  // namespace

std::string info_text(const Model& model, const std::string& name, const InfoParts& parts) {
  const std::vector<std::byte> initial = initial_state(model);
  const std::vector<std::string> asserted = assertions(model);
  std::string text = name + "\n";
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", key, value);
  };
  line("descriptor", fmt::format("{} bytes", model.width()));
  line("variables", format_count(model.variables().size()));
  line("processes", format_count(model.processes().size()));
  line("channels", format_count(model.channels().size()));
  line("events", event_counts(model));
  line("successors", fmt::format("at most {} per state", format_count(model.max_successors())));
  line("assertions", format_count(asserted.size()));
  line("property", model.ignored_property().empty()
                       ? std::string("none")
                       : fmt::format("process {}, not explored", model.ignored_property()));

  text += "\n" + variables_text(model, initial.data());
  text += "\n" + processes_text(model);
  if (!model.channels().empty()) text += "\n" + channels_text(model);
  if (!asserted.empty()) {
    text += "\n  assertions\n";
    for (const std::string& assertion : asserted) text += fmt::format("  {}\n", assertion);
  }
  if (parts.control_graph) text += control_graph_text(model);
  if (parts.events) text += events_text(model);
  return text;
}

Json info_json(const Model& model, const std::string& name) {
  const std::vector<std::byte> initial = initial_state(model);
  Json json = {{"model", name},
               {"descriptor_bytes", model.width()},
               {"max_successors", model.max_successors()},
               {"property", nullptr}};
  if (!model.ignored_property().empty()) json["property"] = std::string(model.ignored_property());
  json["assertions"] = assertions(model);
  const auto variables = model.variables();
  json["variables"] = Json::array();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& variable = variables[v];
    Json values = Json::array();
    for (std::uint32_t e = 0; e < std::max<std::uint32_t>(1, variable.length); ++e) {
      values.push_back(model.value(initial.data(), v, e));
    }
    json["variables"].push_back({{"name", variable.name},
                                 {"kind", word(variable.kind)},
                                 {"length", variable.length},
                                 {"min", variable.min},
                                 {"max", variable.max},
                                 {"offset_bytes", variable.offset_bytes},
                                 {"element_bytes", variable.element_bytes},
                                 {"initial", std::move(values)}});
  }
  json["processes"] = Json::array();
  for (const ProcessInfo& process : model.processes()) {
    json["processes"].push_back(process_json(model, process));
  }
  json["channels"] = Json::array();
  for (const ChannelInfo& channel : model.channels()) {
    json["channels"].push_back({{"name", channel.name},
                                {"items", channel.items},
                                {"capacity", channel.capacity},
                                {"line", channel.line}});
  }
  json["events"] = Json::array();
  const auto events = model.events();
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    const EventInfo& event = events[e];
    Json item = {{"event", e},
                 {"kind", word(event.kind)},
                 {"action", model.describe_event(nullptr, e)},
                 {"process", model.processes()[event.process].name},
                 {"transition", event.transition}};
    if (event.partner != kGlobal) {
      item["partner"] = model.processes()[event.partner].name;
      item["partner_transition"] = event.partner_transition;
    }
    item["reads"] = uses_json(model, event.reads);
    item["writes"] = uses_json(model, event.writes);
    json["events"].push_back(std::move(item));
  }
  return json;
}

}  // namespace comback::tools

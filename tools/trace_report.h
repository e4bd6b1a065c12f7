#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search.h"
#include "models/model.h"

namespace comback::tools {

enum class TraceStyle {
  kChanges,  // after each event, only what it changed
  kFull,     // after each event, the whole state
  kNone,
};

// A violation and the way there, for people.
std::string report_violation(const Model& model, const Violation& violation, TraceStyle style);

// The steps of a way alone, numbered; at its end the event that fails in the last state, if one
// does. REQUIRES: a style other than kNone.
std::string trace_text(const Model& model, const Trace& trace, std::optional<Event> failing,
                       TraceStyle style);

// A violation and the way there, for programs: events by number and in words, states as objects
// that name each variable.
nlohmann::ordered_json violation_json(const Model& model, const Violation& violation);

// The steps of a way alone: [{"state": {...}}, {"event": 3, "action": "...", "state": {...}}].
nlohmann::ordered_json trace_json(const Model& model, const Trace& trace);

// One state as such an object.
nlohmann::ordered_json state_json(const Model& model, const std::byte* state);

// --- what these are made of ---

// The name of a location; a number that has no name, as that of the error state, is itself.
std::string value_text(const VariableInfo& variable, std::int64_t value);

// "x = 3", "fork = [0, 1]" of all variables, or only of what is different in `previous`, arrays by
// element: "fork[1] = 1".
std::vector<std::string> assignments(const Model& model, const std::byte* state,
                                     const std::byte* previous);

// The parts with commas between them, in lines that are not too long.
std::string wrapped(const std::vector<std::string>& parts, std::string_view indent,
                    std::size_t columns = 100);

}  // namespace comback::tools

#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

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

// A violation and the way there, for programs: events by number and in words, states as objects
// that name each variable.
nlohmann::ordered_json violation_json(const Model& model, const Violation& violation);

// One state as such an object.
nlohmann::ordered_json state_json(const Model& model, const std::byte* state);

}  // namespace comback::tools

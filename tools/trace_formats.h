#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/search.h"
#include "models/model.h"

namespace comback::tools {

// The ways in which a path can be written: two for people and four for programs.
enum class TraceFormat {
  kText,  // what each step changes
  kFull,  // whole states
  kJson,
  kItf,  // the Informal Trace Format of Apalache, ADR-015
  kDot,  // Graphviz
  kCsv,
};

// A path to a state of a run, and what is to be said about it.
struct StatePath {
  std::string model_name;       // "anderson.4.dve"
  std::string what;             // "state 17", "violation: deadlock"
  std::optional<Verdict> kind;  // of a violation
  StateId state = 0;
  Trace trace;
  std::optional<Event> failing{};  // the event that cannot be carried out in its last state
};

// Ends with a newline.
std::string format_path(const Model& model, const StatePath& path, TraceFormat format);

// {"model": ..., "what": ..., "kind": ..., "state": 17, "depth": 3, "trace": [...]}
nlohmann::ordered_json path_json(const Model& model, const StatePath& path);

}  // namespace comback::tools

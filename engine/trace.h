#pragma once

#include <span>

#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Executes `events` from the initial state, and checks every step: the state must list the event,
// and executing it must give the successor it lists. An error says which step does not hold; it
// means that the model is not deterministic, or that a table of ours is wrong.
Result<Trace> replay(const Model& model, std::span<const Event> events);

// The same, and the path must end in `target`.
Result<Trace> make_trace(const Model& model, std::span<const Event> events,
                         const std::byte* target);

}  // namespace comback

#include "engine/trace.h"

#include <fmt/format.h>

#include <cstring>

#include "storage/bytes.h"

namespace comback {

Result<Trace> replay(const Model& model, std::span<const Event> events) {
  const std::size_t width = model.width();
  SuccessorBuffer successors(width, model.max_successors());
  Trace trace;
  trace.events.assign(events.begin(), events.end());
  trace.states.reserve(events.size() + 1);
  // Models may read whole words past a descriptor's end.
  std::vector<std::byte> state(width + kDescriptorSlack);
  model.initial(state.data());
  trace.states.emplace_back(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(width));
  for (std::size_t step = 0; step < events.size(); ++step) {
    model.successors(state.data(), successors);
    std::uint32_t i = 0;
    while (i < successors.size() && successors.event(i) != events[step]) ++i;
    if (i == successors.size()) {
      return Error{Errc::kCorruption,
                   fmt::format("replay of a trace: step {} has no event {}", step, events[step])};
    }
    model.execute(state.data(), events[step]);
    if (!equal_bytes(state.data(), successors.descriptor(i), width)) {
      return Error{Errc::kCorruption,
                   fmt::format("replay of a trace: step {}: executing event {} does not give the "
                               "successor that the model lists",
                               step, events[step])};
    }
    trace.states.emplace_back(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(width));
  }
  return trace;
}

Result<Trace> make_trace(const Model& model, std::span<const Event> events,
                         const std::byte* target) {
  Result<Trace> trace = replay(model, events);
  if (!trace) return trace;
  if (!equal_bytes(trace->states.back().data(), target, model.width())) {
    return Error{Errc::kCorruption, fmt::format("replay of a trace: its {} events lead to another "
                                                "state than the one that was found",
                                                events.size())};
  }
  return trace;
}

}  // namespace comback

#include "models/dve/interpreter.h"

#include <algorithm>
#include <cstring>

#include "models/dve/event_compiler.h"
#include "models/dve/synchronous_interpreter.h"

namespace comback::dve {

Interpreter::Interpreter(const Program& program, RangeErrors range_errors)
    : program_(program), error_state_(program, range_errors), assertions_(program) {
  const Stores stores = range_errors == RangeErrors::kWrap ? Stores::kWrapped : Stores::kChecked;
  EventCompiler compiler(program, successor_code_);
  for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
    const Process& process = program.processes[p];
    processes_.push_back({.offset = static_cast<std::uint32_t>(process.offset),
                          .wide = process.location_bytes == 2,
                          .entries = static_cast<std::uint32_t>(entries_.size()),
                          .last_location = static_cast<std::uint32_t>(process.locations.size())});
    // One more than the process has: the error state's.
    for (std::uint32_t l = 0; l <= process.locations.size(); ++l) {
      entries_.push_back(compiler.location(p, l, false, stores));
      if (program.has_committed) {
        committed_entries_.push_back(compiler.location(p, l, true, stores));
      }
    }
    if (std::any_of(process.locations.begin(), process.locations.end(),
                    [](const Location& location) { return location.committed; })) {
      may_commit_.push_back(p);
    }
  }

  // An event that successors() listed carries out without a fault where faults are not successors,
  // so nothing needs to be checked again.
  const bool faults_lead_on = error_state_.descriptor() != nullptr;
  const Stores again = range_errors == RangeErrors::kStop ? Stores::kUnchecked : stores;
  EventCompiler event_compiler(program, event_code_);
  for (Event e = 0; e < program.events.size(); ++e) {
    event_entries_.push_back(event_compiler.event(e, again, faults_lead_on));
  }
}

bool Interpreter::any_committed(const std::byte* state) const {
  return std::any_of(may_commit_.begin(), may_commit_.end(), [&](std::uint32_t p) {
    const Process& process = program_.processes[p];
    const std::uint32_t location = location_of(process, state);
    return location < process.locations.size() && process.locations[location].committed;
  });
}

void Interpreter::successors(const std::byte* state, SuccessorBuffer::View& out) const {
  out.count = 0;
  out.faulted = 0;
  if (error_state_.ends(state)) return;
  const bool committed = !may_commit_.empty() && any_committed(state);
  run_processes({.code = successor_code_,
                 .processes = processes_,
                 .entries = committed ? committed_entries_ : entries_,
                 .width = program_.width,
                 .error_state = error_state_.descriptor()},
                state, out);
}

void Interpreter::execute(std::byte* state, Event event) const {
  if (run(event_code_, event_entries_[event], state, state).faulted) {
    std::memcpy(state, error_state_.descriptor(), program_.width);
  }
}

std::unique_ptr<Executor> make_interpreter(const Program& program, RangeErrors range_errors) {
  if (program.synchronous) return std::make_unique<SynchronousInterpreter>(program, range_errors);
  return std::make_unique<Interpreter>(program, range_errors);
}

}  // namespace comback::dve

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/dve/bytecode.h"
#include "models/dve/dve.h"
#include "models/dve/error_state.h"
#include "models/dve/evaluator.h"
#include "models/dve/executor.h"
#include "models/dve/machine.h"
#include "models/dve/program.h"

namespace comback::dve {

// Executes asynchronous programs. The events of a process at a location are one piece of code,
// guards and effects together, so that a state costs one jump per process, its guards, and its
// enabled events.
class Interpreter : public Executor {
 public:
  // REQUIRES: `program` is asynchronous and outlives this.
  Interpreter(const Program& program, RangeErrors range_errors);

  void successors(const std::byte* state, SuccessorBuffer::View& out) const override;
  void execute(std::byte* state, Event event) const override;
  int failed_assertion(const std::byte* state) const override { return assertions_.failed(state); }

 private:
  bool any_committed(const std::byte* state) const;

  const Program& program_;
  ErrorState error_state_;
  Assertions assertions_;
  Code successor_code_;
  std::vector<ProcessCode> processes_;
  std::vector<std::uint32_t> entries_;            // of states without a committed process
  std::vector<std::uint32_t> committed_entries_;  // of the others; empty where there are none
  std::vector<std::uint32_t> may_commit_;         // processes with committed locations
  Code event_code_;
  std::vector<std::uint32_t> event_entries_;
};

// The interpreter for the program, synchronous or not.
std::unique_ptr<Executor> make_interpreter(const Program& program, RangeErrors range_errors);

}  // namespace comback::dve

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dve/bytecode.h"
#include "models/dve/dve.h"
#include "models/dve/error_state.h"
#include "models/dve/evaluator.h"
#include "models/dve/executor.h"
#include "models/dve/program.h"

namespace comback::dve {

// Executes synchronous programs: in each step every process takes one enabled transition. An event
// is the number of the combination among those enabled in the state, process 0 most significant.
class SynchronousInterpreter : public Executor {
 public:
  // REQUIRES: `program` is synchronous and outlives this.
  SynchronousInterpreter(const Program& program, RangeErrors range_errors);

  void successors(const std::byte* state, SuccessorBuffer::View& out) const override;
  void execute(std::byte* state, Event event) const override;
  int failed_assertion(const std::byte* state) const override { return assertions_.failed(state); }

  // The transition that each process takes in an event. REQUIRES: successors(state) lists `event`,
  // or reports a fault of it.
  std::vector<std::uint32_t> combination(const std::byte* state, Event event) const;

 private:
  static constexpr std::uint32_t kNoGuard = 0xffffffff;

  struct TransitionCode {
    std::uint32_t number = 0;        // in its process
    std::uint32_t guard = kNoGuard;  // positions in code_
    std::uint32_t effects = 0;
    std::uint32_t repeated_effects = 0;  // when an event is executed that successors() has listed
    std::uint32_t move = 0;
  };
  // An enabled transition; its guard may have failed.
  struct Choice {
    const TransitionCode* code = nullptr;
    bool faulted = false;
    std::uint32_t fault_site = 0;
    std::int64_t fault_value = 0;
  };
  // The choices of one process: a part of the array that enabled() fills.
  struct Choices {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
    std::uint32_t taken = 0;
  };

  // False where a process has none. REQUIRES: room for max_choices_, and for every process.
  bool enabled(const std::byte* state, Choice* choices, Choices* processes) const;
  // Sets `taken` of every process to what it takes in the event.
  void select(Event event, Choices* processes) const;

  const Program& program_;
  ErrorState error_state_;
  Assertions assertions_;
  Code code_;
  std::vector<std::vector<std::vector<TransitionCode>>> transitions_;  // by process and location
  std::size_t max_choices_ = 0;                                        // of all processes together
};

}  // namespace comback::dve

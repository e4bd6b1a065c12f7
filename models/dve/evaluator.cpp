#include "models/dve/evaluator.h"

#include "models/dve/event_compiler.h"
#include "models/dve/machine.h"

namespace comback::dve {

std::size_t Evaluator::add(const Program& program, const Expr& expr) {
  Code code;
  CodeWriter writer(code);
  ExpressionCompiler(program, writer).value(expr, 0);
  writer.emit({.op = Opcode::kHalt});
  expressions_.push_back(std::move(code));
  return expressions_.size() - 1;
}

std::optional<std::int64_t> Evaluator::evaluate(std::size_t number, const std::byte* state) const {
  const Outcome outcome = run(expressions_[number], 0, state, nullptr);
  if (outcome.faulted) return std::nullopt;
  return outcome.value;
}

Assertions::Assertions(const Program& program) : program_(program) {
  for (const Assertion& assertion : program.assertions) {
    conditions_.add(program, assertion.condition);
  }
}

int Assertions::failed(const std::byte* state) const {
  for (std::size_t i = 0; i < program_.assertions.size(); ++i) {
    const Assertion& assertion = program_.assertions[i];
    if (location_of(program_.processes[assertion.process], state) != assertion.location) continue;
    if (conditions_.evaluate(i, state).value_or(0) == 0) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace comback::dve

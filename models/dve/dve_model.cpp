#include "models/dve/dve_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/dve/describe.h"
#include "models/dve/evaluator.h"
#include "models/dve/interpreter.h"
#include "models/dve/parse.h"
#include "models/dve/synchronous_interpreter.h"

namespace comback::dve {

namespace {

class DvePredicate : public Predicate {
 public:
  DvePredicate(const Program& program, const CheckedPredicate& checked) : text_(checked.text) {
    evaluator_.add(program, checked.condition);
  }
  std::optional<std::int64_t> evaluate(const std::byte* state) const override {
    return evaluator_.evaluate(0, state);
  }
  const std::string& text() const override { return text_; }

 private:
  std::string text_;
  Evaluator evaluator_;
};

std::vector<std::byte> initial_state(const Program& program) {
  std::vector<std::byte> state(program.width);
  const auto store = [&](std::size_t offset, std::size_t bytes, std::int64_t value) {
    for (std::size_t i = 0; i < bytes; ++i) {
      state[offset + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
  };
  for (const Variable& variable : program.variables) {
    if (variable.constant) continue;
    const std::size_t bytes = bytes_of(variable.type);
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      store(variable.offset + i * bytes, bytes, variable.initial[i]);
    }
  }
  for (const Process& process : program.processes) {
    store(process.offset, process.location_bytes, process.initial);
  }
  return state;
}

}  // namespace

DveModel::DveModel(Program program, RangeErrors range_errors)
    : program_(std::move(program)),
      range_errors_(range_errors),
      info_(program_, range_errors),
      initial_(initial_state(program_)),
      interpreter_(make_interpreter(program_, range_errors)),
      current_(interpreter_.get()) {}

void DveModel::take_over(std::unique_ptr<const Executor> native) {
  native_ = std::move(native);
  current_.store(native_.get(), std::memory_order_release);
}

void DveModel::initial(std::byte* out) const { std::copy(initial_.begin(), initial_.end(), out); }

std::string DveModel::describe_assertion(int index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= program_.assertions.size()) return {};
  return describe(program_, program_.assertions[static_cast<std::size_t>(index)]);
}

std::string DveModel::describe_event(const std::byte* state, Event event) const {
  if (!program_.synchronous) return describe(program_, program_.events[event], state);
  // Which transitions are taken together depends on which are enabled.
  if (state == nullptr) return fmt::format("joint step {}", event);
  const auto& interpreter = static_cast<const SynchronousInterpreter&>(*interpreter_);
  const std::vector<std::uint32_t> taken = interpreter.combination(state, event);
  std::string out;
  for (std::size_t p = 0; p < taken.size(); ++p) {
    if (p != 0) out += " and ";
    out += describe(program_, program_.processes[p].transitions[taken[p]]);
  }
  return out;
}

std::string DveModel::explain(const Fault& fault) const { return describe(program_, fault); }

PredicateResult DveModel::predicate(std::string_view text) const {
  CheckedPredicateResult checked = parse_predicate(program_, text);
  if (auto* diagnostics = std::get_if<Diagnostics>(&checked)) return std::move(*diagnostics);
  return std::make_unique<DvePredicate>(program_, std::get<CheckedPredicate>(checked));
}

std::string_view DveModel::ignored_property() const {
  return program_.property ? std::string_view(program_.property->name) : std::string_view();
}

std::string_view DveModel::backend() const {
  return current_.load(std::memory_order_acquire) == interpreter_.get() ? "interpreted" : "native";
}

}  // namespace comback::dve

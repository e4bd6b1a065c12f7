#include "models/dve/synchronous_interpreter.h"

#include <algorithm>
#include <cstring>

#include "models/dve/event_compiler.h"
#include "models/dve/machine.h"

namespace comback::dve {

SynchronousInterpreter::SynchronousInterpreter(const Program& program, RangeErrors range_errors)
    : program_(program), error_state_(program, range_errors), assertions_(program) {
  const Stores stores = range_errors == RangeErrors::kWrap ? Stores::kWrapped : Stores::kChecked;
  const Stores again = range_errors == RangeErrors::kStop ? Stores::kUnchecked : stores;
  EventCompiler compiler(program, code_);
  for (const Process& process : program.processes) {
    auto& by_location = transitions_.emplace_back(process.locations.size() + 1);
    for (std::uint32_t t = 0; t < process.transitions.size(); ++t) {
      const Transition& transition = process.transitions[t];
      TransitionCode code{.number = t};
      if (transition.guard) code.guard = compiler.expression(*transition.guard);
      code.effects = compiler.effects(transition, stores);
      code.repeated_effects = compiler.effects(transition, again);
      code.move = compiler.move(transition);
      by_location[transition.source].push_back(code);
    }
    std::size_t most = 0;
    for (const auto& choices : by_location) most = std::max(most, choices.size());
    max_choices_ += most;
  }
}

bool SynchronousInterpreter::enabled(const std::byte* state, Choice* choices,
                                     Choices* processes) const {
  std::uint32_t end = 0;
  for (std::size_t p = 0; p < transitions_.size(); ++p) {
    const std::uint32_t begin = end;
    // Locations that no state has are taken for the error state's, which is the last.
    const std::size_t location = std::min<std::size_t>(location_of(program_.processes[p], state),
                                                       transitions_[p].size() - 1);
    for (const TransitionCode& code : transitions_[p][location]) {
      Choice choice{.code = &code};
      if (code.guard != kNoGuard) {
        const Outcome outcome = run(code_, code.guard, state, nullptr);
        if (!outcome.faulted && outcome.value == 0) continue;
        choice.faulted = outcome.faulted;
        choice.fault_site = outcome.fault_site;
        choice.fault_value = outcome.value;
      }
      choices[end++] = choice;
    }
    if (end == begin) return false;
    processes[p] = {.begin = begin, .count = end - begin};
  }
  return !transitions_.empty();
}

void SynchronousInterpreter::select(Event event, Choices* processes) const {
  for (std::size_t p = transitions_.size(); p-- > 0;) {
    processes[p].taken = event % processes[p].count;
    event /= processes[p].count;
  }
}

void SynchronousInterpreter::successors(const std::byte* state, SuccessorBuffer::View& out) const {
  out.count = 0;
  out.faulted = 0;
  const std::size_t count = transitions_.size();
  // On the stack, since nothing is allocated here.
  auto* const choices = static_cast<Choice*>(__builtin_alloca((max_choices_ + 1) * sizeof(Choice)));
  auto* const processes = static_cast<Choices*>(__builtin_alloca((count + 1) * sizeof(Choices)));
  if (error_state_.ends(state) || !enabled(state, choices, processes)) return;

  for (Event event = 0;; ++event) {
    std::byte* const successor = out.descriptors + out.count * program_.width;
    Outcome outcome;
    for (std::size_t p = 0; p < count && !outcome.faulted; ++p) {
      const Choice& choice = choices[processes[p].begin + processes[p].taken];
      outcome.faulted = choice.faulted;
      outcome.fault_site = choice.fault_site;
      outcome.value = choice.fault_value;
    }
    if (!outcome.faulted) std::memcpy(successor, state, program_.width);
    for (std::size_t p = 0; p < count && !outcome.faulted; ++p) {
      const Choice& choice = choices[processes[p].begin + processes[p].taken];
      outcome = run(code_, choice.code->effects, successor, successor);
      out.wraps += outcome.wraps;
    }
    if (!outcome.faulted) {
      for (std::size_t p = 0; p < count; ++p) {
        run(code_, choices[processes[p].begin + processes[p].taken].code->move, successor,
            successor);
      }
      out.events[out.count++] = event;
    } else if (error_state_.descriptor() != nullptr) {
      std::memcpy(successor, error_state_.descriptor(), program_.width);
      out.events[out.count++] = event;
    } else if (out.faulted == 0) {
      out.faulted = 1;
      out.fault = {.event = event, .site = outcome.fault_site, .value = outcome.value};
    }

    // The next combination: the last process is the one that changes fastest.
    std::size_t p = count;
    while (p > 0 && ++processes[p - 1].taken == processes[p - 1].count) processes[--p].taken = 0;
    if (p == 0) return;
  }
}

void SynchronousInterpreter::execute(std::byte* state, Event event) const {
  const std::size_t count = transitions_.size();
  // On the stack, since nothing is allocated here.
  auto* const choices = static_cast<Choice*>(__builtin_alloca((max_choices_ + 1) * sizeof(Choice)));
  auto* const processes = static_cast<Choices*>(__builtin_alloca((count + 1) * sizeof(Choices)));
  enabled(state, choices, processes);
  select(event, processes);
  bool faulted = false;
  for (std::size_t p = 0; p < count && !faulted; ++p) {
    faulted = choices[processes[p].begin + processes[p].taken].faulted;
  }
  for (std::size_t p = 0; p < count && !faulted; ++p) {
    const Choice& choice = choices[processes[p].begin + processes[p].taken];
    faulted = run(code_, choice.code->repeated_effects, state, state).faulted;
  }
  if (faulted) {
    std::memcpy(state, error_state_.descriptor(), program_.width);
    return;
  }
  for (std::size_t p = 0; p < count; ++p) {
    run(code_, choices[processes[p].begin + processes[p].taken].code->move, state, state);
  }
}

std::vector<std::uint32_t> SynchronousInterpreter::combination(const std::byte* state,
                                                               Event event) const {
  std::vector<Choice> choices(max_choices_);
  std::vector<Choices> processes(transitions_.size());
  std::vector<std::uint32_t> taken;
  if (!enabled(state, choices.data(), processes.data())) return taken;
  select(event, processes.data());
  for (const Choices& process : processes) {
    taken.push_back(choices[process.begin + process.taken].code->number);
  }
  return taken;
}

}  // namespace comback::dve

#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/dve/arithmetic.h"
#include "models/dve/dve.h"
#include "models/dve/program.h"
#include "models/model.h"

namespace comback::test {

// Executes a DVE program in the plainest way: walks its trees, with every rule of
// models/dve/executor.h written out once. Slow, and what the real executors are compared with.
class ReferenceExecutor {
 public:
  struct Successor {
    Event event;
    std::string state;
    friend bool operator==(const Successor&, const Successor&) = default;
  };
  struct Result {
    std::vector<Successor> successors;
    std::optional<Fault> fault;  // the first
    std::uint64_t wraps = 0;
  };

  ReferenceExecutor(const dve::Program& program, dve::RangeErrors range_errors)
      : program_(program), mode_(range_errors) {}

  Result successors(const std::string& state) const {
    Result result;
    if (mode_ == dve::RangeErrors::kTerminal && state == error_state()) return result;
    if (program_.synchronous) {
      synchronous(state, result);
    } else {
      for (Event e = 0; e < program_.events.size(); ++e) {
        if (possible(state, program_.events[e])) attempt(state, e, result);
      }
    }
    return result;
  }

  int failed_assertion(const std::string& state) const {
    for (std::size_t i = 0; i < program_.assertions.size(); ++i) {
      const dve::Assertion& assertion = program_.assertions[i];
      if (location(state, assertion.process) != assertion.location) continue;
      try {
        if (evaluate(assertion.condition, state) == 0) return static_cast<int>(i);
      } catch (const Failure&) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  std::optional<std::int64_t> value(const dve::Expr& expr, const std::string& state) const {
    try {
      return evaluate(expr, state);
    } catch (const Failure&) {
      return std::nullopt;
    }
  }

  std::string error_state() const {
    std::string state(program_.width, '\0');
    set_location(state, 0, static_cast<std::uint32_t>(program_.processes[0].locations.size()));
    return state;
  }

 private:
  struct Failure {
    std::uint32_t site;
    std::int64_t value;
  };

  const dve::Transition& transition(std::uint32_t process, std::uint32_t number) const {
    return program_.processes[process].transitions[number];
  }

  static std::int64_t get(const std::string& state, std::size_t offset, dve::Type type) {
    const auto low = static_cast<unsigned char>(state[offset]);
    if (type == dve::Type::kByte) return low;
    return static_cast<std::int16_t>(low | static_cast<unsigned char>(state[offset + 1]) << 8);
  }
  static void set(std::string& state, std::size_t offset, dve::Type type, std::int64_t value) {
    state[offset] = static_cast<char>(value);
    if (type == dve::Type::kInt) state[offset + 1] = static_cast<char>(value >> 8);
  }

  std::uint32_t location(const std::string& state, std::uint32_t process) const {
    const dve::Process& p = program_.processes[process];
    std::uint32_t l = static_cast<unsigned char>(state[p.offset]);
    if (p.location_bytes == 2) {
      l |= static_cast<std::uint32_t>(static_cast<unsigned char>(state[p.offset + 1])) << 8;
    }
    return l;
  }
  void set_location(std::string& state, std::uint32_t process, std::uint32_t l) const {
    const dve::Process& p = program_.processes[process];
    state[p.offset] = static_cast<char>(l);
    if (p.location_bytes == 2) state[p.offset + 1] = static_cast<char>(l >> 8);
  }
  bool committed(const std::string& state, std::uint32_t process) const {
    const auto& locations = program_.processes[process].locations;
    const std::uint32_t l = location(state, process);
    return l < locations.size() && locations[l].committed;
  }

  std::int64_t element(std::uint32_t variable, std::int64_t index, const std::string& state) const {
    const dve::Variable& v = program_.variables[variable];
    if (v.constant) return v.initial[static_cast<std::size_t>(index)];
    return get(state, v.offset + static_cast<std::size_t>(index) * dve::bytes_of(v.type), v.type);
  }

  std::int64_t evaluate(const dve::Expr& e, const std::string& state) const {
    using dve::Op;
    const auto arg = [&](std::size_t i) { return evaluate(e.args[i], state); };
    switch (e.op) {
      case Op::kConstant:
        return e.value;
      case Op::kVariable:
        return element(e.variable, 0, state);
      case Op::kElement: {
        const std::int64_t index = arg(0);
        if (index < 0 || index >= program_.variables[e.variable].length) {
          throw Failure{e.site, index};
        }
        return element(e.variable, index, state);
      }
      case Op::kAt:
        return location(state, e.process) == e.location;
      case Op::kNegate:
        return dve::negate(arg(0));
      case Op::kNot:
        return arg(0) == 0;
      case Op::kComplement:
        return ~arg(0);
      case Op::kAnd:
        return arg(0) != 0 && arg(1) != 0;
      case Op::kOr:
        return arg(0) != 0 || arg(1) != 0;
      case Op::kImply:
        return arg(0) == 0 || arg(1) != 0;
      default:
        break;
    }
    const std::int64_t a = arg(0);
    const std::int64_t b = arg(1);
    switch (e.op) {
      case Op::kAdd:
        return dve::add(a, b);
      case Op::kSubtract:
        return dve::subtract(a, b);
      case Op::kMultiply:
        return dve::multiply(a, b);
      case Op::kDivide:
        if (b == 0) throw Failure{e.site, a};
        return dve::divide(a, b);
      case Op::kRemainder:
        if (b == 0) throw Failure{e.site, a};
        return dve::remainder(a, b);
      case Op::kShiftLeft:
        return dve::shift_left(a, b);
      case Op::kShiftRight:
        return dve::shift_right(a, b);
      case Op::kBitAnd:
        return a & b;
      case Op::kBitOr:
        return a | b;
      case Op::kBitXor:
        return a ^ b;
      case Op::kEqual:
        return a == b;
      case Op::kNotEqual:
        return a != b;
      case Op::kLess:
        return a < b;
      case Op::kLessEqual:
        return a <= b;
      case Op::kGreater:
        return a > b;
      default:
        return a >= b;
    }
  }

  // The value as it is stored in the type, or a Failure.
  std::int64_t fitted(std::int64_t value, dve::Type type, std::uint32_t site,
                      Result& result) const {
    const dve::TypeRange range = dve::range_of(type);
    if (value >= range.min && value <= range.max) return value;
    if (mode_ != dve::RangeErrors::kWrap) throw Failure{site, value};
    ++result.wraps;
    return type == dve::Type::kByte ? static_cast<std::uint8_t>(value)
                                    : static_cast<std::int16_t>(value);
  }

  std::int64_t index_of(const dve::Lvalue& target, const std::string& state) const {
    if (!target.index) return 0;
    const std::int64_t index = evaluate(*target.index, state);
    if (index < 0 || index >= program_.variables[target.variable].length) {
      throw Failure{target.index_site, index};
    }
    return index;
  }
  void store(std::string& state, const dve::Lvalue& target, std::int64_t index, std::int64_t value,
             Result& result) const {
    const dve::Variable& v = program_.variables[target.variable];
    set(state, v.offset + static_cast<std::size_t>(index) * dve::bytes_of(v.type), v.type,
        fitted(value, v.type, target.store_site, result));
  }
  void effects(std::string& state, const dve::Transition& t, Result& result) const {
    for (const dve::Assignment& assignment : t.effects) {
      const std::int64_t index = index_of(assignment.target, state);
      store(state, assignment.target, index, evaluate(assignment.value, state), result);
    }
  }

  // All that needs no expression.
  bool possible(const std::string& state, const dve::StaticEvent& event) const {
    const dve::Transition& t = transition(event.process, event.transition);
    const bool rendezvous = event.sender != kGlobal;
    if (location(state, event.process) != t.source) return false;
    if (rendezvous &&
        location(state, event.sender) != transition(event.sender, event.sender_transition).source) {
      return false;
    }
    bool any_committed = false;
    for (std::uint32_t p = 0; p < program_.processes.size(); ++p) {
      any_committed = any_committed || committed(state, p);
    }
    if (any_committed &&
        (!committed(state, event.process) || (rendezvous && !committed(state, event.sender)))) {
      return false;
    }
    if (!rendezvous && t.sync != dve::SyncKind::kNone) {
      const dve::Channel& channel = program_.channels[t.channel];
      const std::int64_t messages = get(state, channel.offset, dve::Type::kByte);
      if (t.sync == dve::SyncKind::kSend && messages == channel.capacity) return false;
      if (t.sync == dve::SyncKind::kReceive && messages == 0) return false;
    }
    return true;
  }

  void attempt(const std::string& state, Event number, Result& result) const {
    const dve::StaticEvent& event = program_.events[number];
    const dve::Transition& t = transition(event.process, event.transition);
    const dve::Transition* sender =
        event.sender == kGlobal ? nullptr : &transition(event.sender, event.sender_transition);
    try {
      if (t.guard && evaluate(*t.guard, state) == 0) return;
      if (sender != nullptr && sender->guard && evaluate(*sender->guard, state) == 0) return;
      result.successors.push_back({number, carry_out(state, t, sender, result)});
    } catch (const Failure& failure) {
      fail(number, failure, result);
    }
  }

  std::string carry_out(const std::string& before, const dve::Transition& t,
                        const dve::Transition* sender, Result& result) const {
    std::string after = before;
    std::vector<std::int64_t> values;
    const dve::Transition* sending = sender != nullptr                ? sender
                                     : t.sync == dve::SyncKind::kSend ? &t
                                                                      : nullptr;
    const dve::Channel* channel =
        t.sync == dve::SyncKind::kNone ? nullptr : &program_.channels[t.channel];
    for (std::size_t i = 0; sending != nullptr && i < sending->sent.size(); ++i) {
      std::int64_t value = evaluate(sending->sent[i], before);
      if (channel->typed) {
        value = fitted(value, channel->items[i], sending->sent_sites[i], result);
      }
      values.push_back(value);
    }
    if (t.sync == dve::SyncKind::kReceive) {
      std::vector<std::int64_t> indices;
      for (const dve::Lvalue& target : t.received) indices.push_back(index_of(target, before));
      if (channel->capacity != 0) values = pop(after, *channel);
      for (std::size_t i = 0; i < std::min(values.size(), t.received.size()); ++i) {
        store(after, t.received[i], indices[i], values[i], result);
      }
    } else if (t.sync == dve::SyncKind::kSend) {
      push(after, *channel, values);
    }
    effects(after, t, result);
    if (sender != nullptr) {
      effects(after, *sender, result);
      set_location(after, sender->process, sender->target);
    }
    set_location(after, t.process, t.target);
    return after;
  }

  static void push(std::string& state, const dve::Channel& channel,
                   const std::vector<std::int64_t>& values) {
    const auto messages = static_cast<std::size_t>(get(state, channel.offset, dve::Type::kByte));
    std::size_t place = channel.offset + 1 + messages * channel.message_bytes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      set(state, place, channel.items[i], values[i]);
      place += dve::bytes_of(channel.items[i]);
    }
    set(state, channel.offset, dve::Type::kByte, static_cast<std::int64_t>(messages) + 1);
  }
  static std::vector<std::int64_t> pop(std::string& state, const dve::Channel& channel) {
    std::vector<std::int64_t> values;
    std::size_t place = channel.offset + 1;
    for (const dve::Type type : channel.items) {
      values.push_back(get(state, place, type));
      place += dve::bytes_of(type);
    }
    state.erase(channel.offset + 1, channel.message_bytes);
    state.insert(channel.offset + 1 + (channel.capacity - 1) * channel.message_bytes,
                 channel.message_bytes, '\0');
    --state[channel.offset];
    return values;
  }

  void fail(Event event, const Failure& failure, Result& result) const {
    if (mode_ == dve::RangeErrors::kErrorState || mode_ == dve::RangeErrors::kTerminal) {
      result.successors.push_back({event, error_state()});
    } else if (!result.fault) {
      result.fault = Fault{event, failure.site, failure.value};
    }
  }

  void synchronous(const std::string& state, Result& result) const {
    // By process: its enabled transitions, with the failure of a guard.
    std::vector<std::vector<std::pair<const dve::Transition*, std::optional<Failure>>>> enabled;
    for (std::uint32_t p = 0; p < program_.processes.size(); ++p) {
      auto& choices = enabled.emplace_back();
      for (const dve::Transition& t : program_.processes[p].transitions) {
        if (t.source != location(state, p)) continue;
        try {
          if (!t.guard || evaluate(*t.guard, state) != 0) choices.emplace_back(&t, std::nullopt);
        } catch (const Failure& failure) {
          choices.emplace_back(&t, failure);
        }
      }
      if (choices.empty()) return;
    }
    std::size_t combinations = 1;
    for (const auto& choices : enabled) combinations *= choices.size();
    for (std::size_t number = 0; number < combinations; ++number) {
      const auto event = static_cast<Event>(number);
      std::size_t rest = number;
      std::size_t weight = combinations;
      std::vector<const dve::Transition*> taken;
      try {
        std::optional<Failure> guard;
        for (const auto& choices : enabled) {
          weight /= choices.size();
          const auto& [t, failure] = choices[rest / weight];
          rest %= weight;
          taken.push_back(t);
          if (!guard) guard = failure;
        }
        if (guard) throw Failure(*guard);
        std::string after = state;
        for (const dve::Transition* t : taken) effects(after, *t, result);
        for (const dve::Transition* t : taken) set_location(after, t->process, t->target);
        result.successors.push_back({event, after});
      } catch (const Failure& failure) {
        fail(event, failure, result);
      }
    }
  }

  const dve::Program& program_;
  dve::RangeErrors mode_;
};

}  // namespace comback::test

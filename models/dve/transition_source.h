#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dve/dve.h"
#include "models/dve/expression_source.h"
#include "models/dve/program.h"

// C++ functions for the guards, messages and effects of single transitions: part of
// models/dve/generator.h. successors() and execute() are put together from calls of them.

namespace comback::dve {

// A call of a generated function, a short text in its place, or nothing to call.
struct Call {
  std::string text{};  // empty: nothing happens
  bool fails = false;  // its value is kYes or kFault; otherwise it has none
  bool never = false;  // of a guard: it never holds
};

class TransitionSource {
 public:
  TransitionSource(const Program& program, RangeErrors range_errors);

  // The text of all functions and types, which must stand before their use.
  const std::string& functions() const { return functions_; }
  ExpressionSource& expressions() { return expressions_; }

  // The guard in state s: kNo, kYes or kFault where it fails, a truth value elsewhere. Empty where
  // there is none.
  const Call& guard(std::uint32_t process, std::uint32_t transition) const {
    return of(process, transition).guard;
  }
  // Of a sender: puts the values sent in state s into the message m.
  const Call& values(std::uint32_t process, std::uint32_t transition) const {
    return of(process, transition).values;
  }
  // All but the move: the channel's contents, the values received (of m, in a rendezvous), the
  // effects, from s to d. s and d may be the same.
  const Call& effect(std::uint32_t process, std::uint32_t transition) const {
    return of(process, transition).effect;
  }
  // The type of m.
  static std::string message_type(std::uint32_t channel);

 private:
  struct Functions {
    Call guard;
    Call values;
    Call effect;
  };
  const Functions& of(std::uint32_t process, std::uint32_t transition) const {
    return by_transition_[process][transition];
  }
  // The text of a function so far.
  struct Body {
    std::string text;
    bool fails = false;
  };

  bool is_rendezvous(const Transition& transition) const;
  void write_guard(Functions& functions, const Transition& transition, const std::string& suffix);
  void write_values(Functions& functions, const Transition& transition, const std::string& suffix);
  void write_effect(Functions& functions, const Transition& transition, const std::string& suffix);
  // A function with the body, or nothing for an empty one.
  Call define(const std::string& name, const char* parameters, const char* arguments,
              const Body& body);
  Snippet evaluate(Body& body, const Expr& expr, const ReadScope& scope);
  // The offset of an element: a literal or a checked expression.
  std::string place(Body& body, const Lvalue& target, const ReadScope& scope);
  void store(Body& body, const Lvalue& target, const std::string& place, const Snippet& value);
  // `value`, a name, as one of the type: checked, or wrapped.
  Snippet convert(Body& body, const Snippet& value, Type type, std::uint32_t site);
  void append_to_channel(Body& body, const Transition& transition);
  std::vector<Snippet> take_from_channel(Body& body, const Channel& channel);

  const Program& program_;
  const RangeErrors range_errors_;
  ExpressionSource expressions_;
  std::string functions_;
  std::vector<std::vector<Functions>> by_transition_;
  std::vector<std::vector<Snippet>> messages_;  // by rendezvous channel: what its messages may hold
};

}  // namespace comback::dve

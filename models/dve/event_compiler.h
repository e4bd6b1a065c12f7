#pragma once

#include <cstdint>
#include <vector>

#include "models/dve/code_writer.h"
#include "models/dve/dve.h"
#include "models/dve/expression_compiler.h"
#include "models/dve/program.h"

namespace comback::dve {

// What a store does with a value outside its type.
enum class Stores {
  kChecked,    // a fault
  kWrapped,    // wraps, and is counted
  kUnchecked,  // cannot happen
};

// From transitions and events to code. Each function that compiles something returns the position
// of its code.
class EventCompiler {
 public:
  // REQUIRES: both outlive the compiler.
  EventCompiler(const Program& program, Code& code);

  // The events of a process at a location, up to kNextProcess; those that move `committed`
  // processes only, or the others only.
  std::uint32_t location(std::uint32_t process, std::uint32_t location, bool committed,
                         Stores stores);

  // One event on a state in place, up to kHalt. The guards are evaluated where `guards` and they
  // can fail, for nothing but that.
  std::uint32_t event(Event event, Stores stores, bool guards);

  // The value of an expression, up to kHalt.
  std::uint32_t expression(const Expr& expr);

  // What the effects of a transition do, and the move of its location; each up to kHalt.
  std::uint32_t effects(const Transition& transition, Stores stores);
  std::uint32_t move(const Transition& transition);

 private:
  void local_event(const Transition& transition, Event event, Stores stores);
  void rendezvous(const Transition& receiver, bool committed, Stores stores);
  void pair(const Transition& receiver, const Transition& sender, Event event, bool receiver_guard,
            Stores stores);
  void enabled_by_channel(const Transition& transition, Label& disabled);

  // Everything after the guards. Between `begin` and `end` when those are wanted.
  void carry_out(const Transition& transition, const Transition* sender, Stores stores,
                 const Event* begin);
  void receive(const Transition& receiver, bool in_accumulator, std::uint32_t sent, Stores stores);
  void sent_value(const Transition& sender, std::size_t item, std::uint32_t depth, Stores stores);
  void assign(const Assignment& assignment, Stores stores);
  void store(Place place, std::uint32_t site, Stores stores);
  void store_element(const Lvalue& target, std::uint32_t index, Stores stores);
  void index(const Lvalue& target, std::uint32_t depth, Stores stores);
  void move_location(const Transition& transition);

  const Transition& transition(std::uint32_t process, std::uint32_t number) const {
    return program_.processes[process].transitions[number];
  }
  bool committed(const Transition& transition) const {
    return program_.processes[transition.process].locations[transition.source].committed;
  }

  const Program& program_;
  CodeWriter writer_;
  ExpressionCompiler expressions_;
  // By process and location: the transitions from there, in their order.
  std::vector<std::vector<std::vector<std::uint32_t>>> transitions_from_;
  // By process and transition: its first event, if it has any.
  std::vector<std::vector<Event>> first_events_;
};

}  // namespace comback::dve

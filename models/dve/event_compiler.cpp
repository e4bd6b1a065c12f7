#include "models/dve/event_compiler.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace comback::dve {

namespace {

// From this many source locations of a sending process on, a jump table beats comparisons.
constexpr std::size_t kJumpTableFrom = 4;

constexpr Event kNoEvent = 0xffffffff;

// The constant c of "v = v + c" or "v = v - c".
std::optional<std::int32_t> increment(const ExpressionCompiler& expressions, Place target,
                                      const Expr& value) {
  if (value.op != Op::kAdd && value.op != Op::kSubtract) return std::nullopt;
  const auto is_target = [&](const Expr& e) {
    const auto place = expressions.place_of(e);
    return place && place->offset == target.offset;
  };
  const auto amount = [](const Expr& e) -> std::optional<std::int32_t> {
    if (e.op != Op::kConstant || e.value < -65536 || e.value > 65536) return std::nullopt;
    return static_cast<std::int32_t>(e.value);
  };
  const Expr& left = value.args[0];
  const Expr& right = value.args[1];
  if (is_target(left)) {
    const auto constant = amount(right);
    if (constant && value.op == Op::kSubtract) return -*constant;
    return constant;
  }
  if (value.op == Op::kAdd && is_target(right)) return amount(left);
  return std::nullopt;
}

bool fits(std::int64_t value, Type type) {
  const TypeRange range = range_of(type);
  return value >= range.min && value <= range.max;
}

}  // namespace

EventCompiler::EventCompiler(const Program& program, Code& code)
    : program_(program), writer_(code), expressions_(program, writer_) {
  for (const Process& process : program.processes) {
    first_events_.emplace_back(process.transitions.size(), kNoEvent);
    // One location more than the process has: the error state's.
    auto& from = transitions_from_.emplace_back(process.locations.size() + 1);
    for (std::uint32_t t = 0; t < process.transitions.size(); ++t) {
      from[process.transitions[t].source].push_back(t);
    }
  }
  for (std::size_t e = program.events.size(); e-- > 0;) {
    const StaticEvent& event = program.events[e];
    first_events_[event.process][event.transition] = static_cast<Event>(e);
  }
}

std::uint32_t EventCompiler::location(std::uint32_t process, std::uint32_t location,
                                      bool committed_only, Stores stores) {
  const std::uint32_t start = writer_.position();
  for (const std::uint32_t number : transitions_from_[process][location]) {
    const Transition& t = transition(process, number);
    const Event event = first_events_[process][number];
    if (committed(t) != committed_only || event == kNoEvent) continue;
    if (program_.events[event].sender == kGlobal) {
      local_event(t, event, stores);
    } else {
      rendezvous(t, committed_only, stores);
    }
  }
  writer_.emit({.op = Opcode::kNextProcess});
  return start;
}

void EventCompiler::local_event(const Transition& t, Event event, Stores stores) {
  Label disabled;
  const std::uint32_t begin = writer_.position();
  enabled_by_channel(t, disabled);
  if (t.guard) expressions_.jump_if_false(*t.guard, disabled, 0);
  carry_out(t, nullptr, stores, &event);
  writer_.bind(disabled);
  writer_.code().scopes.push_back({.begin = begin, .end = writer_.position(), .event = event});
}

void EventCompiler::enabled_by_channel(const Transition& t, Label& disabled) {
  if (t.sync == SyncKind::kNone) return;
  const Channel& channel = program_.channels[t.channel];
  const auto count = static_cast<std::uint32_t>(channel.offset);
  if (t.sync == SyncKind::kSend) {
    writer_.emit_jump({.op = Opcode::kUnlessByteConstantLess,
                       .a = count,
                       .c = static_cast<std::int32_t>(channel.capacity)},
                      disabled);
  } else {
    writer_.emit_jump({.op = Opcode::kUnlessByteConstantGreater, .a = count, .c = 0}, disabled);
  }
}

// All events of a receiving transition, the senders in their order.
void EventCompiler::rendezvous(const Transition& receiver, bool committed_only, Stores stores) {
  // A guard that cannot fail is evaluated once. One that can fails once for each sender that is
  // there, so it belongs to the pairs.
  const bool guard_with_pairs = receiver.guard && can_fault(*receiver.guard);
  Label end;
  if (receiver.guard && !guard_with_pairs) expressions_.jump_if_false(*receiver.guard, end, 0);

  const auto& own = program_.processes[receiver.process].transitions;
  const auto number = static_cast<std::uint32_t>(&receiver - own.data());
  Event event = first_events_[receiver.process][number];
  const auto belongs = [&](Event e) {
    return e < program_.events.size() && program_.events[e].process == receiver.process &&
           program_.events[e].transition == number;
  };
  while (belongs(event)) {
    // The events with one sending process, by the location they need it in.
    const std::uint32_t process = program_.events[event].sender;
    std::vector<std::vector<Event>> by_location(program_.processes[process].locations.size());
    std::vector<Event> in_order;
    for (; belongs(event) && program_.events[event].sender == process; ++event) {
      const Transition& sender = transition(process, program_.events[event].sender_transition);
      if (committed(sender) != committed_only) continue;
      by_location[sender.source].push_back(event);
      in_order.push_back(event);
    }
    const auto compile_pair = [&](Event e) {
      pair(receiver, transition(process, program_.events[e].sender_transition), e, guard_with_pairs,
           stores);
    };
    const auto locations = static_cast<std::size_t>(
        std::count_if(by_location.begin(), by_location.end(),
                      [](const std::vector<Event>& events) { return !events.empty(); }));
    if (locations < kJumpTableFrom) {
      for (const Event e : in_order) {
        Label elsewhere;
        const StaticEvent& pairing = program_.events[e];
        expressions_.jump_unless_at(process, transition(process, pairing.sender_transition).source,
                                    elsewhere);
        compile_pair(e);
        writer_.bind(elsewhere);
      }
      continue;
    }
    auto& tables = writer_.code().jump_tables;
    const auto table = static_cast<std::uint32_t>(tables.size());
    tables.resize(table + by_location.size() + 1);  // and the location of the error state
    writer_.emit({.op = program_.processes[process].location_bytes == 1 ? Opcode::kSwitch8
                                                                        : Opcode::kSwitch16,
                  .a = static_cast<std::uint32_t>(program_.processes[process].offset),
                  .d = table});
    Label next_process;
    for (std::size_t l = 0; l < by_location.size(); ++l) {
      if (by_location[l].empty()) continue;
      tables[table + l] = writer_.position();
      for (const Event e : by_location[l]) compile_pair(e);
      writer_.emit_jump({.op = Opcode::kJump}, next_process);
    }
    writer_.bind(next_process);
    for (std::size_t l = 0; l <= by_location.size(); ++l) {
      if (l == by_location.size() || by_location[l].empty()) tables[table + l] = writer_.position();
    }
  }
  writer_.bind(end);
}

void EventCompiler::pair(const Transition& receiver, const Transition& sender, Event event,
                         bool receiver_guard, Stores stores) {
  Label disabled;
  const std::uint32_t begin = writer_.position();
  if (receiver_guard) expressions_.jump_if_false(*receiver.guard, disabled, 0);
  if (sender.guard) expressions_.jump_if_false(*sender.guard, disabled, 0);
  carry_out(receiver, &sender, stores, &event);
  writer_.bind(disabled);
  writer_.code().scopes.push_back({.begin = begin, .end = writer_.position(), .event = event});
}

std::uint32_t EventCompiler::event(Event number, Stores stores, bool guards) {
  const std::uint32_t start = writer_.position();
  const StaticEvent& event = program_.events[number];
  const Transition& t = transition(event.process, event.transition);
  const Transition* sender =
      event.sender == kGlobal ? nullptr : &transition(event.sender, event.sender_transition);
  if (guards) {
    if (t.guard && can_fault(*t.guard)) expressions_.value(*t.guard, 0);
    if (sender != nullptr && sender->guard && can_fault(*sender->guard)) {
      expressions_.value(*sender->guard, 0);
    }
  }
  carry_out(t, sender, stores, nullptr);
  writer_.emit({.op = Opcode::kHalt});
  return start;
}

std::uint32_t EventCompiler::expression(const Expr& expr) {
  const std::uint32_t start = writer_.position();
  expressions_.value(expr, 0);
  writer_.emit({.op = Opcode::kHalt});
  return start;
}

std::uint32_t EventCompiler::effects(const Transition& t, Stores stores) {
  const std::uint32_t start = writer_.position();
  for (const Assignment& assignment : t.effects) assign(assignment, stores);
  writer_.emit({.op = Opcode::kHalt});
  return start;
}

std::uint32_t EventCompiler::move(const Transition& t) {
  const std::uint32_t start = writer_.position();
  move_location(t);
  writer_.emit({.op = Opcode::kHalt});
  return start;
}

void EventCompiler::carry_out(const Transition& t, const Transition* sender, Stores stores,
                              const Event* begin) {
  const Transition* sending = sender != nullptr ? sender : t.sync == SyncKind::kSend ? &t : nullptr;
  const Transition* receiving = t.sync == SyncKind::kReceive ? &t : nullptr;

  // In the state before: values into the temporaries from 0, then indices. One value with nothing
  // after it stays in the accumulator.
  const auto is_dynamic = [&](const Lvalue& target) { return !expressions_.place_of(target); };
  const bool any_index = receiving != nullptr && std::any_of(receiving->received.begin(),
                                                             receiving->received.end(), is_dynamic);
  const std::size_t values = sending == nullptr ? 0 : sending->sent.size();
  const bool in_accumulator = sender != nullptr && values == 1 && !any_index;
  for (std::size_t i = 0; i < values; ++i) {
    sent_value(*sending, i, static_cast<std::uint32_t>(i), stores);
    if (!in_accumulator) writer_.set_temporary(static_cast<std::uint32_t>(i));
  }
  if (any_index) {
    auto temporary = static_cast<std::uint32_t>(values);
    for (const Lvalue& target : receiving->received) {
      if (is_dynamic(target)) {
        index(target, temporary, stores);
        writer_.set_temporary(temporary);
      }
      ++temporary;
    }
  }

  if (begin != nullptr) writer_.emit({.op = Opcode::kBegin, .a = *begin});
  if (receiving != nullptr) {
    receive(*receiving, in_accumulator, static_cast<std::uint32_t>(values), stores);
  }
  if (sending == &t) {
    const Channel& channel = program_.channels[t.channel];
    std::size_t item_offset = channel.offset + 1;
    for (std::size_t i = 0; i < values; ++i) {
      const Type type = channel.items[i];
      writer_.emit({.op = type == Type::kByte ? Opcode::kPut8 : Opcode::kPut16,
                    .b = static_cast<std::uint16_t>(i),
                    .a = static_cast<std::uint32_t>(item_offset),
                    .c = static_cast<std::int32_t>(channel.message_bytes),
                    .d = static_cast<std::uint32_t>(channel.offset)});
      item_offset += bytes_of(type);
    }
    writer_.emit({.op = Opcode::kAdd8, .a = static_cast<std::uint32_t>(channel.offset), .c = 1});
  }
  for (const Assignment& assignment : t.effects) assign(assignment, stores);
  if (sender != nullptr) {
    for (const Assignment& assignment : sender->effects) assign(assignment, stores);
    move_location(*sender);
  }
  move_location(t);
  if (begin == nullptr) return;
  // The last move and the end are one instruction.
  Instruction& last = writer_.code().instructions.back();
  if (t.source != t.target && last.op == Opcode::kStore8Constant) {
    last.op = Opcode::kEndAt8;
  } else {
    writer_.emit({.op = Opcode::kEnd});
  }
}

void EventCompiler::sent_value(const Transition& sender, std::size_t item, std::uint32_t depth,
                               Stores stores) {
  expressions_.value(sender.sent[item], depth);
  const std::uint32_t site = sender.sent_sites[item];
  if (site == kNoSite || stores == Stores::kUnchecked) return;
  const bool byte = program_.channels[sender.channel].items[item] == Type::kByte;
  if (stores == Stores::kChecked) {
    writer_.emit({.op = byte ? Opcode::kCheckByte : Opcode::kCheckInt, .d = site});
  } else {
    writer_.emit({.op = byte ? Opcode::kWrapByte : Opcode::kWrapInt});
  }
}

// Stores what was sent in a rendezvous, or the oldest message of a buffered channel. The
// temporaries are as carry_out left them: `sent` values, then the indices.
void EventCompiler::receive(const Transition& receiver, bool in_accumulator, std::uint32_t sent,
                            Stores stores) {
  const Channel& channel = program_.channels[receiver.channel];
  const bool buffered = channel.capacity != 0;
  std::size_t item_offset = channel.offset + 1;
  // A value that only one side mentions goes nowhere.
  const std::size_t values =
      std::min(receiver.received.size(), buffered ? channel.items.size() : std::size_t{sent});
  for (std::size_t i = 0; i < values; ++i) {
    if (buffered) {
      expressions_.load({static_cast<std::uint32_t>(item_offset), channel.items[i]});
      item_offset += bytes_of(channel.items[i]);
    } else if (!in_accumulator) {
      writer_.emit({.op = Opcode::kGetTemporary, .b = static_cast<std::uint16_t>(i)});
    }
    const Lvalue& target = receiver.received[i];
    if (const auto place = expressions_.place_of(target)) {
      store(*place, target.store_site, stores);
    } else {
      store_element(target, sent + static_cast<std::uint32_t>(i), stores);
    }
  }
  if (buffered) {
    writer_.emit({.op = Opcode::kPop,
                  .a = static_cast<std::uint32_t>(channel.offset),
                  .c = static_cast<std::int32_t>(channel.message_bytes),
                  .d = channel.capacity});
  }
}

void EventCompiler::assign(const Assignment& assignment, Stores stores) {
  const Lvalue& target = assignment.target;
  const Expr& value = assignment.value;
  const Type type = program_.variables[target.variable].type;
  const bool constant = value.op == Op::kConstant && fits(value.value, type);
  if (const auto place = expressions_.place_of(target)) {
    if (constant) {
      writer_.emit({.op = type == Type::kByte ? Opcode::kStore8Constant : Opcode::kStore16Constant,
                    .a = place->offset,
                    .c = static_cast<std::int32_t>(value.value)});
      return;
    }
    const bool checked = target.store_site != kNoSite && stores == Stores::kChecked;
    const bool wrapped = target.store_site != kNoSite && stores == Stores::kWrapped;
    if (type == Type::kByte && !wrapped) {
      if (const auto amount = increment(expressions_, *place, value)) {
        writer_.emit({.op = checked ? Opcode::kAdd8Checked : Opcode::kAdd8,
                      .a = place->offset,
                      .c = *amount,
                      .d = target.store_site});
        return;
      }
      if (const auto from = expressions_.place_of(value); from && from->type == Type::kByte) {
        writer_.emit({.op = Opcode::kCopy8,
                      .a = place->offset,
                      .c = static_cast<std::int32_t>(from->offset)});
        return;
      }
    }
    expressions_.value(value, 0);
    store(*place, target.store_site, stores);
    return;
  }
  index(target, 0, stores);
  if (constant && type == Type::kByte) {
    writer_.emit({.op = Opcode::kStoreElement8Constant,
                  .a = static_cast<std::uint32_t>(program_.variables[target.variable].offset),
                  .c = static_cast<std::int32_t>(value.value)});
    return;
  }
  writer_.set_temporary(0);
  expressions_.value(value, 1);
  store_element(target, 0, stores);
}

void EventCompiler::index(const Lvalue& target, std::uint32_t depth, Stores stores) {
  expressions_.value(*target.index, depth);
  // Where stores wrap an index can still be out of range.
  if (target.index_site == kNoSite || stores == Stores::kUnchecked) return;
  writer_.emit({.op = Opcode::kCheckIndex,
                .c = static_cast<std::int32_t>(program_.variables[target.variable].length),
                .d = target.index_site});
}

void EventCompiler::store(Place place, std::uint32_t site, Stores stores) {
  const bool byte = place.type == Type::kByte;
  Instruction instruction{.a = place.offset, .d = site};
  if (site == kNoSite || stores == Stores::kUnchecked) {
    instruction.op = byte ? Opcode::kStore8 : Opcode::kStore16;
  } else if (stores == Stores::kChecked) {
    instruction.op = byte ? Opcode::kStore8Checked : Opcode::kStore16Checked;
  } else {
    instruction.op = byte ? Opcode::kStore8Wrapped : Opcode::kStore16Wrapped;
  }
  writer_.emit(instruction);
}

// The accumulator into the element whose index is in a temporary.
void EventCompiler::store_element(const Lvalue& target, std::uint32_t temporary, Stores stores) {
  const Variable& variable = program_.variables[target.variable];
  const bool byte = variable.type == Type::kByte;
  Instruction instruction{.b = static_cast<std::uint16_t>(temporary),
                          .a = static_cast<std::uint32_t>(variable.offset),
                          .d = target.store_site};
  if (target.store_site == kNoSite || stores == Stores::kUnchecked) {
    instruction.op = byte ? Opcode::kStoreElement8 : Opcode::kStoreElement16;
  } else if (stores == Stores::kChecked) {
    instruction.op = byte ? Opcode::kStoreElement8Checked : Opcode::kStoreElement16Checked;
  } else {
    instruction.op = byte ? Opcode::kStoreElement8Wrapped : Opcode::kStoreElement16Wrapped;
  }
  writer_.emit(instruction);
}

void EventCompiler::move_location(const Transition& t) {
  if (t.source == t.target) return;
  const Process& process = program_.processes[t.process];
  writer_.emit(
      {.op = process.location_bytes == 1 ? Opcode::kStore8Constant : Opcode::kStore16Constant,
       .a = static_cast<std::uint32_t>(process.offset),
       .c = static_cast<std::int32_t>(t.target)});
}

}  // namespace comback::dve

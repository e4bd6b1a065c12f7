#include "models/dve/transition_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace comback::dve {
namespace {

constexpr std::size_t kShort = 200;  // characters

}  // namespace

std::string TransitionSource::message_type(std::uint32_t channel) {
  return fmt::format("Message{}", channel);
}

TransitionSource::TransitionSource(const Program& program, RangeErrors range_errors)
    : program_(program),
      range_errors_(range_errors),
      expressions_(program),
      messages_(program.channels.size()) {
  // Senders first: what they send bounds what receivers get.
  for (const SyncKind kind : {SyncKind::kSend, SyncKind::kNone, SyncKind::kReceive}) {
    if (kind == SyncKind::kNone) {
      std::string types;
      for (std::uint32_t c = 0; c < messages_.size(); ++c) {
        types += fmt::format("struct {}{{", message_type(c));
        for (std::size_t i = 0; i < messages_[c].size(); ++i) {
          types += fmt::format("{} v{};", ExpressionSource::type_of(messages_[c][i].values), i);
        }
        types += "};\n";
      }
      functions_.insert(0, types);
    }
    for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
      const Process& process = program.processes[p];
      if (by_transition_.size() == p) by_transition_.emplace_back(process.transitions.size());
      for (std::uint32_t t = 0; t < process.transitions.size(); ++t) {
        const Transition& transition = process.transitions[t];
        if (transition.sync != kind) continue;
        Functions& functions = by_transition_[p][t];
        const std::string suffix = fmt::format("{}_{}", p, t);
        write_guard(functions, transition, suffix);
        if (is_rendezvous(transition)) write_values(functions, transition, suffix);
        write_effect(functions, transition, suffix);
      }
    }
  }
}

bool TransitionSource::is_rendezvous(const Transition& transition) const {
  return transition.sync != SyncKind::kNone && program_.channels[transition.channel].capacity == 0;
}

Call TransitionSource::define(const std::string& name, const char* parameters,
                              const char* arguments, const Body& body) {
  if (body.text.empty()) return {};
  // Short ones in place: a function costs the compiler more than the statements do.
  if (!body.fails && body.text.size() <= kShort) return {.text = "{" + body.text + "}"};
  functions_ += fmt::format("FUNCTION {} {}({}){{{}{}}}\n", body.fails ? "int" : "void", name,
                            parameters, body.text, body.fails ? "return kYes;" : "");
  return {.text = fmt::format("{}({})", name, arguments), .fails = body.fails};
}

void TransitionSource::write_guard(Functions& functions, const Transition& transition,
                                   const std::string& suffix) {
  if (!transition.guard) return;
  const Snippet code = expressions_.expression(*transition.guard, ReadScope{});
  if (!code.fails) {
    if (!code.values.contains(0)) return;
    functions.guard.never = code.values == ValueRange{0, 0};
    functions.guard.text = code.text;
    if (!is_rendezvous(transition) || code.text.size() <= kShort) return;
  }
  const std::string name = "guard" + suffix;
  functions_ +=
      fmt::format("FUNCTION int {}(const u8*s,View*v){{return {}!=0;}}\n", name, code.text);
  functions.guard = {.text = name + "(s,v)", .fails = code.fails};
}

void TransitionSource::write_values(Functions& functions, const Transition& transition,
                                    const std::string& suffix) {
  Body body;
  std::vector<Snippet>& message = messages_[transition.channel];
  const Channel& channel = program_.channels[transition.channel];
  for (std::size_t i = 0; i < transition.sent.size(); ++i) {
    Snippet value = evaluate(body, transition.sent[i], ReadScope{});
    if (channel.typed) value = convert(body, value, channel.items[i], transition.sent_sites[i]);
    if (i == message.size()) message.push_back(value);
    message[i].values = join(message[i].values, value.values);
    body.text += fmt::format("m.v{}={};", i, value.text);
  }
  functions.values =
      define("values" + suffix,
             fmt::format("const u8*s,View*v,{}&m", message_type(transition.channel)).c_str(),
             "s,v,m", body);
}

void TransitionSource::write_effect(Functions& functions, const Transition& transition,
                                    const std::string& suffix) {
  Body body;
  const bool rendezvous = is_rendezvous(transition);
  // The receiver's effects come before the sender's; those of a synchronous system in the order of
  // the processes.
  ReadScope scope(transition.process,
                  program_.synchronous || (rendezvous && transition.sync == SyncKind::kSend));
  if (transition.sync == SyncKind::kSend && !rendezvous) append_to_channel(body, transition);
  if (transition.sync == SyncKind::kReceive) {
    std::vector<std::string> places;
    for (const Lvalue& target : transition.received)
      places.push_back(place(body, target, ReadScope{}));
    std::vector<Snippet> message;
    if (rendezvous) {
      message = messages_[transition.channel];
      for (std::size_t i = 0; i < message.size(); ++i) message[i].text = fmt::format("m.v{}", i);
    } else {
      message = take_from_channel(body, program_.channels[transition.channel]);
    }
    // Nobody may send on the channel: then there is no message and no event.
    for (std::size_t i = 0; i < std::min(message.size(), transition.received.size()); ++i) {
      store(body, transition.received[i], places[i], message[i]);
      scope.write(transition.received[i].variable);
    }
  }
  for (const Assignment& assignment : transition.effects) {
    const std::string where = place(body, assignment.target, scope);
    store(body, assignment.target, where, evaluate(body, assignment.value, scope));
    scope.write(assignment.target.variable);
  }
  if (rendezvous && transition.sync == SyncKind::kReceive) {
    functions.effect =
        define("effect" + suffix,
               fmt::format("const u8*s,u8*d,View*v,{} m", message_type(transition.channel)).c_str(),
               "s,d,v,m", body);
  } else {
    functions.effect = define("effect" + suffix, "const u8*s,u8*d,View*v", "s,d,v", body);
  }
}

Snippet TransitionSource::evaluate(Body& body, const Expr& expr, const ReadScope& scope) {
  Snippet code = expressions_.expression(expr, scope);
  body.fails = body.fails || code.fails;
  if (expr.op == Op::kConstant) return code;
  const std::string name = expressions_.name('x');
  body.text += fmt::format("{} {}={};", ExpressionSource::type_of(code.values), name, code.text);
  code.text = name;
  return code;
}

std::string TransitionSource::place(Body& body, const Lvalue& target, const ReadScope& scope) {
  const Variable& variable = program_.variables[target.variable];
  if (!target.index) return std::to_string(variable.offset);
  const Snippet index = evaluate(body, *target.index, scope);
  const std::string check =
      ExpressionSource::index_check(index, variable.length, target.index_site);
  body.fails = body.fails || !check.empty();
  body.text += check;
  return fmt::format("{}+{}{}", variable.offset, variable.type == Type::kInt ? "2*" : "",
                     index.text);
}

Snippet TransitionSource::convert(Body& body, const Snippet& value, Type type, std::uint32_t site) {
  const std::string outside =
      site == kNoSite ? std::string() : ExpressionSource::outside(value, type);
  if (outside.empty()) return value;
  Snippet out = value;
  out.values = {range_of(type).min, range_of(type).max};
  if (range_errors_ == RangeErrors::kWrap) {
    body.text += fmt::format("v->wraps+={};", outside);
    out.text = fmt::format("(int)({}){}", type == Type::kByte ? "u8" : "short", value.text);
  } else {
    body.text += fmt::format("if({})FAULT({},{});", outside, site, value.text);
    body.fails = true;
    out.text = fmt::format("(int){}", value.text);
  }
  return out;
}

void TransitionSource::store(Body& body, const Lvalue& target, const std::string& place,
                             const Snippet& value) {
  const Type type = program_.variables[target.variable].type;
  const Snippet stored = convert(body, value, type, target.store_site);
  body.text += type == Type::kByte ? fmt::format("d[{}]={};", place, stored.text)
                                   : fmt::format("store16(d+{},{});", place, stored.text);
}

void TransitionSource::append_to_channel(Body& body, const Transition& transition) {
  const Channel& channel = program_.channels[transition.channel];
  std::vector<std::string> items;
  for (std::size_t i = 0; i < transition.sent.size(); ++i) {
    const Snippet value = evaluate(body, transition.sent[i], ReadScope{});
    const Snippet item = convert(body, value, channel.items[i], transition.sent_sites[i]);
    items.push_back(item.text);
  }
  const std::string end = expressions_.name('p');
  body.text += fmt::format("u8*{}=d+{}+{}*s[{}];", end, channel.offset + 1, channel.message_bytes,
                           channel.offset);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    body.text += channel.items[i] == Type::kByte
                     ? fmt::format("{}[{}]={};", end, offset, items[i])
                     : fmt::format("store16({}+{},{});", end, offset, items[i]);
    offset += bytes_of(channel.items[i]);
  }
  body.text += fmt::format("d[{0}]=s[{0}]+1;", channel.offset);
}

std::vector<Snippet> TransitionSource::take_from_channel(Body& body, const Channel& channel) {
  std::vector<Snippet> message;
  std::size_t offset = channel.offset + 1;
  for (const Type type : channel.items) {
    const std::string name = expressions_.name('x');
    body.text += type == Type::kByte ? fmt::format("int {}=s[{}];", name, offset)
                                     : fmt::format("int {}=load16(s+{});", name, offset);
    message.push_back({.text = name, .values = {range_of(type).min, range_of(type).max}});
    offset += bytes_of(type);
  }
  const std::size_t first = channel.offset + 1;
  const std::size_t rest = (channel.capacity - 1) * channel.message_bytes;
  body.text += fmt::format("d[{0}]=s[{0}]-1;", channel.offset);
  if (rest != 0) {
    body.text +=
        fmt::format("__builtin_memmove(d+{},s+{},{});", first, first + channel.message_bytes, rest);
  }
  if (channel.message_bytes != 0) {
    body.text += fmt::format("__builtin_memset(d+{},0,{});", first + rest, channel.message_bytes);
  }
  return message;
}

}  // namespace comback::dve

#include <fmt/format.h>

#include <map>
#include <vector>

#include "models/dve/system_source.h"

namespace comback::dve {
namespace {

class Asynchronous {
 public:
  Asynchronous(const Program& program, const TransitionSource& transitions)
      : program_(program), transitions_(transitions) {}

  std::string successors(RangeErrors range_errors) const;
  std::string execute(RangeErrors range_errors) const;

 private:
  const Transition& transition_of(const StaticEvent& event) const {
    return program_.processes[event.process].transitions[event.transition];
  }
  const Transition& sender_of(const StaticEvent& event) const {
    return program_.processes[event.sender].transitions[event.sender_transition];
  }
  bool committed(const Transition& t) const {
    return program_.processes[t.process].locations[t.source].committed;
  }
  // Behind the last event of the same transition.
  std::size_t end_of_transition(std::size_t event) const;

  std::string carry_out(const StaticEvent& event, const std::string& leave) const;
  std::string successor(std::size_t number) const;
  std::string transition(std::size_t first, std::size_t last) const;
  std::string partners(std::size_t first, std::size_t last, bool receiver_fails) const;
  std::string any_committed() const;

  const Program& program_;
  const TransitionSource& transitions_;
};

// "f(...);", left by `leave` where it fails.
std::string statement(const Call& call, const std::string& leave) {
  if (call.text.empty()) return {};
  return call.fails ? fmt::format("if({}==kFault){{{};}}", call.text, leave) : call.text + ";";
}

// kNo, kYes or kFault.
std::string outcome(const Call& guard) {
  if (guard.text.empty()) return "(int)kYes";
  return guard.fails ? guard.text : fmt::format("(int)({}!=0)", guard.text);
}

// `then` where `guard` holds; the fault of event `number` where it fails.
std::string guarded(const Call& guard, std::size_t number, const std::string& then) {
  if (guard.text.empty()) return then;
  if (!guard.fails) return fmt::format("if({}){}", guard.text, then);
  return fmt::format("{{int g={0};if(g==kYes){1}else if(g==kFault)c=faulted(c,v,{2});}}",
                     guard.text, then, number);
}

std::size_t Asynchronous::end_of_transition(std::size_t event) const {
  std::size_t end = event;
  while (end < program_.events.size() &&
         program_.events[end].process == program_.events[event].process &&
         program_.events[end].transition == program_.events[event].transition) {
    ++end;
  }
  return end;
}

// From s to d, without guards, with the moves.
std::string Asynchronous::carry_out(const StaticEvent& event, const std::string& leave) const {
  std::string out;
  std::string moves = move_text(program_.processes[event.process], transition_of(event).target);
  if (event.sender != kGlobal) {
    out += TransitionSource::message_type(transition_of(event).channel) + " m;";
    out += statement(transitions_.values(event.sender, event.sender_transition), leave);
    moves += move_text(program_.processes[event.sender], sender_of(event).target);
  }
  out += statement(transitions_.effect(event.process, event.transition), leave);
  if (event.sender != kGlobal) {
    out += statement(transitions_.effect(event.sender, event.sender_transition), leave);
  }
  return out + moves;
}

std::string Asynchronous::successor(std::size_t number) const {
  const std::string leave = fmt::format("c=faulted(c,v,{});break", number);
  return fmt::format("do{{u8*d=c.d;copy(d,s);{0}c=push(c,{1});}}while(0);",
                     carry_out(program_.events[number], leave), number);
}

// The events [first, last): all of one transition.
std::string Asynchronous::transition(std::size_t first, std::size_t last) const {
  const StaticEvent& event = program_.events[first];
  const Transition& t = transition_of(event);
  const Call& guard = transitions_.guard(event.process, event.transition);
  if (guard.never) return {};
  if (event.sender == kGlobal) {
    const std::string out = guarded(guard, first, successor(first));
    if (t.sync == SyncKind::kNone) return out;
    const Channel& channel = program_.channels[t.channel];
    return t.sync == SyncKind::kSend
               ? fmt::format("if(s[{}]<{}){{{}}}", channel.offset, channel.capacity, out)
               : fmt::format("if(s[{}]>0){{{}}}", channel.offset, out);
  }
  const std::string senders = partners(first, last, guard.fails);
  if (senders.empty() || guard.text.empty()) return senders;
  if (!guard.fails) return fmt::format("if({}){{{}}}", guard.text, senders);
  // The receiver's fault is one of each event, and none at all where no sender is ready.
  return fmt::format("{{int r={};if(r!=kNo){{{}}}forget(v);}}", guard.text, senders);
}

// The senders that meet one receiving transition: by their processes, and then by where these are,
// so that it takes one jump for a process to find out. With `receiver_fails`, r tells how the
// receiver's guard went.
std::string Asynchronous::partners(std::size_t first, std::size_t last, bool receiver_fails) const {
  std::string out;
  for (std::size_t i = first; i < last;) {
    const std::uint32_t sender = program_.events[i].sender;
    std::map<std::uint32_t, std::string> by_location;
    for (; i < last && program_.events[i].sender == sender; ++i) {
      const StaticEvent& event = program_.events[i];
      // A committed process goes before the others, so it cannot meet one of them.
      if (committed(transition_of(event)) != committed(sender_of(event))) continue;
      Call guard = transitions_.guard(sender, event.sender_transition);
      if (receiver_fails) {
        guard.text = fmt::format("r==kFault?(int)kFault:{}", outcome(guard));
        guard.fails = true;
      } else if (guard.never) {
        continue;
      }
      by_location[sender_of(event).source] += guarded(guard, i, successor(i));
    }
    if (by_location.empty()) continue;
    out += fmt::format("switch({}){{", location_text(program_.processes[sender]));
    for (const auto& [where, text] : by_location) {
      out += fmt::format("case {}:{}break;\n", where, text);
    }
    out += "}";
  }
  return out;
}

std::string Asynchronous::any_committed() const {
  std::string out = "bool committed=false;\n";
  for (const Process& process : program_.processes) {
    std::string cases;
    for (std::size_t where = 0; where < process.locations.size(); ++where) {
      if (process.locations[where].committed) cases += fmt::format("case {}:", where);
    }
    if (cases.empty()) continue;
    out += fmt::format("switch({}){{{}committed=true;}}\n", location_text(process), cases);
  }
  return out;
}

// One jump for every process, to a function with all events of its location in their order.
std::string Asynchronous::successors(RangeErrors range_errors) const {
  std::vector<std::map<std::uint32_t, std::string>> by_location(program_.processes.size());
  for (std::size_t first = 0; first < program_.events.size();) {
    const std::size_t last = end_of_transition(first);
    const StaticEvent& event = program_.events[first];
    const std::string text = transition(first, last);
    if (!text.empty()) by_location[event.process][transition_of(event).source] += text + "\n";
    first = last;
  }
  const char* parameter = program_.has_committed ? ",bool committed" : "";
  const char* argument = program_.has_committed ? ",committed" : "";
  std::string functions;
  std::string jumps;
  for (std::size_t p = 0; p < by_location.size(); ++p) {
    if (by_location[p].empty()) continue;
    const Process& process = program_.processes[p];
    jumps += fmt::format("switch({}){{\n", location_text(process));
    for (const auto& [where, text] : by_location[p]) {
      const bool waits = program_.has_committed && !process.locations[where].committed;
      functions += fmt::format(
          "static Cursor at{}_{}(const u8*__restrict s,Cursor c,View*v{}){{{}{}return c;}}\n", p,
          where, parameter, waits ? "if(committed)return c;" : "", text);
      jumps += fmt::format("case {1}:c=at{0}_{1}(s,c,v{2});break;\n", p, where, argument);
    }
    jumps += "}\n";
  }
  return functions + begin_successors(program_, range_errors) +
         (program_.has_committed ? any_committed() : std::string()) + jumps +
         "v->count=(u32)(c.e-v->events);\n}\n";
}

// Guards are evaluated only where one that fails leads to the error state.
std::string Asynchronous::execute(RangeErrors range_errors) const {
  const std::string leave = "broken(d);return";
  std::string out = R"(
void execute(u8* d, u32 event) {
  const u8* s = d;
  View scratch;
  View* v = &scratch;
  v->faulted = 1;
  v->wraps = 0;
  switch (event) {
)";
  for (std::size_t e = 0; e < program_.events.size(); ++e) {
    const StaticEvent& event = program_.events[e];
    out += fmt::format("case {}:{{", e);
    if (has_error_state(range_errors)) {
      const Call& guard = transitions_.guard(event.process, event.transition);
      if (guard.fails) out += statement(guard, leave);
      if (event.sender != kGlobal) {
        const Call& other = transitions_.guard(event.sender, event.sender_transition);
        if (other.fails) out += statement(other, leave);
      }
    }
    out += carry_out(event, leave) + "break;}\n";
  }
  return out + "}\n}\n";
}

}  // namespace

std::string asynchronous_system(const Program& program, RangeErrors range_errors,
                                const TransitionSource& transitions) {
  const Asynchronous system(program, transitions);
  return system.successors(range_errors) + system.execute(range_errors);
}

}  // namespace comback::dve

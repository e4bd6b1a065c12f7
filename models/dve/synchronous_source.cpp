#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/dve/system_source.h"

namespace comback::dve {
namespace {

// For process number p: enabledP fills in what it can do in s, with a mark on a transition whose
// guard fails; judgeP records the fault of such a one; stepP has a transition's effects, and moveP
// its move.
std::string process_functions(const Process& process, std::uint32_t p,
                              const TransitionSource& transitions) {
  std::map<std::uint32_t, std::string> by_location;
  std::string guards;
  std::string effects;
  std::string moves;
  for (std::uint32_t t = 0; t < process.transitions.size(); ++t) {
    const Transition& transition = process.transitions[t];
    const Call& guard = transitions.guard(p, t);
    std::string& enabled = by_location[transition.source];
    if (guard.fails) {
      enabled += fmt::format("if(int g={})l[n++]=g==kFault?{}u|kMark:{}u;", guard.text, t, t);
      guards += fmt::format("case {}:return {};\n", t, guard.text);
    } else {
      const std::string add = fmt::format("l[n++]={};", t);
      enabled += guard.text.empty() ? add : fmt::format("if({}){}", guard.text, add);
    }
    const Call& effect = transitions.effect(p, t);
    if (!effect.text.empty()) {
      effects += effect.fails ? fmt::format("case {}:return {};\n", t, effect.text)
                              : fmt::format("case {}:{};break;\n", t, effect.text);
    }
    moves += fmt::format("case {}:{}break;\n", t, move_text(process, transition.target));
  }
  std::string cases;
  for (const auto& [where, text] : by_location) {
    cases += fmt::format("case {}:{}break;\n", where, text);
  }
  return fmt::format(
      "static u32 enabled{0}(const u8*s,View*v,u32*l){{u32 n=0;switch({1}){{\n{2}}}return n;}}\n"
      "static int judge{0}(const u8*s,View*v,u32 t){{switch(t){{\n{3}}}return kYes;}}\n"
      "static int step{0}(const u8*s,u8*d,View*v,u32 t){{switch(t){{\n{4}}}return kYes;}}\n"
      "static void move{0}(u8*d,u32 t){{switch(t){{\n{5}}}}}\n",
      p, location_text(process), cases, guards, effects, moves);
}

// The last process's choice changes fastest.
constexpr const char* kCombinations = R"(
  u32 l[kProcesses][kMost], n[kProcesses], at[kProcesses] = {};
  if (!list(s, l, n)) return;
  for (u32 event = 0;; ++event) {
    copy(c.d, s);
    c = combine(s, c.d, v, l, at) == kFault ? faulted(c, v, event) : push(c, event);
    u32 p = kProcesses;
    while (p > 0 && ++at[p - 1] == n[p - 1]) at[--p] = 0;
    if (p == 0) break;
  }
  v->count = (u32)(c.e - v->events);
}
void execute(u8* d, u32 event) {
  View scratch;
  scratch.faulted = 1;
  scratch.wraps = 0;
  u32 l[kProcesses][kMost], n[kProcesses], at[kProcesses];
  if (!list(d, l, n)) return;
  for (u32 p = kProcesses; p-- > 0; event /= n[p]) at[p] = event % n[p];
  if (combine(d, d, &scratch, l, at) == kFault) broken(d);
}
)";

}  // namespace

std::string synchronous_system(const Program& program, RangeErrors range_errors,
                               const TransitionSource& transitions) {
  std::size_t most = 1;
  std::string functions;
  std::string lists;
  std::string faults;
  std::string steps;
  std::string moves;
  for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
    most = std::max(most, program.processes[p].transitions.size());
    functions += process_functions(program.processes[p], p, transitions);
    lists += fmt::format("if((n[{0}]=enabled{0}(s,&scratch,l[{0}]))==0)return false;\n", p);
    const std::string chosen = fmt::format("l[{0}][at[{0}]]", p);
    faults += fmt::format("if({0}&kMark)return judge{1}(s,v,{0}&~kMark);\n", chosen, p);
    steps += fmt::format("if(step{1}(s,d,v,{0})==kFault)return kFault;\n", chosen, p);
    moves += fmt::format("move{1}(d,{0});\n", chosen, p);
  }
  return fmt::format("enum : u32 {{ kMark = 0x80000000u, kProcesses = {}, kMost = {} }};\n",
                     program.processes.size(), most) +
         functions +
         // Whether every process can do something; l and n say what. A guard's fault is recorded
         // only when a combination with it is reached.
         "static bool list(const u8*s,u32 l[][kMost],u32*n){View scratch;scratch.faulted=1;\n" +
         lists + "return true;}\n" +
         "static int combine(const u8*s,u8*d,View*v,const u32 l[][kMost],const u32*at){\n" +
         faults + steps + moves + "return kYes;}\n" + begin_successors(program, range_errors) +
         kCombinations;
}

}  // namespace comback::dve

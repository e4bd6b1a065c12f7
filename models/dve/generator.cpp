#include "models/dve/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "models/dve/arithmetic.h"
#include "models/dve/system_source.h"

namespace comback::dve {
namespace {

// The generated text declares these anew, as View and Fault.
using View = SuccessorBuffer::View;
static_assert(sizeof(View) == 48 && sizeof(Fault) == 16);
static_assert(offsetof(View, descriptors) == 0 && offsetof(View, events) == 8);
static_assert(offsetof(View, count) == 16 && offsetof(View, faulted) == 20);
static_assert(offsetof(View, fault) == 24 && offsetof(View, wraps) == 40);
static_assert(offsetof(Fault, event) == 0 && offsetof(Fault, site) == 4);
static_assert(offsetof(Fault, value) == 8);

constexpr const char* kTypes = R"(
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
struct Fault { u32 event; u32 site; i64 value; };
struct View { u8* descriptors; u32* events; u32 count; u32 faulted; Fault fault; u64 wraps; };
struct Table {
  u32 abi;
  u32 width;
  void (*successors)(const u8*, View*);
  void (*execute)(u8*, u32);
  int (*failed_assertion)(const u8*);
};
namespace {
#define SMALL static inline __attribute__((always_inline))
#define FUNCTION static inline
#define RARE static __attribute__((noinline, cold))
enum { kNo = 0, kYes = 1, kFault = 2 };
SMALL int load8u(const u8* p) { return *p; }
SMALL int load16u(const u8* p) { u16 x; __builtin_memcpy(&x, p, 2); return x; }
SMALL int load16(const u8* p) { short x; __builtin_memcpy(&x, p, 2); return x; }
SMALL void store16(u8* p, i64 value) { u16 x = (u16)value; __builtin_memcpy(p, &x, 2); }
)";

constexpr std::size_t kShortCopy = 96;
constexpr const char* kCopyShort = R"(
SMALL void copy(u8* __restrict d, const u8* __restrict s) { __builtin_memcpy(d, s, kWidth); }
)";
// Compilers make a slow string instruction or very much code from a long memcpy.
constexpr const char* kCopyLong = R"(
typedef char Block __attribute__((vector_size(32), aligned(1), may_alias));
static __attribute__((noinline)) void copy(u8* __restrict d, const u8* __restrict s) {
  for (int i = 0; i + 32 <= kWidth; i += 32) *(Block*)(d + i) = *(const Block*)(s + i);
  *(Block*)(d + kWidth - 32) = *(const Block*)(s + kWidth - 32);
}
)";

// The end of the successors found so far. By value, so that it stays in registers.
constexpr const char* kSuccessorList = R"(
struct Cursor { u8* d; u32* e; };
SMALL Cursor push(Cursor c, u32 event) { *c.e = event; return Cursor{c.d + kWidth, c.e + 1}; }
)";

// A fault is recorded when it happens and gets its event from whoever knows it. Only the first is
// kept; kPending marks one that has no event yet.
constexpr const char* kFaultsStop = R"(
enum { kPending = 2 };
RARE int fail(View* v, u32 site, i64 value) {
  if (v->faulted == 0) { v->fault.site = site; v->fault.value = value; v->faulted = kPending; }
  return kFault;
}
#undef FAULT
#define FAULT(site, value) return fail(v, site, value)
RARE Cursor faulted(Cursor c, View* v, u32 event) {
  if (v->faulted == kPending) { v->fault.event = event; v->faulted = 1; }
  return c;
}
SMALL void forget(View* v) { if (v->faulted == kPending) v->faulted = 0; }
SMALL void broken(u8*) {}
)";

constexpr const char* kFaultsErrorState = R"(
#undef FAULT
#define FAULT(site, value) return kFault
RARE Cursor faulted(Cursor c, View*, u32 event) { broken(c.d); return push(c, event); }
SMALL void forget(View*) {}
)";

void append_constant_array(std::string& out, const Variable& variable, std::size_t number) {
  const auto [min, max] = std::minmax_element(variable.initial.begin(), variable.initial.end());
  out += fmt::format("const {} k{}[]={{", ExpressionSource::type_of({*min, *max}), number);
  for (const std::int64_t value : variable.initial) out += ExpressionSource::literal(value) + ",";
  out += "};\n";
}

// What all programs of this width and range errors share, and the constant arrays.
std::string prelude(const Program& program, RangeErrors range_errors) {
  std::string out = kTypes;
  out += kArithmeticSource;
  out += fmt::format("\nenum {{ kWidth = {} }};\n", program.width);
  out += program.width <= kShortCopy ? kCopyShort : kCopyLong;
  out += kSuccessorList;
  if (has_error_state(range_errors)) {
    const Process& first = program.processes.front();
    out += fmt::format("RARE void broken(u8*d){{__builtin_memset(d,0,kWidth);{}}}",
                       move_text(first, first.locations.size()));
    out += kFaultsErrorState;
  } else {
    out += kFaultsStop;
  }
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    if (variable.constant && variable.length != 0) append_constant_array(out, variable, v);
  }
  return out;
}

std::string assertions(const Program& program, ExpressionSource& expressions) {
  std::string functions;
  std::string tests;
  for (std::size_t a = 0; a < program.assertions.size(); ++a) {
    const Assertion& assertion = program.assertions[a];
    const Snippet condition = expressions.expression(assertion.condition, ReadScope{});
    functions += fmt::format("FUNCTION int assertion{}(const u8*s,View*v){{return {}!=0;}}\n", a,
                             condition.text);
    tests +=
        fmt::format("if({}=={}&&assertion{}(s,v)!=kYes)return {};\n",
                    location_text(program.processes[assertion.process]), assertion.location, a, a);
  }
  return functions +
         "int failed_assertion(const u8* s){View scratch;View*v=&scratch;v->faulted=1;\n" + tests +
         "return -1;}\n";
}

}  // namespace

std::string location_text(const Process& process) {
  return fmt::format("{}(s+{})", process.location_bytes == 1 ? "load8u" : "load16u",
                     process.offset);
}

std::string move_text(const Process& process, std::size_t target) {
  return process.location_bytes == 1 ? fmt::format("d[{}]={};", process.offset, target)
                                     : fmt::format("store16(d+{},{});", process.offset, target);
}

std::string begin_successors(const Program& program, RangeErrors range_errors) {
  std::string out = "void successors(const u8* s,View* v){\nv->count=0;v->faulted=0;\n";
  if (range_errors == RangeErrors::kTerminal) {
    const Process& first = program.processes.front();
    out += fmt::format("if({}=={})return;\n", location_text(first), first.locations.size());
  }
  return out + "Cursor c={v->descriptors,v->events};\n";
}

std::string generate_source(const Program& program, RangeErrors range_errors,
                            std::string_view symbol) {
  TransitionSource transitions(program, range_errors);
  std::string out = prelude(program, range_errors) + transitions.functions();
  out += program.synchronous ? synchronous_system(program, range_errors, transitions)
                             : asynchronous_system(program, range_errors, transitions);
  out += assertions(program, transitions.expressions());
  out += fmt::format(
      "}}\nextern \"C\" __attribute__((visibility(\"default\"))) const Table {0};\n"
      "const Table {0}={{{1},{2},successors,execute,failed_assertion}};\n",
      symbol, kCodeAbi, program.width);
  return out;
}

}  // namespace comback::dve

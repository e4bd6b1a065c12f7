#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"

// A DVE model after parsing and checking: every name resolved, every constant folded, the layout
// of the descriptor chosen, the events numbered. What the interpreter, the generator of native code
// and the questions of models/model.h are answered from.

namespace comback::dve {

// Bytes [begin, end) of Program::source.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

enum class Type : std::uint8_t { kByte, kInt };

struct TypeRange {
  std::int64_t min;
  std::int64_t max;
};
inline constexpr TypeRange range_of(Type type) {
  return type == Type::kByte ? TypeRange{0, 255} : TypeRange{-32768, 32767};
}
inline constexpr std::size_t bytes_of(Type type) { return type == Type::kByte ? 1 : 2; }

// A variable of the state, or a constant array. The values of a constant array may lie outside its
// type; those of a variable never do.
struct Variable {
  std::string name;  // without its process
  Type type = Type::kByte;
  std::uint32_t process = kGlobal;
  std::uint32_t length = 0;           // elements of an array; 0 for a scalar
  bool constant = false;              // not in the descriptor
  std::vector<std::int64_t> initial;  // max(1, length) values
  std::size_t offset = 0;             // in the descriptor, of element 0; ints are little endian
  SourceRange where;
};

// A scalar constant: folded away wherever the model uses it, kept for predicates.
struct ScalarConstant {
  std::string name;
  std::uint32_t process = kGlobal;
  std::int64_t value = 0;
};

// Rendezvous where capacity == 0. Otherwise the descriptor holds one byte for the number of items,
// then `capacity` items, the oldest first; unused ones are zero.
struct Channel {
  std::string name;
  bool typed = false;       // untyped: zero or one value of any type per message
  std::vector<Type> items;  // of one message, where typed
  std::uint32_t capacity = 0;
  std::size_t offset = 0;  // of the count, where buffered
  std::size_t message_bytes = 0;
  SourceRange where;
};

// A place where the model can fail at run time; Fault::site is an index into Program::sites.
struct Site {
  enum class Kind : std::uint8_t { kIndex, kDivision, kStore };
  Kind kind = Kind::kIndex;
  SourceRange where;
  // Of kIndex and kStore. For kStore into a channel the variable is kGlobal and `type` tells.
  std::uint32_t variable = kGlobal;
  Type type = Type::kByte;
};
inline constexpr std::uint32_t kNoSite = Fault::kNone;

enum class Op : std::uint8_t {
  kConstant,  // value
  kVariable,  // scalar `variable`
  kElement,   // `variable`[args[0]]; may fail at `site`
  kAt,        // 1 where process `process` is at location `location`, else 0
  kNegate,
  kNot,         // logical
  kComplement,  // ~
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,     // may fail at `site`
  kRemainder,  // may fail at `site`
  kShiftLeft,
  kShiftRight,
  kBitAnd,
  kBitOr,
  kBitXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,    // the right side is evaluated only where the left is not zero
  kOr,     // ... is zero
  kImply,  // ... is not zero
};

// All arithmetic is that of models/dve/arithmetic.h: 64 bits, two's complement, total except for
// division by zero. At most kMaxDepth expressions are nested, so recursion over them is safe.
struct Expr {
  static constexpr std::size_t kMaxDepth = 1000;

  Op op = Op::kConstant;
  std::int64_t value = 0;
  std::uint32_t variable = 0;
  std::uint32_t process = 0;
  std::uint32_t location = 0;
  std::uint32_t site = kNoSite;  // kNoSite where it cannot fail, e.g. a constant index in range
  std::vector<Expr> args;        // operands, left to right
  SourceRange where;
};

struct Lvalue {
  std::uint32_t variable = 0;
  std::optional<Expr> index;           // of an array
  std::uint32_t index_site = kNoSite;  // kNoSite where the index cannot be out of range
  std::uint32_t store_site = kNoSite;  // kNoSite where the stored value cannot leave the type
  SourceRange where;
};

struct Assignment {
  Lvalue target;
  Expr value;
  SourceRange where;
};

enum class SyncKind : std::uint8_t { kNone, kSend, kReceive };

struct Transition {
  std::uint32_t process = 0;
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::optional<Expr> guard;
  SyncKind sync = SyncKind::kNone;
  std::uint32_t channel = 0;
  std::vector<Expr> sent;                 // kSend
  std::vector<std::uint32_t> sent_sites;  // as long as `sent`: of storing into the channel's type
  std::vector<Lvalue> received;           // kReceive
  std::vector<Assignment> effects;
  std::uint32_t line = 0;
  SourceRange where;
};

struct Assertion {
  std::uint32_t process = 0;
  std::uint32_t location = 0;
  Expr condition;
  SourceRange where;
};

struct Location {
  std::string name;
  bool committed = false;
  bool accepting = false;
};

struct Process {
  std::string name;
  std::uint32_t initial = 0;
  std::vector<Location> locations;
  std::vector<Transition> transitions;  // in declaration order
  std::size_t offset = 0;               // of its location in the descriptor
  std::size_t location_bytes = 1;       // 2 where there are more than 255 locations
  SourceRange where;
};

// A static event of an asynchronous system: a transition alone, or the two of a rendezvous.
// Event numbers are indices into Program::events: processes in declaration order, then transitions
// in declaration order; a rendezvous stands at its receiving transition, with the matching senders
// in declaration order (DVE.md section 4).
struct StaticEvent {
  std::uint32_t process = 0;
  std::uint32_t transition = 0;
  std::uint32_t sender = kGlobal;  // of a rendezvous
  std::uint32_t sender_transition = 0;
};

struct Program {
  std::string name;    // the file's name without its folders
  std::string file;    // as the user named it
  std::string source;  // the whole text

  std::vector<Variable> variables;
  std::vector<ScalarConstant> constants;
  std::vector<Channel> channels;
  std::vector<Process> processes;  // without the property process
  std::vector<Assertion> assertions;

  // The property process: parsed and kept, but not part of the state; offsets in it mean nothing.
  // Its own variables have the numbers from variables.size() on.
  std::optional<Process> property;
  std::vector<Variable> property_variables;
  bool synchronous = false;  // system sync
  bool has_committed = false;

  std::vector<StaticEvent> events;  // empty where synchronous
  std::vector<Site> sites;
  std::size_t width = 0;           // bytes of a descriptor
  std::size_t max_successors = 0;  // of any one state, in every mode of range errors

  std::string_view text(SourceRange range) const {
    return std::string_view(source).substr(range.begin, range.end - range.begin);
  }
  // Line and column, from 1, of a byte of the source.
  std::array<std::uint32_t, 2> line_and_column(std::uint32_t offset) const;
};

}  // namespace comback::dve

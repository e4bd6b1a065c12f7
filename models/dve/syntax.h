#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "models/dve/program.h"

// A model as it is written: names are not looked up, nothing is known to make sense. Names are
// views of the text.

namespace comback::dve::syntax {

struct Name {
  std::string_view text;
  SourceRange where;
};

struct Expression {
  enum class Form : std::uint8_t {
    kNumber,    // value
    kName,      // name
    kElement,   // name[args[0]]
    kMember,    // process.name, or process.name[args[0]]
    kForeign,   // process->name, or process->name[args[0]]
    kOperator,  // op over args
  };
  Form form = Form::kNumber;
  Op op = Op::kConstant;
  std::uint32_t depth = 1;  // of the tree below, this node included
  std::int64_t value = 0;
  Name name;
  Name process;
  std::vector<Expression> args;
  SourceRange where;  // with its parentheses
};

struct VariableDeclaration {
  bool constant = false;
  Type type = Type::kByte;
  Name name;
  std::optional<std::uint32_t> length;
  std::vector<Expression> initial;  // empty: not given
};

struct ChannelDeclaration {
  Name name;
  bool typed = false;
  std::vector<Type> items;
  std::uint32_t capacity = 0;
};

using Declaration = std::variant<VariableDeclaration, ChannelDeclaration>;

struct Sync {
  SyncKind kind = SyncKind::kNone;
  Name channel;
  std::vector<Expression> values;  // of a receive: kName or kElement
  SourceRange where;
};

struct Assignment {
  Expression target;  // kName or kElement
  Expression value;
  SourceRange where;
};

struct Transition {
  Name source;  // of the transition before, where it is left out
  Name target;
  std::optional<Expression> guard;
  std::optional<Sync> sync;
  std::vector<Assignment> effects;
  SourceRange where;
};

struct Assertion {
  Name location;
  Expression condition;
  SourceRange where;
};

struct Process {
  Name name;
  std::vector<VariableDeclaration> variables;
  std::vector<Name> locations;
  std::optional<Name> initial;
  std::vector<Name> committed;
  std::vector<Name> accepting;
  std::vector<Assertion> assertions;
  std::vector<Transition> transitions;
  SourceRange where;
};

struct System {
  std::vector<Declaration> declarations;  // global ones
  std::vector<Process> processes;
  bool synchronous = false;
  std::optional<Name> property;
  SourceRange where;  // the word "system"
};

}  // namespace comback::dve::syntax

#include "models/dve/parser.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/dve/cursor.h"
#include "models/dve/expression_parser.h"
#include "models/dve/section_order.h"
#include "models/dve/transition_parser.h"

namespace comback::dve {
namespace {

using syntax::Expression;
using syntax::Name;

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Report& report)
      : cursor_(tokens, report), transitions_(cursor_) {}

  syntax::System system() {
    syntax::System out;
    while (!cursor_.give_up()) {
      switch (cursor_.kind()) {
        case TokenKind::kConst:
        case TokenKind::kByte:
        case TokenKind::kInt:
          variables([&](auto variable) { out.declarations.emplace_back(std::move(variable)); });
          break;
        case TokenKind::kChannel:
          channels(out);
          break;
        case TokenKind::kProcess:
          out.processes.push_back(process());
          break;
        case TokenKind::kSystem:
          composition(out);
          return out;
        case TokenKind::kEnd:
          cursor_.fail_expected("'system async;' behind the last process",
                                "a model ends with 'system async;' or 'system sync;'");
          return out;
        default:
          cursor_.fail_expected("a declaration, a process, or 'system'");
      }
      if (cursor_.lost()) {
        cursor_.recover({TokenKind::kSemicolon, TokenKind::kProcess, TokenKind::kSystem,
                         TokenKind::kChannel, TokenKind::kConst});
        cursor_.accept(TokenKind::kSemicolon);
        // The rest of what was lost, and no more than that, may be a closing brace.
        cursor_.accept(TokenKind::kRightBrace);
      }
    }
    return out;
  }

  Expression lone_expression() {
    Expression out = expression();
    if (!cursor_.lost() && !cursor_.at(TokenKind::kEnd)) {
      cursor_.fail_expected("an operator or the end",
                            cursor_.at(TokenKind::kAssign) ? "'==' compares" : "");
    }
    return out;
  }

 private:
  Expression expression() { return ExpressionParser(cursor_).expression(); }

  std::vector<Name> names(std::string_view what) {
    std::vector<Name> out;
    do {
      out.push_back(cursor_.expect_name(what));
    } while (cursor_.accept(TokenKind::kComma));
    return out;
  }

  // --- declarations ---

  // ["const"] ("byte" | "int") NAME ..., NAME ... ;
  template <class Take>
  void variables(Take take) {
    const bool constant = cursor_.accept(TokenKind::kConst);
    const Type type = this->type();
    do {
      take(variable(constant, type));
    } while (cursor_.accept(TokenKind::kComma));
    cursor_.expect(TokenKind::kSemicolon, "',' or ';' after the declaration");
  }

  Type type() {
    if (cursor_.accept(TokenKind::kByte)) return Type::kByte;
    if (cursor_.accept(TokenKind::kInt)) return Type::kInt;
    cursor_.fail_expected("a type, 'byte' or 'int'");
    return Type::kByte;
  }

  syntax::VariableDeclaration variable(bool constant, Type type) {
    syntax::VariableDeclaration out;
    out.constant = constant;
    out.type = type;
    out.name = cursor_.expect_name("the name of a variable");
    if (cursor_.accept(TokenKind::kLeftBracket)) {
      const SourceRange where = cursor_.where();
      out.length = number("the array's size", "the size of an array is written as a number");
      if (out.length == 0u) cursor_.complain(where, "an array has at least one element");
      cursor_.expect(TokenKind::kRightBracket, "']' after the array's size");
    }
    if (!cursor_.accept(TokenKind::kAssign)) return out;
    if (!out.length) {
      out.initial.push_back(expression());
      return out;
    }
    cursor_.expect(TokenKind::kLeftBrace, "'{' before the array's initial values");
    do {
      out.initial.push_back(expression());
    } while (cursor_.accept(TokenKind::kComma));
    cursor_.expect(TokenKind::kRightBrace, "',' or '}' after the initial value");
    return out;
  }

  std::uint32_t number(std::string_view what, std::string hint) {
    const std::uint32_t value = cursor_.token().value;
    if (cursor_.accept(TokenKind::kNumber)) return value;
    cursor_.fail_expected(what, std::move(hint));
    return 1;
  }

  // "channel" NAME, ... ;   or   "channel" {TYPE, ...} NAME[CAPACITY], ... ;
  void channels(syntax::System& out) {
    cursor_.advance();
    syntax::ChannelDeclaration channel;
    if (cursor_.accept(TokenKind::kLeftBrace)) {
      channel.typed = true;
      do {
        channel.items.push_back(type());
      } while (cursor_.accept(TokenKind::kComma));
      cursor_.expect(TokenKind::kRightBrace, "',' or '}' after the item's type");
    }
    do {
      channel.name = cursor_.expect_name("the name of a channel");
      if (channel.typed) {
        cursor_.expect(TokenKind::kLeftBracket, "'[' and the capacity of the typed channel",
                       "'[0]' makes it a rendezvous");
        channel.capacity =
            number("the channel's capacity", "the capacity of a channel is written as a number");
        cursor_.expect(TokenKind::kRightBracket, "']' after the channel's capacity");
      }
      out.declarations.emplace_back(channel);
    } while (cursor_.accept(TokenKind::kComma));
    cursor_.expect(TokenKind::kSemicolon, "',' or ';' after the channel",
                   cursor_.at(TokenKind::kLeftBracket)
                       ? "a channel with a capacity needs the types of its items: "
                         "channel {byte} NAME[N];"
                       : "");
  }

  // "system" ("async" | "sync") ["property" NAME] ;
  void composition(syntax::System& out) {
    out.where = cursor_.where();
    cursor_.advance();
    if (cursor_.accept(TokenKind::kSync)) {
      out.synchronous = true;
    } else {
      cursor_.expect(TokenKind::kAsync, "'async' or 'sync' after 'system'");
    }
    if (cursor_.accept(TokenKind::kProperty)) {
      out.property = cursor_.expect_name("the name of the property process");
    }
    cursor_.expect(TokenKind::kSemicolon, "';' at the end of the model");
    if (!cursor_.lost() && !cursor_.at(TokenKind::kEnd)) {
      cursor_.fail_expected("nothing behind the 'system' line");
    }
  }

  // --- processes ---

  syntax::Process process() {
    syntax::Process out;
    const std::uint32_t begin = cursor_.where().begin;
    cursor_.advance();
    out.name = cursor_.expect_name("the name of a process");
    cursor_.expect(TokenKind::kLeftBrace, "'{' after the process's name");
    if (cursor_.lost()) {
      cursor_.recover({TokenKind::kLeftBrace, TokenKind::kProcess, TokenKind::kSystem});
      if (!cursor_.accept(TokenKind::kLeftBrace)) return out;
    }
    SectionOrder order;
    bool has_locations = false;
    bool readable = true;
    while (!cursor_.give_up() && section(out, order, has_locations)) {
      if (!cursor_.lost()) continue;
      readable = false;
      cursor_.recover({TokenKind::kSemicolon, TokenKind::kRightBrace, TokenKind::kState,
                       TokenKind::kInit, TokenKind::kCommit, TokenKind::kAccept, TokenKind::kAssert,
                       TokenKind::kTrans, TokenKind::kProcess, TokenKind::kSystem});
      cursor_.accept(TokenKind::kSemicolon);
    }
    cursor_.expect(TokenKind::kRightBrace,
                   fmt::format("'}}' at the end of process '{}'", out.name.text));
    out.where = cursor_.since(begin);
    if (!readable || cursor_.lost()) return out;
    if (!has_locations) {
      cursor_.complain(out.name.where, fmt::format("process '{}' has no states", out.name.text),
                       "add 'state NAME, ...;'");
    } else if (!out.initial) {
      cursor_.complain(out.name.where,
                       fmt::format("process '{}' has no initial state", out.name.text),
                       fmt::format("add 'init {};' after its states", out.locations[0].text));
    }
    return out;
  }

  // One section of a process. False at its end.
  bool section(syntax::Process& out, SectionOrder& order, bool& has_locations) {
    const Token token = cursor_.token();
    const auto in_order = [&](int rank, std::string_view name) {
      const std::string_view before = order.check(rank, name);
      if (before.empty()) return;
      cursor_.complain(token.where, fmt::format("{} must come before {}", name, before));
    };
    switch (cursor_.kind()) {
      case TokenKind::kConst:
      case TokenKind::kByte:
      case TokenKind::kInt:
        in_order(1, "variables");
        variables([&](auto variable) { out.variables.push_back(std::move(variable)); });
        return true;
      case TokenKind::kState:
        in_order(2, "'state'");
        cursor_.advance();
        if (has_locations) {
          cursor_.complain(token.where, "this process already has a 'state' section");
        }
        has_locations = true;
        out.locations = names("the name of a state");
        break;
      case TokenKind::kInit:
        in_order(3, "'init'");
        cursor_.advance();
        if (out.initial)
          cursor_.complain(token.where, "this process already has an 'init' section");
        out.initial = cursor_.expect_name("the name of the initial state");
        break;
      case TokenKind::kCommit:
      case TokenKind::kAccept: {
        const bool commit = cursor_.at(TokenKind::kCommit);
        in_order(3, commit ? "'commit'" : "'accept'");
        cursor_.advance();
        std::vector<Name>& list = commit ? out.committed : out.accepting;
        for (const Name& name : names("the name of a state")) list.push_back(name);
        break;
      }
      case TokenKind::kAssert:
        in_order(3, "'assert'");
        cursor_.advance();
        do {
          out.assertions.push_back(assertion());
        } while (cursor_.accept(TokenKind::kComma));
        break;
      case TokenKind::kTrans:
        in_order(4, "'trans'");
        cursor_.advance();
        transitions_.read(out);
        return true;
      case TokenKind::kIdentifier:
      case TokenKind::kArrow:
        if (!out.transitions.empty()) {
          cursor_.complain(token.where,
                           fmt::format("expected '}}' at the end of process '{}', found {}",
                                       out.name.text, cursor_.found()),
                           "transitions are separated by ','; only the last one ends with ';'");
          transitions_.read(out);
          return true;
        }
        cursor_.fail_expected("a section of the process, such as 'state' or 'trans'");
        return true;
      case TokenKind::kChannel:
        cursor_.fail(token.where, "a channel cannot be declared inside a process",
                     "declare it before the processes");
        return true;
      case TokenKind::kRightBrace:
      case TokenKind::kProcess:
      case TokenKind::kSystem:
      case TokenKind::kEnd:
        return false;
      default:
        cursor_.fail_expected("a section of the process, such as 'state' or 'trans'");
        return true;
    }
    cursor_.expect(TokenKind::kSemicolon, "',' or ';'");
    return true;
  }

  syntax::Assertion assertion() {
    syntax::Assertion out;
    const std::uint32_t begin = cursor_.where().begin;
    out.location = cursor_.expect_name("the name of a state");
    cursor_.expect(TokenKind::kColon, "':' after the state of the assertion");
    out.condition = expression();
    out.where = cursor_.since(begin);
    return out;
  }

  Cursor cursor_;
  TransitionParser transitions_;
};

}  // namespace

syntax::System parse_system(const std::vector<Token>& tokens, Report& report) {
  return Parser(tokens, report).system();
}

Expression parse_expression(const std::vector<Token>& tokens, Report& report) {
  return Parser(tokens, report).lone_expression();
}

}  // namespace comback::dve

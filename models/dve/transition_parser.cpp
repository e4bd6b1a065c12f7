#include "models/dve/transition_parser.h"

#include <fmt/format.h>

#include <string>

#include "models/dve/expression_parser.h"

namespace comback::dve {

namespace {

constexpr const char* kCompareHint = "'==' compares; '=' assigns, in an effect";

}  // namespace

void TransitionParser::read(syntax::Process& out) {
  if (cursor_.accept(TokenKind::kSemicolon)) return;
  while (!cursor_.give_up()) {
    out.transitions.push_back(
        transition(out.transitions.empty() ? nullptr : &out.transitions.back()));
    if (cursor_.accept(TokenKind::kComma)) continue;
    if (cursor_.accept(TokenKind::kSemicolon)) return;
    if (cursor_.at(TokenKind::kIdentifier) || cursor_.at(TokenKind::kArrow)) {
      cursor_.complain(
          cursor_.where(),
          fmt::format("expected ',' between two transitions, found {}", cursor_.found()));
      continue;
    }
    cursor_.expect(TokenKind::kSemicolon, "',' or ';' after the transition");
    cursor_.recover({TokenKind::kComma, TokenKind::kSemicolon, TokenKind::kRightBrace,
                     TokenKind::kProcess, TokenKind::kSystem});
    if (cursor_.accept(TokenKind::kComma)) continue;
    cursor_.accept(TokenKind::kSemicolon);
    return;
  }
}

// [SOURCE] -> TARGET { ["guard" ...;] ["sync" ...;] ["effect" ...;] }
syntax::Transition TransitionParser::transition(const syntax::Transition* previous) {
  syntax::Transition out;
  const std::uint32_t begin = cursor_.where().begin;
  if (cursor_.at(TokenKind::kArrow)) {
    if (previous != nullptr) {
      out.source = previous->source;
    } else {
      cursor_.complain(cursor_.where(), "the first transition needs its source state");
    }
  } else {
    out.source = cursor_.expect_name("a transition");
  }
  cursor_.expect(TokenKind::kArrow, "'->' after the source state");
  out.target = cursor_.expect_name("the name of the target state");
  cursor_.expect(TokenKind::kLeftBrace, "'{' after the target state");
  if (cursor_.lost()) {
    cursor_.recover({TokenKind::kLeftBrace, TokenKind::kComma, TokenKind::kSemicolon,
                     TokenKind::kRightBrace, TokenKind::kProcess, TokenKind::kSystem});
    if (!cursor_.accept(TokenKind::kLeftBrace)) return out;
  }
  SectionOrder order;
  while (!cursor_.give_up() && clause(out, order)) {
    if (!cursor_.lost()) continue;
    cursor_.recover({TokenKind::kSemicolon, TokenKind::kRightBrace, TokenKind::kGuard,
                     TokenKind::kSync, TokenKind::kEffect, TokenKind::kProcess,
                     TokenKind::kSystem});
    cursor_.accept(TokenKind::kSemicolon);
  }
  cursor_.expect(TokenKind::kRightBrace, "'}' at the end of the transition");
  out.where = cursor_.since(begin);
  return out;
}

// One clause of a transition. False at its end.
bool TransitionParser::clause(syntax::Transition& out, SectionOrder& order) {
  const SourceRange where = cursor_.where();
  const auto begin = [&](int rank, std::string_view name, bool repeated, std::string_view hint) {
    const std::string_view before = order.check(rank, name);
    if (repeated) {
      cursor_.complain(where, fmt::format("this transition already has a {}", name),
                       std::string(hint));
    } else if (!before.empty()) {
      cursor_.complain(where, fmt::format("{} must come before {}", name, before));
    }
    cursor_.advance();
  };
  switch (cursor_.kind()) {
    case TokenKind::kGuard:
      begin(1, "'guard'", out.guard.has_value(), "join conditions with 'and'");
      out.guard = ExpressionParser(cursor_).expression();
      cursor_.expect(TokenKind::kSemicolon, "an operator or ';' after the guard",
                     cursor_.at(TokenKind::kAssign) ? kCompareHint : "");
      return true;
    case TokenKind::kSync:
      begin(2, "'sync'", out.sync.has_value(), "");
      out.sync = sync(where.begin);
      cursor_.expect(TokenKind::kSemicolon, "';' after the synchronisation");
      return true;
    case TokenKind::kEffect:
      begin(3, "'effect'", !out.effects.empty(), "separate assignments by ','");
      do {
        out.effects.push_back(assignment());
      } while (cursor_.accept(TokenKind::kComma));
      cursor_.expect(TokenKind::kSemicolon, "an operator, ',' or ';' after the assignment");
      return true;
    case TokenKind::kRightBrace:
    case TokenKind::kProcess:
    case TokenKind::kSystem:
    case TokenKind::kEnd:
      return false;
    default:
      cursor_.fail_expected("'guard', 'sync', 'effect' or '}'",
                            cursor_.at(TokenKind::kIdentifier) && !out.effects.empty()
                                ? "the assignments of an effect are separated by ','"
                                : "");
      return true;
  }
}

// CHANNEL ("!" | "?") [VALUE | {VALUE, ...}]
syntax::Sync TransitionParser::sync(std::uint32_t begin) {
  syntax::Sync out;
  out.channel = cursor_.expect_name("the name of a channel");
  if (cursor_.accept(TokenKind::kSend)) {
    out.kind = SyncKind::kSend;
  } else if (cursor_.accept(TokenKind::kReceive)) {
    out.kind = SyncKind::kReceive;
  } else {
    cursor_.fail_expected("'!' to send or '?' to receive after the channel");
  }
  const auto value = [&] {
    return out.kind == SyncKind::kReceive
               ? ExpressionParser(cursor_).lvalue("a variable to receive into")
               : ExpressionParser(cursor_).expression();
  };
  if (cursor_.accept(TokenKind::kLeftBrace)) {
    do {
      out.values.push_back(value());
    } while (cursor_.accept(TokenKind::kComma));
    cursor_.expect(TokenKind::kRightBrace, "',' or '}' after the value");
  } else if (!cursor_.lost() && !cursor_.at(TokenKind::kSemicolon)) {
    out.values.push_back(value());
  }
  out.where = cursor_.since(begin);
  return out;
}

syntax::Assignment TransitionParser::assignment() {
  syntax::Assignment out;
  const std::uint32_t begin = cursor_.where().begin;
  out.target = ExpressionParser(cursor_).lvalue("a variable to assign to");
  cursor_.expect(TokenKind::kAssign, "'=' after the variable",
                 cursor_.at(TokenKind::kEqual)   ? "'=' assigns; '==' compares"
                 : cursor_.at(TokenKind::kArrow) ? "only variables of this process and global "
                                                   "ones can be assigned to"
                                                 : "");
  out.value = ExpressionParser(cursor_).expression();
  out.where = cursor_.since(begin);
  return out;
}

}  // namespace comback::dve

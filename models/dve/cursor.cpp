#include "models/dve/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace comback::dve {

TokenKind Cursor::kind(std::size_t ahead) const {
  if (lost_ || at_ + ahead >= tokens_.size()) return TokenKind::kEnd;
  return tokens_[at_ + ahead].kind;
}

SourceRange Cursor::since(std::uint32_t begin) const {
  const std::uint32_t end = at_ == 0 ? begin : tokens_[at_ - 1].where.end;
  return {begin, std::max(begin, end)};
}

void Cursor::advance() { ++at_; }

bool Cursor::accept(TokenKind wanted) {
  if (lost_ || token().kind != wanted || wanted == TokenKind::kEnd) return false;
  ++at_;
  return true;
}

bool Cursor::expect(TokenKind wanted, std::string_view what, std::string hint) {
  if (accept(wanted)) return true;
  // What is missing at the end of a line is missing there, not where the next line begins.
  SourceRange where = token().where;
  if (at_ != 0) {
    const SourceRange before = tokens_[at_ - 1].where;
    if (report_.line({before.end, before.end}) != report_.line(where)) {
      where = {before.end, before.end};
    }
  }
  fail_at(where, fmt::format("expected {}, found {}", what, found()), std::move(hint));
  return false;
}

syntax::Name Cursor::expect_name(std::string_view what) {
  const SourceRange where = token().where;
  if (accept(TokenKind::kIdentifier)) {
    return {report_.text().substr(where.begin, where.end - where.begin), where};
  }
  fail_expected(what, !lost_ && is_keyword(token().kind)
                          ? fmt::format("{} is a keyword and cannot be a name", found())
                          : "");
  return {};
}

void Cursor::fail_expected(std::string_view what, std::string hint) {
  fail_at(token().where, fmt::format("expected {}, found {}", what, found()), std::move(hint));
}

void Cursor::fail(SourceRange where, std::string message, std::string hint) {
  fail_at(where, std::move(message), std::move(hint));
}

void Cursor::fail_at(SourceRange where, std::string message, std::string hint) {
  if (lost_) return;
  lost_ = true;
  if (already_reported()) return;
  if (token().kind == TokenKind::kEnd && where.begin == token().where.begin && at_ != 0) {
    where.begin = where.end = tokens_[at_ - 1].where.end;
  }
  report_.error(where, std::move(message), std::move(hint));
}

void Cursor::complain(SourceRange where, std::string message, std::string hint) {
  if (!lost_) report_.error(where, std::move(message), std::move(hint));
}

bool Cursor::already_reported() const {
  if (token().kind == TokenKind::kUnknown) return true;
  return token().kind == TokenKind::kEnd && at_ != 0 &&
         tokens_[at_ - 1].kind == TokenKind::kUnknown;
}

std::string Cursor::found() const {
  if (token().kind == TokenKind::kEnd) return "the end of the text";
  const SourceRange where = token().where;
  return fmt::format("'{}'", report_.text().substr(where.begin, where.end - where.begin));
}

void Cursor::recover(std::initializer_list<TokenKind> kinds) {
  lost_ = false;
  while (token().kind != TokenKind::kEnd &&
         std::find(kinds.begin(), kinds.end(), token().kind) == kinds.end()) {
    ++at_;
  }
}

}  // namespace comback::dve

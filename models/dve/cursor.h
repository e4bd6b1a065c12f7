#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/dve/lexer.h"
#include "models/dve/report.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// The parser's place in the tokens, and what it does about errors: after one it is lost(). Until
// recover() finds a place to go on from, the cursor shows only the end of the text and accepts
// nothing, so that every loop ends and no second error is reported.
class Cursor {
 public:
  // REQUIRES: all arguments outlive the cursor.
  Cursor(const std::vector<Token>& tokens, Report& report) : tokens_(tokens), report_(report) {}

  TokenKind kind(std::size_t ahead = 0) const;
  bool at(TokenKind wanted) const { return kind() == wanted; }
  const Token& token() const { return tokens_[at_]; }
  SourceRange where() const { return token().where; }
  // From `begin` to the end of the last token taken.
  SourceRange since(std::uint32_t begin) const;

  void advance();  // REQUIRES: not at the end
  bool accept(TokenKind wanted);
  // Takes a token, or reports "expected WHAT, found ...".
  bool expect(TokenKind wanted, std::string_view what, std::string hint = {});
  syntax::Name expect_name(std::string_view what);

  // Reports what is wrong with the token here, and is lost.
  void fail_expected(std::string_view what, std::string hint = {});
  void fail(SourceRange where, std::string message, std::string hint = {});
  // Reports, and is not lost: the text can be read on.
  void complain(SourceRange where, std::string message, std::string hint = {});
  std::string found() const;  // the token here, in words

  bool lost() const { return lost_; }
  bool give_up() const { return report_.full(); }
  // Goes on at the next token of one of these kinds, or at the end.
  void recover(std::initializer_list<TokenKind> kinds);

 private:
  void fail_at(SourceRange where, std::string message, std::string hint);
  bool already_reported() const;

  const std::vector<Token>& tokens_;
  Report& report_;
  std::size_t at_ = 0;
  bool lost_ = false;
};

}  // namespace comback::dve

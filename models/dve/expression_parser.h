#pragma once

#include "models/dve/cursor.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// Expressions, with the precedences of DiVinE, from loosest to tightest, all left-associative:
// imply; or, and (one level); | & ^ (one level); == !=; < <= > >=; << >>; + -; * / %; not - ~.
class ExpressionParser {
 public:
  // REQUIRES: `cursor` outlives the parser.
  explicit ExpressionParser(Cursor& cursor) : cursor_(cursor) {}

  syntax::Expression expression() { return binary(1); }
  // NAME or NAME[INDEX]; `what` is for messages.
  syntax::Expression lvalue(std::string_view what);

 private:
  syntax::Expression binary(int loosest);
  syntax::Expression unary();
  syntax::Expression primary();
  syntax::Expression name();
  void index(syntax::Expression& of);
  syntax::Expression operation(Op op, syntax::Expression left, syntax::Expression right);

  Cursor& cursor_;
  std::size_t nesting_ = 0;
};

}  // namespace comback::dve

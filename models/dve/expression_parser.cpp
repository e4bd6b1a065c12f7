#include "models/dve/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace comback::dve {

namespace {

using syntax::Expression;

struct Binary {
  int level = 0;  // 0: no binary operator
  Op op = Op::kConstant;
};

Binary binary_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kImply:
      return {1, Op::kImply};
    case TokenKind::kOr:
      return {2, Op::kOr};
    case TokenKind::kAnd:
      return {2, Op::kAnd};
    case TokenKind::kBar:
      return {3, Op::kBitOr};
    case TokenKind::kAmpersand:
      return {3, Op::kBitAnd};
    case TokenKind::kCaret:
      return {3, Op::kBitXor};
    case TokenKind::kEqual:
      return {4, Op::kEqual};
    case TokenKind::kNotEqual:
      return {4, Op::kNotEqual};
    case TokenKind::kLess:
      return {5, Op::kLess};
    case TokenKind::kLessEqual:
      return {5, Op::kLessEqual};
    case TokenKind::kGreater:
      return {5, Op::kGreater};
    case TokenKind::kGreaterEqual:
      return {5, Op::kGreaterEqual};
    case TokenKind::kShiftLeft:
      return {6, Op::kShiftLeft};
    case TokenKind::kShiftRight:
      return {6, Op::kShiftRight};
    case TokenKind::kPlus:
      return {7, Op::kAdd};
    case TokenKind::kMinus:
      return {7, Op::kSubtract};
    case TokenKind::kStar:
      return {8, Op::kMultiply};
    case TokenKind::kSlash:
      return {8, Op::kDivide};
    case TokenKind::kPercent:
      return {8, Op::kRemainder};
    default:
      return {};
  }
}

constexpr std::string_view kNegationHint = "'!' only marks a send; negation is 'not'";

}  // namespace

Expression ExpressionParser::operation(Op op, Expression left, Expression right) {
  Expression out;
  out.form = Expression::Form::kOperator;
  out.op = op;
  out.depth = 1 + std::max(left.depth, right.depth);
  out.where = {left.where.begin, right.where.end};
  if (out.depth > Expr::kMaxDepth) {
    cursor_.fail(right.where, fmt::format("this expression is nested more than {} levels deep",
                                          Expr::kMaxDepth));
    return out;
  }
  out.args.reserve(2);
  out.args.push_back(std::move(left));
  out.args.push_back(std::move(right));
  return out;
}

Expression ExpressionParser::binary(int loosest) {
  if (nesting_ == Expr::kMaxDepth) {
    cursor_.fail(cursor_.where(), fmt::format("this expression is nested more than {} levels deep",
                                              Expr::kMaxDepth));
    return {};
  }
  ++nesting_;
  Expression left = unary();
  for (Binary next = binary_of(cursor_.kind()); next.level >= loosest;
       next = binary_of(cursor_.kind())) {
    cursor_.advance();
    Expression right = binary(next.level + 1);
    if (cursor_.lost()) break;
    left = operation(next.op, std::move(left), std::move(right));
  }
  --nesting_;
  return left;
}

Expression ExpressionParser::unary() {
  // Operators in front of one operand, outermost first: no recursion for a long row of them.
  std::vector<std::pair<Op, SourceRange>> operators;
  for (;;) {
    const SourceRange where = cursor_.where();
    if (cursor_.accept(TokenKind::kNot)) {
      operators.emplace_back(Op::kNot, where);
    } else if (cursor_.accept(TokenKind::kMinus)) {
      operators.emplace_back(Op::kNegate, where);
    } else if (cursor_.accept(TokenKind::kTilde)) {
      operators.emplace_back(Op::kComplement, where);
    } else {
      break;
    }
  }
  Expression operand = primary();
  while (!operators.empty() && !cursor_.lost()) {
    const auto [op, where] = operators.back();
    operators.pop_back();
    Expression out;
    out.form = Expression::Form::kOperator;
    out.op = op;
    out.depth = 1 + operand.depth;
    out.where = {where.begin, operand.where.end};
    if (out.depth > Expr::kMaxDepth) {
      cursor_.fail(where, fmt::format("this expression is nested more than {} levels deep",
                                      Expr::kMaxDepth));
      break;
    }
    out.args.push_back(std::move(operand));
    operand = std::move(out);
  }
  return operand;
}

Expression ExpressionParser::primary() {
  Expression out;
  out.where = cursor_.where();
  switch (cursor_.kind()) {
    case TokenKind::kNumber:
      out.value = cursor_.token().value;
      cursor_.advance();
      return out;
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      out.value = cursor_.at(TokenKind::kTrue) ? 1 : 0;
      cursor_.advance();
      return out;
    case TokenKind::kIdentifier:
      return name();
    case TokenKind::kLeftParenthesis: {
      const std::uint32_t begin = cursor_.where().begin;
      cursor_.advance();
      out = expression();
      cursor_.expect(TokenKind::kRightParenthesis, "')'",
                     cursor_.at(TokenKind::kAssign) ? "'==' compares; '=' assigns" : "");
      out.where = cursor_.since(begin);
      return out;
    }
    case TokenKind::kSend:
      cursor_.fail_expected("an expression", std::string(kNegationHint));
      return out;
    default:
      cursor_.fail_expected("an expression");
      return out;
  }
}

Expression ExpressionParser::name() {
  Expression out;
  out.form = Expression::Form::kName;
  out.name = cursor_.expect_name("a name");
  out.where = out.name.where;
  if (cursor_.accept(TokenKind::kDot)) {
    out.form = Expression::Form::kMember;
    out.process = out.name;
    out.name = cursor_.expect_name("the name of a state after '.'");
  } else if (cursor_.accept(TokenKind::kArrow)) {
    out.form = Expression::Form::kForeign;
    out.process = out.name;
    out.name = cursor_.expect_name("the name of a variable after '->'");
  }
  if (cursor_.at(TokenKind::kLeftBracket)) index(out);
  out.where = cursor_.since(out.where.begin);
  return out;
}

void ExpressionParser::index(Expression& of) {
  cursor_.advance();
  if (of.form == Expression::Form::kName) of.form = Expression::Form::kElement;
  of.args.push_back(expression());
  of.depth = 1 + of.args[0].depth;
  cursor_.expect(TokenKind::kRightBracket, "']' after the index");
  if (of.depth > Expr::kMaxDepth) {
    cursor_.fail(of.where, fmt::format("this expression is nested more than {} levels deep",
                                       Expr::kMaxDepth));
  }
}

Expression ExpressionParser::lvalue(std::string_view what) {
  Expression out;
  out.form = Expression::Form::kName;
  out.name = cursor_.expect_name(what);
  out.where = out.name.where;
  if (cursor_.at(TokenKind::kLeftBracket)) index(out);
  out.where = cursor_.since(out.where.begin);
  return out;
}

}  // namespace comback::dve

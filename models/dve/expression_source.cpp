#include "models/dve/expression_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace comback::dve {
namespace {

constexpr ValueRange kInt{INT32_MIN, INT32_MAX};
constexpr ValueRange kAnything{};

bool is_int(const ValueRange& values) { return values.within(kInt); }
bool is_int(const Snippet& snippet) { return is_int(snippet.values); }

Snippet constant(std::int64_t value) {
  return {.text = ExpressionSource::literal(value), .values = {value, value}};
}

// `text` has the type of its operands; the result has that of its values.
std::string narrowed(std::string text, bool operands_are_int, const ValueRange& values) {
  return !operands_are_int && is_int(values) ? "(int)" + text : text;
}

// +, - or *: in C++, where neither the operands' type nor 64 bits can overflow.
Snippet arithmetic(Op op, const Snippet& a, const Snippet& b) {
  const ValueRange values = apply(op, a.values, b.values);
  if (values == kAnything) {
    const char* function = op == Op::kAdd ? "add" : op == Op::kSubtract ? "subtract" : "multiply";
    return {.text = fmt::format("{}({},{})", function, a.text, b.text), .values = values};
  }
  const char sign = op == Op::kAdd ? '+' : op == Op::kSubtract ? '-' : '*';
  const bool ints = is_int(a) && is_int(b);
  const char* widen = ints && !is_int(values) ? "(i64)" : "";
  return {.text = narrowed(fmt::format("({}{}{}{})", widen, a.text, sign, b.text), ints, values),
          .values = values};
}

Snippet shift(Op op, const Snippet& a, const Snippet& n) {
  const ValueRange values = apply(op, a.values, n.values);
  const bool left = op == Op::kShiftLeft;
  const bool ints = is_int(a) && is_int(values) && n.values.within({0, 31});
  if (ints || (values != kAnything && !is_int(values) && n.values.within({0, 62}))) {
    const char* widen = ints || !is_int(a) ? "" : "(i64)";
    return {.text = fmt::format("({}{}{}{})", widen, a.text, left ? "<<" : ">>", n.text),
            .values = values};
  }
  const std::string call =
      fmt::format("{}({},{})", left ? "shift_left" : "shift_right", a.text, n.text);
  return {.text = narrowed(call, false, values), .values = values};
}

// Operands of different widths are sign-extended, which bit operations commute with.
Snippet bits(Op op, const Snippet& a, const Snippet& b) {
  const ValueRange values = apply(op, a.values, b.values);
  const char sign = op == Op::kBitAnd ? '&' : op == Op::kBitOr ? '|' : '^';
  return {.text = narrowed(fmt::format("({}{}{})", a.text, sign, b.text), is_int(a) && is_int(b),
                           values),
          .values = values};
}

// / or %, of a divisor that is not zero.
Snippet quotient(Op op, const Snippet& a, const Snippet& b) {
  const ValueRange values = apply(op, a.values, b.values);
  const bool divide = op == Op::kDivide;
  // The smallest number by -1, of either type.
  const bool minus_one = b.values.contains(-1);
  if (a.values.min == INT64_MIN && minus_one) {
    const char* function = divide ? "divide" : "remainder";
    return {.text = narrowed(fmt::format("{}({},{})", function, a.text, b.text), false, values),
            .values = values};
  }
  bool ints = is_int(a) && is_int(b);
  const char* widen = "";
  if (ints && (!is_int(values) || (a.values.min == INT32_MIN && minus_one))) {
    ints = false;
    widen = "(i64)";
  }
  return {.text = narrowed(fmt::format("({}{}{}{})", widen, a.text, divide ? '/' : '%', b.text),
                           ints, values),
          .values = values};
}

const char* comparison(Op op) {
  switch (op) {
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    default:
      return nullptr;
  }
}

}  // namespace

const char* ReadScope::pointer(const Program& program, std::uint32_t variable) const {
  if (!effects_) return "s";
  if (others_first_ && program.variables[variable].process != process_) return "d";
  const bool written = std::find(written_.begin(), written_.end(), variable) != written_.end();
  return written ? "d" : "s";
}

std::string ExpressionSource::literal(std::int64_t value) {
  if (value == INT64_MIN) return "(-9223372036854775807ll-1)";
  if (value == INT32_MIN) return "(-2147483647-1)";
  const char* suffix = is_int(ValueRange{value, value}) ? "" : "ll";
  return value < 0 ? fmt::format("({}{})", value, suffix) : fmt::format("{}{}", value, suffix);
}

const char* ExpressionSource::type_of(const ValueRange& values) {
  return is_int(values) ? "int" : "i64";
}

std::string ExpressionSource::index_check(const Snippet& value, std::uint32_t length,
                                          std::uint32_t site) {
  if (site == kNoSite || value.values.within({0, std::int64_t{length} - 1})) return {};
  return fmt::format("if(({}){}>={}u)FAULT({},{});", is_int(value) ? "u32" : "u64", value.text,
                     length, site, value.text);
}

std::string ExpressionSource::outside(const Snippet& value, Type type) {
  const TypeRange range = range_of(type);
  if (value.values.within({range.min, range.max})) return {};
  const std::uint64_t span = static_cast<std::uint64_t>(range.max - range.min);
  const char* u = is_int(value) ? "u32" : "u64";
  return range.min == 0 ? fmt::format("({}){}>{}u", u, value.text, span)
                        : fmt::format("({})(({}){}+{}u)>{}u", u, u, value.text, -range.min, span);
}

Snippet ExpressionSource::expression(const Expr& expr, const ReadScope& scope) {
  switch (expr.op) {
    case Op::kConstant:
      return constant(expr.value);
    case Op::kVariable: {
      const Variable& variable = program_.variables[expr.variable];
      if (variable.constant) return constant(variable.initial.front());
      const TypeRange range = range_of(variable.type);
      const char* state = scope.pointer(program_, expr.variable);
      return {.text = variable.type == Type::kByte
                          ? fmt::format("{}[{}]", state, variable.offset)
                          : fmt::format("load16({}+{})", state, variable.offset),
              .values = {range.min, range.max}};
    }
    case Op::kElement:
      return element(expr, scope);
    case Op::kAt: {
      const Process& process = program_.processes[expr.process];
      const char* load = process.location_bytes == 1 ? "load8u" : "load16u";
      return {.text = fmt::format("({}(s+{})=={})", load, process.offset, expr.location),
              .values = {0, 1}};
    }
    case Op::kNegate: {
      const Snippet a = expression(expr.args[0], scope);
      Snippet out = arithmetic(Op::kSubtract, constant(0), a);
      out.fails = a.fails;
      return out;
    }
    case Op::kNot:
    case Op::kComplement: {
      const Snippet a = expression(expr.args[0], scope);
      return {.text = fmt::format("({}{})", expr.op == Op::kNot ? '!' : '~', a.text),
              .values = apply(expr.op, a.values),
              .fails = a.fails};
    }
    case Op::kAnd:
    case Op::kOr:
    case Op::kImply: {
      const Snippet a = expression(expr.args[0], scope);
      const Snippet b = expression(expr.args[1], scope);
      const char* left = expr.op == Op::kImply ? "!" : "";
      const char* op = expr.op == Op::kAnd ? "&&" : "||";
      return {.text = fmt::format("({}{}{}{})", left, a.text, op, b.text),
              .values = {0, 1},
              .fails = a.fails || b.fails};
    }
    default:
      return binary(expr, scope);
  }
}

Snippet ExpressionSource::element(const Expr& expr, const ReadScope& scope) {
  const Variable& variable = program_.variables[expr.variable];
  const Snippet index = expression(expr.args[0], scope);
  const TypeRange range = range_of(variable.type);
  Snippet out{.values = {range.min, range.max}, .fails = index.fails};
  if (variable.constant) {
    const auto [min, max] = std::minmax_element(variable.initial.begin(), variable.initial.end());
    out.values = {*min, *max};
  }
  const auto load = [&](const std::string& i) {
    const char* state = scope.pointer(program_, expr.variable);
    if (variable.constant) return fmt::format("k{}[{}]", expr.variable, i);
    if (variable.type == Type::kByte) return fmt::format("{}[{}+{}]", state, variable.offset, i);
    return fmt::format("load16({}+{}+2*{})", state, variable.offset, i);
  };
  const Snippet named{.text = name('i'), .values = index.values};
  const std::string check = index_check(named, variable.length, expr.site);
  if (check.empty()) {
    out.text = load(index.text);
  } else {
    out.fails = true;
    out.text = fmt::format("({{{} {}={};{}{};}})", type_of(index.values), named.text, index.text,
                           check, load(named.text));
  }
  return out;
}

Snippet ExpressionSource::binary(const Expr& expr, const ReadScope& scope) {
  Snippet a = expression(expr.args[0], scope);
  Snippet b = expression(expr.args[1], scope);
  const bool division = expr.op == Op::kDivide || expr.op == Op::kRemainder;
  const bool zero = division && expr.site != kNoSite && b.values.contains(0);
  const bool fails = a.fails || b.fails || zero;
  // The left operand's fault comes first, whatever order C++ evaluates operands in.
  std::string before;
  const auto evaluate_first = [&](Snippet& operand) {
    const std::string temporary = name('o');
    before += fmt::format("{} {}={};", type_of(operand.values), temporary, operand.text);
    operand.text = temporary;
  };
  if (zero || (a.fails && b.fails)) evaluate_first(a);
  if (zero) {
    evaluate_first(b);
    before += fmt::format("if({}==0)FAULT({},{});", b.text, expr.site, a.text);
  }
  Snippet out;
  switch (expr.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
      out = arithmetic(expr.op, a, b);
      break;
    case Op::kDivide:
    case Op::kRemainder:
      out = quotient(expr.op, a, b);
      break;
    case Op::kShiftLeft:
    case Op::kShiftRight:
      out = shift(expr.op, a, b);
      break;
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
      out = bits(expr.op, a, b);
      break;
    default:
      out = {.text = fmt::format("({}{}{})", a.text, comparison(expr.op), b.text),
             .values = {0, 1}};
      break;
  }
  out.fails = fails;
  if (!before.empty()) out.text = fmt::format("({{{}{};}})", before, out.text);
  return out;
}

}  // namespace comback::dve

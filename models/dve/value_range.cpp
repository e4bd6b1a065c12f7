#include "models/dve/value_range.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace comback::dve {
namespace {

using Wide = __int128;

constexpr ValueRange kAnything{};
constexpr ValueRange kTruth{0, 1};

bool fits(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

// The range of these, unless the arithmetic of 64 bits would have wrapped.
ValueRange span_of(std::initializer_list<Wide> values) {
  const Wide min = std::min(values);
  const Wide max = std::max(values);
  if (!fits(min) || !fits(max)) return kAnything;
  return {static_cast<std::int64_t>(min), static_cast<std::int64_t>(max)};
}

Wide magnitude(ValueRange a) { return std::max(-Wide{a.min}, Wide{a.max}); }

ValueRange quotient(ValueRange a, ValueRange b) {
  if (b.contains(0)) {
    // No divisor makes the dividend larger.
    const Wide m = magnitude(a);
    return span_of({-m, m});
  }
  return span_of(
      {Wide{a.min} / b.min, Wide{a.min} / b.max, Wide{a.max} / b.min, Wide{a.max} / b.max});
}

// The sign is that of the dividend; nearer to zero than the divisor, and no further than the
// dividend.
ValueRange rest(ValueRange a, ValueRange b) {
  const Wide most = std::max<Wide>(0, magnitude(b) - 1);
  return span_of({a.min >= 0 ? Wide{0} : std::max(Wide{a.min}, -most),
                  a.max <= 0 ? Wide{0} : std::min(Wide{a.max}, most)});
}

ValueRange shifted_left(ValueRange a, ValueRange n) {
  if (n.min < 0 || n.max > 62) return kAnything;
  const Wide low = Wide{1} << n.min;
  const Wide high = Wide{1} << n.max;
  return span_of({a.min * low, a.min * high, a.max * low, a.max * high});
}

ValueRange shifted_right(ValueRange a, ValueRange n) {
  if (n.min < 0 || n.max > 63) {
    return {a.min < 0 ? a.min : 0, a.max >= 0 ? a.max : -1};
  }
  return span_of({a.min >> n.min, a.min >> n.max, a.max >> n.min, a.max >> n.max});
}

// Of &, | and ^: no more bits than the operands have.
ValueRange bitwise(Op op, ValueRange a, ValueRange b) {
  if (op == Op::kBitAnd) {
    if (a.min >= 0 && b.min >= 0) return {0, std::min(a.max, b.max)};
    if (a.min >= 0) return {0, a.max};
    if (b.min >= 0) return {0, b.max};
  }
  std::uint64_t bits = 0;  // those that differ from the sign in any operand
  for (const std::int64_t x : {a.min, a.max, b.min, b.max}) {
    bits |= static_cast<std::uint64_t>(x < 0 ? ~x : x);
  }
  const int width = std::bit_width(bits);  // <= 63
  const auto most = static_cast<std::int64_t>((std::uint64_t{1} << width) - 1);
  return {a.min >= 0 && b.min >= 0 ? 0 : -most - 1, most};
}

}  // namespace

ValueRange join(ValueRange a, ValueRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

ValueRange apply(Op op, ValueRange a) {
  switch (op) {
    case Op::kNegate:
      return span_of({-Wide{a.min}, -Wide{a.max}});
    case Op::kComplement:
      return {~a.max, ~a.min};
    default:  // kNot
      return kTruth;
  }
}

ValueRange apply(Op op, ValueRange a, ValueRange b) {
  switch (op) {
    case Op::kAdd:
      return span_of({Wide{a.min} + b.min, Wide{a.max} + b.max});
    case Op::kSubtract:
      return span_of({Wide{a.min} - b.max, Wide{a.max} - b.min});
    case Op::kMultiply:
      return span_of(
          {Wide{a.min} * b.min, Wide{a.min} * b.max, Wide{a.max} * b.min, Wide{a.max} * b.max});
    case Op::kDivide:
      return quotient(a, b);
    case Op::kRemainder:
      return rest(a, b);
    case Op::kShiftLeft:
      return shifted_left(a, b);
    case Op::kShiftRight:
      return shifted_right(a, b);
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
      return bitwise(op, a, b);
    default:  // comparisons and logic
      return kTruth;
  }
}

ValueRange Knowledge::of_type(std::uint32_t variable) const {
  const Variable& v = (*variables_)[variable];
  if (v.constant) {
    const auto [min, max] = std::minmax_element(v.initial.begin(), v.initial.end());
    return {*min, *max};
  }
  const TypeRange range = range_of(v.type);
  return {range.min, range.max};
}

ValueRange Knowledge::of(std::uint32_t variable, std::int64_t element) const {
  for (const Fact& fact : facts_) {
    if (fact.variable == variable && fact.element == element) return fact.range;
  }
  return of_type(variable);
}

ValueRange Knowledge::range(const Expr& e) const {
  switch (e.op) {
    case Op::kConstant:
      return {e.value, e.value};
    case Op::kVariable:
      return of(e.variable, 0);
    case Op::kElement:
      return e.args[0].op == Op::kConstant ? of(e.variable, e.args[0].value) : of_type(e.variable);
    case Op::kAt:
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
    case Op::kImply:
      return kTruth;
    default:
      return e.args.size() == 1 ? apply(e.op, range(e.args[0]))
                                : apply(e.op, range(e.args[0]), range(e.args[1]));
  }
}

void Knowledge::learn(const Expr& e, bool truth) {
  switch (e.op) {
    case Op::kNot:
      return learn(e.args[0], !truth);
    case Op::kAnd:
    case Op::kOr:
      if (truth != (e.op == Op::kAnd)) return;
      learn(e.args[0], truth);
      learn(e.args[1], truth);
      return;
    case Op::kImply:
      if (truth) return;
      learn(e.args[0], true);
      learn(e.args[1], false);
      return;
    case Op::kEqual:
      return compare(e.args[0], truth ? Op::kEqual : Op::kNotEqual, e.args[1]);
    case Op::kNotEqual:
      return compare(e.args[0], truth ? Op::kNotEqual : Op::kEqual, e.args[1]);
    case Op::kLess:
      return compare(e.args[0], truth ? Op::kLess : Op::kGreaterEqual, e.args[1]);
    case Op::kLessEqual:
      return compare(e.args[0], truth ? Op::kLessEqual : Op::kGreater, e.args[1]);
    case Op::kGreater:
      return compare(e.args[0], truth ? Op::kGreater : Op::kLessEqual, e.args[1]);
    case Op::kGreaterEqual:
      return compare(e.args[0], truth ? Op::kGreaterEqual : Op::kLess, e.args[1]);
    default: {
      const Expr zero;
      return compare(e, truth ? Op::kNotEqual : Op::kEqual, zero);
    }
  }
}

void Knowledge::compare(const Expr& left, Op op, const Expr& right) {
  const ValueRange a = range(left);
  const ValueRange b = range(right);
  switch (op) {
    case Op::kEqual:
      restrict_to(left, b);
      restrict_to(right, a);
      return;
    case Op::kNotEqual:
      // Only an end of a range can be cut off.
      if (b.min == b.max && a.min == b.min && a.min < a.max) {
        restrict_to(left, {a.min + 1, a.max});
      } else if (b.min == b.max && a.max == b.min && a.min < a.max) {
        restrict_to(left, {a.min, a.max - 1});
      } else if (a.min == a.max && left.op == Op::kConstant && right.op != Op::kConstant) {
        compare(right, op, left);
      }
      return;
    case Op::kLess:
      if (b.max != INT64_MIN) restrict_to(left, {INT64_MIN, b.max - 1});
      if (a.min != INT64_MAX) restrict_to(right, {a.min + 1, INT64_MAX});
      return;
    case Op::kLessEqual:
      restrict_to(left, {INT64_MIN, b.max});
      restrict_to(right, {a.min, INT64_MAX});
      return;
    case Op::kGreater:
      return compare(right, Op::kLess, left);
    default:  // kGreaterEqual
      return compare(right, Op::kLessEqual, left);
  }
}

void Knowledge::restrict_to(const Expr& e, ValueRange to) {
  const ValueRange now = range(e);
  const ValueRange both{std::max(now.min, to.min), std::min(now.max, to.max)};
  // Nothing is left where the point is never reached; then nothing needs to be known.
  if (both.min > both.max || both == now) return;
  switch (e.op) {
    case Op::kVariable:
    case Op::kElement: {
      if (e.op == Op::kElement && e.args[0].op != Op::kConstant) return;
      const std::int64_t element = e.op == Op::kElement ? e.args[0].value : 0;
      for (Fact& fact : facts_) {
        if (fact.variable == e.variable && fact.element == element) {
          fact.range = both;
          return;
        }
      }
      facts_.push_back({.variable = e.variable, .element = element, .range = both});
      return;
    }
    case Op::kAdd:
    case Op::kSubtract: {
      // x + c in R is x in R - c, where x + c cannot wrap.
      if (now == kAnything) return;
      const Expr& left = e.args[0];
      const Expr& right = e.args[1];
      if (right.op == Op::kConstant) {
        const Op inverse = e.op == Op::kAdd ? Op::kSubtract : Op::kAdd;
        restrict_to(left, apply(inverse, both, {right.value, right.value}));
      } else if (left.op == Op::kConstant) {
        const ValueRange c{left.value, left.value};
        restrict_to(right, e.op == Op::kAdd ? apply(Op::kSubtract, both, c)
                                            : apply(Op::kSubtract, c, both));
      }
      return;
    }
    default:
      return;
  }
}

void Knowledge::store(const Lvalue& target, ValueRange range) {
  const ValueRange type = of_type(target.variable);
  // A value outside the type is not stored: it is a fault, or wraps to anything.
  if (!range.within(type)) range = type;
  if (target.index && target.index->op != Op::kConstant) return forget(target.variable);
  const std::int64_t element = target.index ? target.index->value : 0;
  facts_.erase(std::remove_if(facts_.begin(), facts_.end(),
                              [&](const Fact& fact) {
                                return fact.variable == target.variable && fact.element == element;
                              }),
               facts_.end());
  facts_.push_back({.variable = target.variable, .element = element, .range = range});
}

void Knowledge::forget(std::uint32_t variable) {
  facts_.erase(std::remove_if(facts_.begin(), facts_.end(),
                              [&](const Fact& fact) { return fact.variable == variable; }),
               facts_.end());
}

void Knowledge::forget_globals() {
  facts_.erase(
      std::remove_if(facts_.begin(), facts_.end(),
                     [&](const Fact& f) { return (*variables_)[f.variable].process == kGlobal; }),
      facts_.end());
}

}  // namespace comback::dve

#pragma once

#include <cstdint>

#include "models/dve/arithmetic.h"
#include "models/dve/program.h"

// Operators applied to values that are known.

namespace comback::dve {

// REQUIRES: a unary operator.
inline std::int64_t apply(Op op, std::int64_t a) {
  switch (op) {
    case Op::kNegate:
      return negate(a);
    case Op::kNot:
      return a == 0;
    default:  // kComplement
      return ~a;
  }
}

// REQUIRES: a binary operator; b != 0 for a division.
inline std::int64_t apply(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::kAdd:
      return add(a, b);
    case Op::kSubtract:
      return subtract(a, b);
    case Op::kMultiply:
      return multiply(a, b);
    case Op::kDivide:
      return divide(a, b);
    case Op::kRemainder:
      return remainder(a, b);
    case Op::kShiftLeft:
      return shift_left(a, b);
    case Op::kShiftRight:
      return shift_right(a, b);
    case Op::kBitAnd:
      return a & b;
    case Op::kBitOr:
      return a | b;
    case Op::kBitXor:
      return a ^ b;
    case Op::kEqual:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    default:  // kImply
      return a == 0 || b != 0;
  }
}

}  // namespace comback::dve

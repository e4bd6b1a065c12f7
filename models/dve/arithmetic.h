#pragma once

#include <cstdint>

// The arithmetic of DVE expressions: 64 bits wide, two's complement, so that no expression over
// bytes and 16-bit ints of a sensible size overflows, and none is undefined.
//
// The text of these functions is also part of the native code generated from a model, so they stand
// in a macro: kArithmeticSource below is exactly what this file defines.

#define COMBACK_DVE_ARITHMETIC(...) \
  __VA_ARGS__                       \
  inline constexpr const char* kArithmeticSource = #__VA_ARGS__;

namespace comback::dve {

using i64 = std::int64_t;
using u64 = std::uint64_t;

// clang-format off
COMBACK_DVE_ARITHMETIC(
inline i64 add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
inline i64 subtract(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
inline i64 multiply(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
inline i64 negate(i64 a) { return (i64)(0 - (u64)a); }
inline i64 divide(i64 a, i64 b) { return b == -1 ? negate(a) : a / b; }
inline i64 remainder(i64 a, i64 b) { return b == -1 ? 0 : a % b; }
inline i64 shift_left(i64 a, i64 n) { return n < 0 || n > 63 ? 0 : (i64)((u64)a << n); }
inline i64 shift_right(i64 a, i64 n) { return n < 0 || n > 63 ? (a < 0 ? -1 : 0) : a >> n; }
)
// clang-format on

}  // namespace comback::dve

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/dve/program.h"

namespace comback::dve {

// All integers from min to max.
struct ValueRange {
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;

  bool within(const ValueRange& outer) const { return min >= outer.min && max <= outer.max; }
  bool contains(std::int64_t value) const { return min <= value && value <= max; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

ValueRange join(ValueRange a, ValueRange b);  // the smallest range with both

// What an operator can yield for operands in these ranges; more than that where it is hard to
// tell, never less. A division by zero yields nothing.
ValueRange apply(Op op, ValueRange a);
ValueRange apply(Op op, ValueRange a, ValueRange b);

// What is known about variables at one point of an event, beyond their types.
class Knowledge {
 public:
  explicit Knowledge(const std::vector<Variable>& variables) : variables_(&variables) {}

  ValueRange range(const Expr& e) const;
  // Learns that `e` is true (not zero), or that it is false.
  void learn(const Expr& e, bool truth);
  // After a value in `range` was stored. The index may be anything where it is not a constant.
  void store(const Lvalue& target, ValueRange range);
  void forget(std::uint32_t variable);
  void forget_globals();

 private:
  struct Fact {
    std::uint32_t variable;
    std::int64_t element;  // 0 for a scalar
    ValueRange range;
  };
  ValueRange of(std::uint32_t variable, std::int64_t element) const;
  ValueRange of_type(std::uint32_t variable) const;
  void restrict_to(const Expr& e, ValueRange range);
  void compare(const Expr& left, Op op, const Expr& right);

  const std::vector<Variable>* variables_;
  std::vector<Fact> facts_;  // few: those of one guard
};

}  // namespace comback::dve

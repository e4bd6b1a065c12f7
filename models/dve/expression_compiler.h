#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/dve/code_writer.h"
#include "models/dve/program.h"

namespace comback::dve {

// Whether evaluating the expression can fail.
bool can_fault(const Expr& expr);

// Where a variable of one element known before the model runs is in the descriptor.
struct Place {
  std::uint32_t offset = 0;
  Type type = Type::kByte;
};

// From expressions to code. `depth` is the first temporary that the code may use.
class ExpressionCompiler {
 public:
  // REQUIRES: both outlive the compiler.
  ExpressionCompiler(const Program& program, CodeWriter& writer);

  // Leaves the value in the accumulator.
  void value(const Expr& expr, std::uint32_t depth);

  // Goes on where the expression is not zero (is zero), otherwise at the label.
  void jump_if_false(const Expr& expr, Label& target, std::uint32_t depth);
  void jump_if_true(const Expr& expr, Label& target, std::uint32_t depth);

  // Goes on where the process is at the location, otherwise at the label.
  void jump_unless_at(std::uint32_t process, std::uint32_t location, Label& target);

  // A scalar, or an element with a constant index in range.
  std::optional<Place> place_of(const Expr& expr) const;
  std::optional<Place> place_of(const Lvalue& lvalue) const;
  void load(Place place);

 private:
  void binary(const Expr& expr, std::uint32_t depth);
  void element(const Expr& expr, std::uint32_t depth);
  void truth_value(const Expr& expr, std::uint32_t depth);
  void jump_on(const Expr& expr, bool when, Label& target, std::uint32_t depth);
  void jump_on_comparison(const Expr& expr, bool when, Label& target, std::uint32_t depth);
  std::optional<Place> element_place(std::uint32_t variable, const Expr& index) const;
  std::optional<std::uint32_t> byte_operand(const Expr& expr) const;

  const Program& program_;
  CodeWriter& writer_;
  std::vector<std::uint32_t> tables_;  // by variable: where a constant array is in Code::constants
};

}  // namespace comback::dve

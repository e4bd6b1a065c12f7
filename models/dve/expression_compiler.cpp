#include "models/dve/expression_compiler.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace comback::dve {

namespace {

bool is_comparison(Op op) { return op >= Op::kEqual && op <= Op::kGreaterEqual; }

std::optional<std::int32_t> constant_operand(const Expr& expr) {
  if (expr.op != Op::kConstant || expr.value < std::numeric_limits<std::int32_t>::min() ||
      expr.value > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(expr.value);
}

// The operation with its operands exchanged, where there is one.
std::optional<Op> mirrored(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kMultiply:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kEqual:
    case Op::kNotEqual:
      return op;
    case Op::kLess:
      return Op::kGreater;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreater:
      return Op::kLess;
    case Op::kGreaterEqual:
      return Op::kLessEqual;
    default:
      return std::nullopt;
  }
}

Op negated(Op comparison) {
  switch (comparison) {
    case Op::kEqual:
      return Op::kNotEqual;
    case Op::kNotEqual:
      return Op::kEqual;
    case Op::kLess:
      return Op::kGreaterEqual;
    case Op::kLessEqual:
      return Op::kGreater;
    case Op::kGreater:
      return Op::kLessEqual;
    default:
      return Op::kLess;
  }
}

enum class Form : std::uint16_t { kByteConstant, kConstant, kByte, kTemporary, kBytes };

// Opcodes of one operation stand together, in the order of Form; the operations in that of Op.
Opcode binary_opcode(Op op, Form form) {
  constexpr std::uint16_t kForms = 4;
  const auto index = static_cast<std::uint16_t>(static_cast<int>(op) - static_cast<int>(Op::kAdd));
  return static_cast<Opcode>(static_cast<std::uint16_t>(Opcode::kByteConstantAdd) + index * kForms +
                             static_cast<std::uint16_t>(form));
}
static_assert(static_cast<int>(Op::kGreaterEqual) - static_cast<int>(Op::kAdd) == 15);
static_assert(static_cast<int>(Opcode::kTemporaryGreaterEqual) -
                  static_cast<int>(Opcode::kByteConstantAdd) ==
              15 * 4 + 3);

Opcode jump_opcode(Op op, Form form) {
  constexpr std::uint16_t kForms = 5;
  const auto index =
      static_cast<std::uint16_t>(static_cast<int>(op) - static_cast<int>(Op::kEqual));
  return static_cast<Opcode>(static_cast<std::uint16_t>(Opcode::kUnlessByteConstantEqual) +
                             index * kForms + static_cast<std::uint16_t>(form));
}
static_assert(static_cast<int>(Opcode::kUnlessBytesGreaterEqual) -
                  static_cast<int>(Opcode::kUnlessByteConstantEqual) ==
              5 * 5 + 4);

}  // namespace

bool can_fault(const Expr& expr) {
  return expr.site != kNoSite || std::any_of(expr.args.begin(), expr.args.end(), can_fault);
}

ExpressionCompiler::ExpressionCompiler(const Program& program, CodeWriter& writer)
    : program_(program), writer_(writer), tables_(program.variables.size()) {
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    if (!variable.constant) continue;
    auto& constants = writer_.code().constants;
    tables_[v] = static_cast<std::uint32_t>(constants.size());
    constants.insert(constants.end(), variable.initial.begin(), variable.initial.end());
  }
}

std::optional<Place> ExpressionCompiler::element_place(std::uint32_t number,
                                                       const Expr& index) const {
  const Variable& variable = program_.variables[number];
  if (variable.constant || index.op != Op::kConstant || index.value < 0 ||
      index.value >= variable.length) {
    return std::nullopt;
  }
  return Place{static_cast<std::uint32_t>(variable.offset + static_cast<std::size_t>(index.value) *
                                                                bytes_of(variable.type)),
               variable.type};
}

std::optional<Place> ExpressionCompiler::place_of(const Expr& expr) const {
  if (expr.op == Op::kElement) return element_place(expr.variable, expr.args[0]);
  if (expr.op != Op::kVariable || program_.variables[expr.variable].constant) return std::nullopt;
  const Variable& variable = program_.variables[expr.variable];
  return Place{static_cast<std::uint32_t>(variable.offset), variable.type};
}

std::optional<Place> ExpressionCompiler::place_of(const Lvalue& lvalue) const {
  if (lvalue.index) return element_place(lvalue.variable, *lvalue.index);
  const Variable& variable = program_.variables[lvalue.variable];
  return Place{static_cast<std::uint32_t>(variable.offset), variable.type};
}

std::optional<std::uint32_t> ExpressionCompiler::byte_operand(const Expr& expr) const {
  const auto place = place_of(expr);
  if (!place || place->type != Type::kByte) return std::nullopt;
  return place->offset;
}

void ExpressionCompiler::load(Place place) {
  writer_.emit(
      {.op = place.type == Type::kByte ? Opcode::kLoad8 : Opcode::kLoad16, .a = place.offset});
}

void ExpressionCompiler::value(const Expr& expr, std::uint32_t depth) {
  switch (expr.op) {
    case Op::kConstant:
      writer_.constant(expr.value);
      return;
    case Op::kVariable:
      if (const auto place = place_of(expr)) {
        load(*place);
      } else {
        writer_.constant(program_.variables[expr.variable].initial[0]);
      }
      return;
    case Op::kElement:
      element(expr, depth);
      return;
    case Op::kNegate:
      value(expr.args[0], depth);
      writer_.emit({.op = Opcode::kNegate});
      return;
    case Op::kNot:
      value(expr.args[0], depth);
      writer_.emit({.op = Opcode::kNot});
      return;
    case Op::kComplement:
      value(expr.args[0], depth);
      writer_.emit({.op = Opcode::kComplement});
      return;
    case Op::kAt:
    case Op::kAnd:
    case Op::kOr:
    case Op::kImply:
      truth_value(expr, depth);
      return;
    default:
      binary(expr, depth);
  }
}

void ExpressionCompiler::element(const Expr& expr, std::uint32_t depth) {
  if (const auto place = place_of(expr)) {
    load(*place);
    return;
  }
  const Variable& variable = program_.variables[expr.variable];
  Instruction instruction{.a = static_cast<std::uint32_t>(variable.offset),
                          .c = static_cast<std::int32_t>(variable.length),
                          .d = expr.site};
  const auto index = byte_operand(expr.args[0]);
  if (!variable.constant && variable.type == Type::kByte && index &&
      *index <= std::numeric_limits<std::uint16_t>::max()) {
    instruction.op = Opcode::kElement8ByByte;
    instruction.b = static_cast<std::uint16_t>(*index);
    writer_.emit(instruction);
    return;
  }
  value(expr.args[0], depth);
  if (variable.constant) {
    instruction.op = Opcode::kConstantElement;
    instruction.a = tables_[expr.variable];
  } else {
    instruction.op = variable.type == Type::kByte ? Opcode::kElement8 : Opcode::kElement16;
  }
  writer_.emit(instruction);
}

void ExpressionCompiler::binary(const Expr& expr, std::uint32_t depth) {
  const Expr* left = &expr.args[0];
  const Expr* right = &expr.args[1];
  Op op = expr.op;
  const auto is_operand = [&](const Expr& e) { return constant_operand(e) || byte_operand(e); };
  // An operand cannot fail, so nothing is seen of the exchange.
  if (const auto other = mirrored(op); other && is_operand(*left) && !constant_operand(*right)) {
    std::swap(left, right);
    op = *other;
  }
  if (const auto constant = constant_operand(*right)) {
    if (const auto byte = byte_operand(*left)) {
      writer_.emit({.op = binary_opcode(op, Form::kByteConstant),
                    .a = *byte,
                    .c = *constant,
                    .d = expr.site});
    } else {
      value(*left, depth);
      writer_.emit({.op = binary_opcode(op, Form::kConstant), .c = *constant, .d = expr.site});
    }
  } else if (const auto byte = byte_operand(*right)) {
    value(*left, depth);
    writer_.emit({.op = binary_opcode(op, Form::kByte), .a = *byte, .d = expr.site});
  } else {
    value(*left, depth);
    writer_.set_temporary(depth);
    value(*right, depth + 1);
    writer_.emit({.op = binary_opcode(op, Form::kTemporary),
                  .b = static_cast<std::uint16_t>(depth),
                  .d = expr.site});
  }
}

void ExpressionCompiler::truth_value(const Expr& expr, std::uint32_t depth) {
  if (expr.op == Op::kAt && program_.processes[expr.process].location_bytes == 1) {
    writer_.emit({.op = Opcode::kByteConstantEqual,
                  .a = static_cast<std::uint32_t>(program_.processes[expr.process].offset),
                  .c = static_cast<std::int32_t>(expr.location)});
    return;
  }
  Label zero;
  Label end;
  jump_if_false(expr, zero, depth);
  writer_.constant(1);
  writer_.emit_jump({.op = Opcode::kJump}, end);
  writer_.bind(zero);
  writer_.constant(0);
  writer_.bind(end);
}

void ExpressionCompiler::jump_if_false(const Expr& expr, Label& target, std::uint32_t depth) {
  jump_on(expr, false, target, depth);
}

void ExpressionCompiler::jump_if_true(const Expr& expr, Label& target, std::uint32_t depth) {
  jump_on(expr, true, target, depth);
}

void ExpressionCompiler::jump_unless_at(std::uint32_t process, std::uint32_t location,
                                        Label& target) {
  const Process& p = program_.processes[process];
  const auto offset = static_cast<std::uint32_t>(p.offset);
  if (p.location_bytes == 1) {
    writer_.emit_jump({.op = Opcode::kUnlessByteConstantEqual,
                       .a = offset,
                       .c = static_cast<std::int32_t>(location)},
                      target);
  } else {
    writer_.emit({.op = Opcode::kLoad16, .a = offset});
    writer_.emit_jump(
        {.op = Opcode::kUnlessConstantEqual, .c = static_cast<std::int16_t>(location)}, target);
  }
}

// Jumps where the truth of the expression is `when`.
void ExpressionCompiler::jump_on(const Expr& expr, bool when, Label& target, std::uint32_t depth) {
  switch (expr.op) {
    case Op::kConstant:
      if ((expr.value != 0) == when) writer_.emit_jump({.op = Opcode::kJump}, target);
      return;
    case Op::kNot:
      jump_on(expr.args[0], !when, target, depth);
      return;
    case Op::kAnd:
    case Op::kOr:
    case Op::kImply: {
      // The left side decides alone where its truth is `decisive`; the whole is `decided` then.
      const bool decisive = expr.op == Op::kOr;
      const bool decided = expr.op != Op::kAnd;
      if (decided == when) {
        jump_on(expr.args[0], decisive, target, depth);
        jump_on(expr.args[1], when, target, depth);
      } else {
        Label end;
        jump_on(expr.args[0], decisive, end, depth);
        jump_on(expr.args[1], when, target, depth);
        writer_.bind(end);
      }
      return;
    }
    case Op::kAt:
      if (!when) {
        jump_unless_at(expr.process, expr.location, target);
      } else {
        Label elsewhere;
        jump_unless_at(expr.process, expr.location, elsewhere);
        writer_.emit_jump({.op = Opcode::kJump}, target);
        writer_.bind(elsewhere);
      }
      return;
    default:
      break;
  }
  if (is_comparison(expr.op)) {
    jump_on_comparison(expr, when, target, depth);
    return;
  }
  const Op op = when ? Op::kEqual : Op::kNotEqual;
  if (const auto byte = byte_operand(expr)) {
    writer_.emit_jump({.op = jump_opcode(op, Form::kByteConstant), .a = *byte, .c = 0}, target);
  } else {
    value(expr, depth);
    writer_.emit_jump({.op = jump_opcode(op, Form::kConstant), .c = 0}, target);
  }
}

void ExpressionCompiler::jump_on_comparison(const Expr& expr, bool when, Label& target,
                                            std::uint32_t depth) {
  const Expr* left = &expr.args[0];
  const Expr* right = &expr.args[1];
  Op op = expr.op;
  const auto is_operand = [&](const Expr& e) { return constant_operand(e) || byte_operand(e); };
  if (is_operand(*left) && !constant_operand(*right)) {
    std::swap(left, right);
    op = *mirrored(op);
  }
  if (when) op = negated(op);  // the instructions jump where the comparison does not hold
  if (const auto constant = constant_operand(*right)) {
    if (const auto byte = byte_operand(*left)) {
      writer_.emit_jump({.op = jump_opcode(op, Form::kByteConstant), .a = *byte, .c = *constant},
                        target);
    } else {
      value(*left, depth);
      writer_.emit_jump({.op = jump_opcode(op, Form::kConstant), .c = *constant}, target);
    }
  } else if (const auto byte = byte_operand(*right)) {
    if (const auto other = byte_operand(*left)) {
      writer_.emit_jump(
          {.op = jump_opcode(op, Form::kBytes), .a = *other, .c = static_cast<std::int32_t>(*byte)},
          target);
    } else {
      value(*left, depth);
      writer_.emit_jump({.op = jump_opcode(op, Form::kByte), .a = *byte}, target);
    }
  } else {
    value(*left, depth);
    writer_.set_temporary(depth);
    value(*right, depth + 1);
    writer_.emit_jump(
        {.op = jump_opcode(op, Form::kTemporary), .b = static_cast<std::uint16_t>(depth)}, target);
  }
}

}  // namespace comback::dve

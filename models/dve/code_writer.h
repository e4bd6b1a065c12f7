#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/dve/bytecode.h"

namespace comback::dve {

// A position in the code that may not be known yet.
class Label {
 private:
  friend class CodeWriter;
  static constexpr std::uint32_t kUnbound = 0xffffffff;
  std::uint32_t position_ = kUnbound;
  std::vector<std::uint32_t> jumps_;  // instructions to patch
};

// Appends to a Code.
class CodeWriter {
 public:
  explicit CodeWriter(Code& code) : code_(code) {}

  std::uint32_t position() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  void emit(const Instruction& instruction) { code_.instructions.push_back(instruction); }

  // An instruction whose `d` is the label's position.
  void emit_jump(Instruction instruction, Label& target) {
    instruction.d = target.position_;
    if (target.position_ == Label::kUnbound) target.jumps_.push_back(position());
    emit(instruction);
  }
  void bind(Label& label) {
    label.position_ = position();
    for (const std::uint32_t jump : label.jumps_) code_.instructions[jump].d = label.position_;
    label.jumps_.clear();
  }

  void constant(std::int64_t value) {
    if (value >= std::numeric_limits<std::int32_t>::min() &&
        value <= std::numeric_limits<std::int32_t>::max()) {
      emit({.op = Opcode::kConstant, .c = static_cast<std::int32_t>(value)});
    } else {
      emit({.op = Opcode::kWideConstant, .a = static_cast<std::uint32_t>(code_.constants.size())});
      code_.constants.push_back(value);
    }
  }
  void set_temporary(std::uint32_t number) {
    use_temporary(number);
    emit({.op = Opcode::kSetTemporary, .b = static_cast<std::uint16_t>(number)});
  }
  void use_temporary(std::uint32_t number) {
    code_.temporaries = std::max(code_.temporaries, number + 1);
  }

  Code& code() { return code_; }

 private:
  Code& code_;
};

}  // namespace comback::dve

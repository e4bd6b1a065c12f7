#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/dve/bytecode.h"
#include "models/dve/program.h"

namespace comback::dve {

// The number of the location that `process` is at.
inline std::uint32_t location_of(const Process& process, const std::byte* state) {
  const std::byte* place = state + process.offset;
  const auto low = static_cast<std::uint32_t>(place[0]);
  return process.location_bytes == 1 ? low : low | static_cast<std::uint32_t>(place[1]) << 8;
}

// Expressions over one state, compiled once. The program is needed only to add them.
class Evaluator {
 public:
  // Returns the expression's number, from 0.
  std::size_t add(const Program& program, const Expr& expr);

  // Empty where the expression cannot be evaluated in that state.
  std::optional<std::int64_t> evaluate(std::size_t number, const std::byte* state) const;

 private:
  std::vector<Code> expressions_;
};

// The assertions of a program.
class Assertions {
 public:
  // REQUIRES: `program` outlives this.
  explicit Assertions(const Program& program);

  // The first that fails in `state`, or -1. One that cannot be evaluated fails.
  int failed(const std::byte* state) const;

 private:
  const Program& program_;
  Evaluator conditions_;  // by number of the assertion
};

}  // namespace comback::dve

#pragma once

#include <cstddef>

#include "models/model.h"

namespace comback::dve {

// What executes a Program: the interpreter or native code. Both do exactly the same; pure
// functions, safe to call from many threads. The contracts are those of Model.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void successors(const std::byte* state, SuccessorBuffer::View& out) const = 0;
  virtual void execute(std::byte* state, Event event) const = 0;
  virtual int failed_assertion(const std::byte* state) const = 0;
};

}  // namespace comback::dve

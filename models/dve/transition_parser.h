#pragma once

#include <cstdint>

#include "models/dve/cursor.h"
#include "models/dve/section_order.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// The transitions of a process: what stands between "trans" and the ";" that ends it.
class TransitionParser {
 public:
  // REQUIRES: `cursor` outlives the parser.
  explicit TransitionParser(Cursor& cursor) : cursor_(cursor) {}

  // Appends to those that the process has.
  void read(syntax::Process& out);

 private:
  syntax::Transition transition(const syntax::Transition* previous);
  bool clause(syntax::Transition& out, SectionOrder& order);
  syntax::Sync sync(std::uint32_t begin);
  syntax::Assignment assignment();

  Cursor& cursor_;
};

}  // namespace comback::dve

#pragma once

namespace comback {

// What became of a state that was offered to a set of visited states.
enum class Insertion {
  kNew,
  kKnown,
  kNoMemory,  // nothing was inserted: the budget does not allow the set to grow
  kFull,      // nothing was inserted: the set cannot grow
};

}  // namespace comback

#include "storage/probed_set.h"

#include <cassert>

#include "storage/prime.h"

namespace comback {

bool ProbedSet::open() {
  assert(slots_wanted_ >= 3);
  table_ = PackedSlots::allocate(prime_up_to(slots_wanted_), bits_, *budget_);
  return static_cast<bool>(table_);
}

}  // namespace comback

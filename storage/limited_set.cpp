#include "storage/limited_set.h"

#include <algorithm>
#include <cassert>

#include "storage/prime.h"

namespace comback {

bool LimitedSet::open() {
  assert(slots_wanted_ >= 3 && probes_ >= 1);
  const std::uint64_t slots = prime_up_to(slots_wanted_);
  probes_ = static_cast<unsigned>(std::min<std::uint64_t>(probes_, slots));
  table_ = PackedSlots::allocate(slots, bits_, *budget_);
  return static_cast<bool>(table_);
}

}  // namespace comback

#include "storage/probed_set.h"

#include <cassert>

namespace comback {
namespace {

bool is_prime(std::uint64_t n) {
  if (n % 2 == 0) return n == 2;
  for (std::uint64_t d = 3; d <= n / d; d += 2) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

}  // namespace

bool ProbedSet::open() {
  assert(slots_wanted_ >= 3);
  std::uint64_t slots = slots_wanted_;
  while (!is_prime(slots)) --slots;
  table_ = PackedSlots::allocate(slots, bits_, *budget_);
  return static_cast<bool>(table_);
}

}  // namespace comback

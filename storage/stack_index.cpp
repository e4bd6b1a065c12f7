#include "storage/stack_index.h"

#include <limits>
#include <utility>

namespace comback {

bool StackIndex::allocate(std::uint64_t count) {
  Mapping memory = Mapping::allocate(count * sizeof(Slot), *budget_);
  if (!memory) return false;
  memory_ = std::move(memory);
  slots_ = reinterpret_cast<Slot*>(memory_.data());
  count_ = count;
  return true;
}

bool StackIndex::grow() {
  if (size_ >= std::numeric_limits<std::uint32_t>::max() - 1) return false;
  if (!allocate(count_ * 2)) return false;
  for (std::uint64_t number = 1; number <= size_; ++number) place(number);  // I1
  return true;
}

}  // namespace comback

#include "storage/erasable_table.h"

namespace comback {

bool ErasableTable::open() {
  descriptors_ = Mapping::allocate(slots_ * width_ + kDescriptorEnd, *budget_);
  hash_memory_ = Mapping::allocate(slots_ * sizeof(std::uint64_t), *budget_);
  index_memory_ = Mapping::allocate(entries_ * sizeof(std::uint32_t), *budget_);
  hashes_ = reinterpret_cast<std::uint64_t*>(hash_memory_.data());
  index_ = reinterpret_cast<std::uint32_t*>(index_memory_.data());
  return descriptors_ && hash_memory_ && index_memory_;
}

std::uint32_t ErasableTable::insert(std::uint64_t hash, const std::byte* descriptor) {
  assert(size_ < slots_);
  std::uint32_t slot = free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(fresh_++);
  } else {
    free_ = static_cast<std::uint32_t>(hashes_[slot]);
  }
  copy_bytes(descriptors_.data() + slot * width_, descriptor, width_);
  hashes_[slot] = hash;
  std::uint64_t i = home(hash);
  while (index_[i] != 0) i = next(i);
  index_[i] = slot + 1;
  ++size_;
  return slot;
}

void ErasableTable::erase(std::uint32_t slot) {
  std::uint64_t hole = home(hashes_[slot]);
  while (index_[hole] != slot + 1) hole = next(hole);
  // What stands behind the hole moves into it, unless its home is behind the hole, too (I1).
  for (std::uint64_t i = next(hole); index_[i] != 0; i = next(i)) {
    const std::uint64_t wanted = home(hashes_[index_[i] - 1]);
    const bool behind = hole <= i ? hole < wanted && wanted <= i : hole < wanted || wanted <= i;
    if (behind) continue;
    index_[hole] = index_[i];
    hole = i;
  }
  index_[hole] = 0;
  hashes_[slot] = free_;
  free_ = slot;
  --size_;
}

}  // namespace comback

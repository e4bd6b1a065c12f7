#include "storage/compact_set.h"

#include <utility>

namespace comback {
namespace {

std::uint64_t most_entries(std::uint64_t slots) { return slots * 80 / 100; }

}  // namespace

bool CompactSet::open() {
  const unsigned slot_bits = bits_ - kPartitionBits + 1;
  for (Partition& p : partitions_) {
    p.slots =
        PackedSlots::allocate(PackedSlots::fit(Mapping::kPage, slot_bits), slot_bits, *budget_);
    if (!p.slots) return false;
    p.left = most_entries(p.slots.size());
    bytes_ += p.slots.bytes();
  }
  return true;
}

bool CompactSet::grow(Partition& p) {
  const unsigned slot_bits = bits_ - kPartitionBits + 1;
  Partition grown;
  grown.slots = PackedSlots::allocate(p.slots.size() * 135 / 100, slot_bits, *budget_);
  if (!grown.slots) return false;
  grown.left = most_entries(grown.slots.size()) - most_entries(p.slots.size());
  // What a slot holds, and its partition, are the whole key again. The leading bits, those of the
  // partition, do not matter for the place inside it.
  for (std::uint64_t slot = 0; slot < p.slots.size(); ++slot) {
    const std::uint64_t held = p.slots.get(slot);
    if (held == 0) continue;
    grown.slots.set(find(grown, (held - 1) << (64 - bits_)), held);
  }
  bytes_ += grown.slots.bytes() - p.slots.bytes();
  p = std::move(grown);
  return true;
}

}  // namespace comback

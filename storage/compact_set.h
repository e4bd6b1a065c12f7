#pragma once

#include <array>
#include <cstdint>

#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/packed_slots.h"

namespace comback {

// The set of visited states of hash compaction [wolper93]: a hash of b bits stands for a state, and
// two states with the same hash are taken for one. Open addressing with linear probing.
//
// The leading bits of a hash choose one of 64 partitions, which grow one by one; a slot holds the
// other bits plus one, and zero when it is empty. A state takes (b - 5) bits / load, the load
// being 0.59 to 0.8.
class CompactSet {
 public:
  static constexpr unsigned kMinBits = 8;
  static constexpr std::uint64_t kMinBytes = 64 * Mapping::kPage;

  // REQUIRES: kMinBits <= bits <= 64; `budget` outlives the set.
  CompactSet(unsigned bits, MemoryBudget& budget) : bits_(bits), budget_(&budget) {}

  // Allocates the partitions. False where the budget does not allow kMinBytes.
  [[nodiscard]] bool open();

  // The b leading bits of a full hash, at the leading end.
  std::uint64_t key_of(std::uint64_t hash) const { return hash >> (64 - bits_) << (64 - bits_); }

  // REQUIRES: `key` is from key_of, here and below.
  void prefetch(std::uint64_t key) const {
    const Partition& p = partition(key);
    p.slots.prefetch(home(p, key));
  }
  bool contains(std::uint64_t key) const {
    const Partition& p = partition(key);
    return p.slots.get(find(p, key)) != 0;
  }
  Insertion insert(std::uint64_t key) {
    Partition& p = partitions_[key >> (64 - kPartitionBits)];
    std::uint64_t slot = find(p, key);
    if (p.slots.get(slot) != 0) return Insertion::kKnown;
    if (p.left == 0) {
      if (!grow(p)) return Insertion::kNoMemory;
      slot = find(p, key);
    }
    p.slots.set(slot, stored(key));
    --p.left;
    ++size_;
    return Insertion::kNew;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr unsigned kPartitionBits = 6;

  struct Partition {
    PackedSlots slots;
    std::uint64_t left = 0;  // that may still be inserted before it grows
  };

  std::uint64_t stored(std::uint64_t key) const {
    return (key << kPartitionBits >> kPartitionBits >> (64 - bits_)) + 1;
  }
  const Partition& partition(std::uint64_t key) const {
    return partitions_[key >> (64 - kPartitionBits)];
  }
  static std::uint64_t home(const Partition& p, std::uint64_t key) {
    return hash_to_range(key << kPartitionBits, p.slots.size());
  }
  // The slot that holds the key, or the empty one where it belongs.
  std::uint64_t find(const Partition& p, std::uint64_t key) const {
    const std::uint64_t wanted = stored(key);
    std::uint64_t slot = home(p, key);
    while (true) {
      const std::uint64_t held = p.slots.get(slot);
      if (held == 0 || held == wanted) return slot;
      if (++slot == p.slots.size()) slot = 0;
    }
  }
  bool grow(Partition& p);

  unsigned bits_;
  MemoryBudget* budget_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<Partition, 1u << kPartitionBits> partitions_;
};

}  // namespace comback

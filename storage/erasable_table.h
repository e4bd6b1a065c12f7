#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "storage/bytes.h"
#include "storage/hash.h"
#include "storage/mapping.h"

namespace comback {

// A bounded number of descriptors, found by their hashes, any of which may be erased. A slot keeps
// its number as long as its descriptor is there.
//
// Open addressing with linear probing; erasing moves later entries up, so there are no tombstones
// and a full table of long use is as fast as a new one.
//
// Invariants:
//   I1  All index entries from a slot's home to its place are taken.
//   I2  A quarter of the index is empty.
class ErasableTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 31;

  // REQUIRES: width > 0, 0 < slots <= kMaxSlots; `budget` outlives the table.
  ErasableTable(std::size_t width, std::uint64_t slots, MemoryBudget& budget)
      : width_(width), slots_(slots), entries_(entries_for(slots)), budget_(&budget) {}

  // All that a table of so many slots takes.
  static std::uint64_t bytes_for(std::size_t width, std::uint64_t slots) {
    return pages(slots * width + kDescriptorEnd) + pages(slots * sizeof(std::uint64_t)) +
           pages(entries_for(slots) * sizeof(std::uint32_t));
  }
  // False where the budget does not allow it.
  [[nodiscard]] bool open();

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(index_ + home(hash)); }
  // The slot that holds `descriptor`, or kNone. REQUIRES: `hash` is hash_bytes of it, here and
  // below.
  std::uint32_t find(std::uint64_t hash, const std::byte* descriptor) const {
    for (std::uint64_t i = home(hash); index_[i] != 0; i = next(i)) {
      const std::uint32_t slot = index_[i] - 1;
      if (hashes_[slot] == hash && equal_bytes(get(slot), descriptor, width_)) return slot;
    }
    return kNone;
  }
  // The slot that it gets. REQUIRES: it is not here; size() < slots().
  std::uint32_t insert(std::uint64_t hash, const std::byte* descriptor);
  // REQUIRES: something was inserted there and not erased.
  void erase(std::uint32_t slot);

  const std::byte* get(std::uint32_t slot) const { return descriptors_.data() + slot * width_; }
  std::uint64_t hash(std::uint32_t slot) const { return hashes_[slot]; }

  std::uint64_t size() const { return size_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t bytes() const {
    return descriptors_.size() + hash_memory_.size() + index_memory_.size();
  }

 private:
  static constexpr std::uint64_t kDescriptorEnd = 64;  // readable bytes past the last one

  static std::uint64_t pages(std::uint64_t bytes) {
    return (bytes + Mapping::kPage - 1) / Mapping::kPage * Mapping::kPage;
  }
  static std::uint64_t entries_for(std::uint64_t slots) { return slots + slots / 3 + 2; }
  std::uint64_t home(std::uint64_t hash) const { return hash_to_range(hash, entries_); }
  std::uint64_t next(std::uint64_t i) const { return i + 1 == entries_ ? 0 : i + 1; }

  std::size_t width_;
  std::uint64_t slots_;
  std::uint64_t entries_;
  MemoryBudget* budget_;
  Mapping descriptors_;
  Mapping hash_memory_;
  Mapping index_memory_;
  std::uint64_t* hashes_ = nullptr;  // by slot; of a free slot: the next free one
  std::uint32_t* index_ = nullptr;   // slot plus one; 0: empty
  std::uint64_t size_ = 0;
  std::uint64_t fresh_ = 0;     // slots from here on were never used
  std::uint32_t free_ = kNone;  // the first of those that were
};

}  // namespace comback

#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/model.h"
#include "storage/bytes.h"
#include "storage/mapping.h"

namespace comback {

// A fixed number of slots for descriptors, found by id. Which state lives in which slot is up to
// the caller.
class SlotCache {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // REQUIRES: `budget` outlives it; capacity < 2^31.
  SlotCache(std::size_t width, std::uint64_t capacity, MemoryBudget& budget)
      : width_(width), capacity_(capacity), budget_(&budget) {}

  // Bytes that open() takes.
  static std::uint64_t bytes_for(std::size_t width, std::uint64_t capacity) {
    if (capacity == 0) return 0;
    return pages(capacity * width + kDescriptorSlack) + pages(map_slots(capacity) * sizeof(Entry));
  }
  [[nodiscard]] bool open() {
    if (capacity_ == 0) return true;
    mask_ = map_slots(capacity_) - 1;
    descriptors_ = Mapping::allocate(capacity_ * width_ + kDescriptorSlack, *budget_);
    map_ = Mapping::allocate((mask_ + 1) * sizeof(Entry), *budget_);
    return descriptors_ && map_;
  }

  const std::byte* find(std::uint64_t id) const {
    if (size_ == 0) return nullptr;
    for (std::uint64_t i = home(id);; i = (i + 1) & mask_) {
      const Entry& entry = entries()[i];
      if (entry.slot_plus_one == 0) return nullptr;
      if (entry.id == id) return descriptors_.data() + (entry.slot_plus_one - 1) * width_;
    }
  }

  // Puts a state in an empty slot. REQUIRES: slot < capacity; neither slot nor id is in use.
  void put(std::uint32_t slot, std::uint64_t id, const std::byte* descriptor) {
    assert(find(id) == nullptr && size_ < capacity_);
    copy_bytes(descriptors_.data() + slot * width_, descriptor, width_);
    std::uint64_t i = home(id);
    while (entries()[i].slot_plus_one != 0) i = (i + 1) & mask_;
    entries()[i] = {static_cast<std::uint32_t>(id), slot + 1};
    ++size_;
  }

  // Empties the slot of `id`. REQUIRES: find(id).
  void remove(std::uint64_t id) {
    std::uint64_t hole = home(id);
    while (entries()[hole].id != id) hole = (hole + 1) & mask_;
    // Moves back what the hole would cut off from its home.
    for (std::uint64_t i = (hole + 1) & mask_; entries()[i].slot_plus_one != 0;
         i = (i + 1) & mask_) {
      if (((i - home(entries()[i].id)) & mask_) >= ((i - hole) & mask_)) {
        entries()[hole] = entries()[i];
        hole = i;
      }
    }
    entries()[hole] = {};
    --size_;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }

 private:
  struct Entry {
    std::uint32_t id = 0;
    std::uint32_t slot_plus_one = 0;
  };

  static std::uint64_t map_slots(std::uint64_t capacity) { return std::bit_ceil(2 * capacity); }
  static std::uint64_t pages(std::uint64_t bytes) {
    return (bytes + Mapping::kPage - 1) / Mapping::kPage * Mapping::kPage;
  }
  Entry* entries() const { return reinterpret_cast<Entry*>(map_.data()); }
  std::uint64_t home(std::uint64_t id) const { return (id * 0x9e3779b97f4a7c15ull) >> 32 & mask_; }

  std::size_t width_;
  std::uint64_t capacity_;
  MemoryBudget* budget_;
  std::uint64_t mask_ = 0;
  std::uint64_t size_ = 0;
  Mapping descriptors_;
  Mapping map_;
};

}  // namespace comback

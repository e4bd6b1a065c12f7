#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/bytes.h"
#include "storage/hash.h"
#include "storage/mapping.h"
#include "storage/record_stack.h"

namespace comback {

// The descriptors in the records of a stack, by hash: which of them is on it, exactly. Eleven to
// twenty-two bytes a record.
//
// Open addressing with linear probing. Records leave last in, first out, so the slot of the one
// that leaves can simply be emptied: whatever came before it found its place without it.
//
// Invariants, between any two calls:
//   I1  A slot holds each of the records 0 .. size()-1 of the stack, by rising number: with those
//       above a number removed, all slots from a record's home to its place are taken.
class StackIndex {
 public:
  // REQUIRES: a descriptor of `width` bytes lies at `offset` in every record; both outlive it.
  StackIndex(const RecordStack& stack, std::size_t offset, std::size_t width, MemoryBudget& budget)
      : stack_(&stack), offset_(offset), width_(width), budget_(&budget) {}

  static constexpr std::uint64_t kMinBytes = Mapping::kPage;
  [[nodiscard]] bool open() { return allocate(kMinBytes / sizeof(Slot)); }

  bool contains(const std::byte* descriptor) const {
    const std::uint32_t tag = tag_of(descriptor);
    for (std::uint64_t i = home(tag); slots_[i].record != 0; i = next(i)) {
      if (slots_[i].tag == tag && equal_bytes(at(slots_[i].record - 1), descriptor, width_)) {
        return true;
      }
    }
    return false;
  }
  // Enters the topmost record. False where the budget does not allow it. REQUIRES: it is the only
  // one that is not here.
  [[nodiscard]] bool push() {
    if (size_ + size_ / 2 >= count_ && !grow()) return false;
    place(++size_);
    return true;
  }
  // Takes the topmost record out, before it leaves the stack. REQUIRES: it is here.
  void pop() {
    std::uint64_t i = home(tag_of(at(size_ - 1)));
    while (slots_[i].record != size_) i = next(i);
    slots_[i] = {};
    --size_;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return memory_.size(); }

 private:
  struct Slot {
    std::uint32_t tag;
    std::uint32_t record;  // its number plus one; 0: empty
  };

  const std::byte* at(std::uint64_t record) const { return stack_->at(record) + offset_; }
  std::uint32_t tag_of(const std::byte* descriptor) const {
    return static_cast<std::uint32_t>(hash_bytes(descriptor, width_) >> 32);
  }
  std::uint64_t home(std::uint32_t tag) const {
    return hash_to_range(std::uint64_t{tag} << 32, count_);
  }
  std::uint64_t next(std::uint64_t slot) const { return slot + 1 == count_ ? 0 : slot + 1; }
  void place(std::uint64_t number) {
    const std::uint32_t tag = tag_of(at(number - 1));
    std::uint64_t i = home(tag);
    while (slots_[i].record != 0) i = next(i);
    slots_[i] = {tag, static_cast<std::uint32_t>(number)};
  }
  bool allocate(std::uint64_t count);
  bool grow();

  const RecordStack* stack_;
  std::size_t offset_;
  std::size_t width_;
  MemoryBudget* budget_;
  Mapping memory_;
  Slot* slots_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace comback

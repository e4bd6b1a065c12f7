#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "storage/mapping.h"

namespace comback {

// A fixed array of numbers of a few bits each, packed one after the other, all zero at first.
class PackedSlots {
 public:
  PackedSlots() = default;
  // Empty where the budget or the system refuses. REQUIRES: 1 <= bits <= 64; `budget` outlives it.
  static PackedSlots allocate(std::uint64_t count, unsigned bits, MemoryBudget& budget) {
    PackedSlots slots;
    slots.memory_ = Mapping::allocate(bytes_for(count, bits), budget);
    if (!slots.memory_) return slots;
    slots.data_ = slots.memory_.data();
    slots.bits_ = bits;
    slots.mask_ = ~std::uint64_t{0} >> (64 - bits);
    slots.count_ = count;
    return slots;
  }
  static std::uint64_t bytes_for(std::uint64_t count, unsigned bits) {
    return (count / 8 * bits) + (count % 8 * bits + 7) / 8 + kSlack;
  }
  // The most slots that fit in `bytes`.
  static std::uint64_t fit(std::uint64_t bytes, unsigned bits) {
    return bytes <= kSlack ? 0 : (bytes - kSlack) / bits * 8;
  }

  explicit operator bool() const { return data_ != nullptr; }

  std::uint64_t get(std::uint64_t slot) const {
    assert(slot < count_);
    const std::uint64_t bit = slot * bits_;
    const unsigned shift = bit % 8;
    std::uint64_t word;
    std::memcpy(&word, data_ + bit / 8, 8);
    word >>= shift;
    if (bits_ + shift > 64) {
      word |= std::to_integer<std::uint64_t>(data_[bit / 8 + 8]) << (64 - shift);
    }
    return word & mask_;
  }

  // REQUIRES: value fits; the slot is zero.
  void set(std::uint64_t slot, std::uint64_t value) {
    assert((value & ~mask_) == 0 && get(slot) == 0);
    const std::uint64_t bit = slot * bits_;
    const unsigned shift = bit % 8;
    std::uint64_t word;
    std::memcpy(&word, data_ + bit / 8, 8);
    word |= value << shift;
    std::memcpy(data_ + bit / 8, &word, 8);
    if (bits_ + shift > 64) data_[bit / 8 + 8] |= std::byte(value >> (64 - shift));
  }

  // Likewise where the slot is not zero. REQUIRES: value fits.
  void replace(std::uint64_t slot, std::uint64_t value) {
    const std::uint64_t change = get(slot) ^ value;
    assert((change & ~mask_) == 0);
    const std::uint64_t bit = slot * bits_;
    const unsigned shift = bit % 8;
    std::uint64_t word;
    std::memcpy(&word, data_ + bit / 8, 8);
    word ^= change << shift;
    std::memcpy(data_ + bit / 8, &word, 8);
    if (bits_ + shift > 64) data_[bit / 8 + 8] ^= std::byte(change >> (64 - shift));
  }

  void prefetch(std::uint64_t slot) const { __builtin_prefetch(data_ + slot * bits_ / 8); }

  std::uint64_t size() const { return count_; }
  std::uint64_t bytes() const { return memory_.size(); }

 private:
  static constexpr std::uint64_t kSlack = 16;  // get() and set() touch eight bytes and one more

  Mapping memory_;
  std::byte* data_ = nullptr;
  unsigned bits_ = 1;
  std::uint64_t mask_ = 1;
  std::uint64_t count_ = 0;
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/hash.h"
#include "storage/mapping.h"
#include "storage/memory_budget.h"

namespace comback {

// Says of most hashes that are not in a set that they are not: a blocked Bloom filter
// [putze09] over the leading `hash_bits` of a hash. A question touches one cache line, and
// questions in hash order touch lines in rising order.
//
// Threads: may_contain() at any time; insert() by several threads as long as each has partitions of
// its own, where a hash's partition is its leading kPartitionBits.
class StateFilter {
 public:
  static constexpr unsigned kPartitionBits = 6;
  static constexpr unsigned kMostProbes = 7;

  // The empty filter knows nothing and takes nothing.
  StateFilter() = default;
  // For `expected` entries in about `bytes`. Empty where the budget refuses.
  static StateFilter allocate(std::uint64_t bytes, std::uint64_t expected, unsigned hash_bits,
                              MemoryBudget& budget);

  explicit operator bool() const { return static_cast<bool>(memory_); }
  std::uint64_t bytes() const { return memory_.size(); }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(block(hash & mask_)); }

  bool may_contain(std::uint64_t hash) const {
    if (!memory_) return true;
    const std::uint64_t kept = hash & mask_;
    const std::uint64_t* const words = block(kept);
    std::uint64_t places = mix(kept);
    std::uint64_t all = ~std::uint64_t{0};
    for (unsigned i = 0; i < probes_; ++i, places >>= 9) {
      all &= words[places >> 6 & 7] >> (places & 63);
    }
    return (all & 1) != 0;
  }

  // REQUIRES: not empty.
  void insert(std::uint64_t hash) {
    const std::uint64_t kept = hash & mask_;
    std::uint64_t* const words = block(kept);
    std::uint64_t places = mix(kept);
    for (unsigned i = 0; i < probes_; ++i, places >>= 9) {
      words[places >> 6 & 7] |= std::uint64_t{1} << (places & 63);
    }
  }

 private:
  static constexpr std::size_t kBlockBytes = 64;

  std::uint64_t* block(std::uint64_t kept) const {
    return reinterpret_cast<std::uint64_t*>(memory_.data()) + hash_to_range(kept, blocks_) * 8;
  }
  // Entries of one block share leading bits: the places must depend on all of the others.
  static std::uint64_t mix(std::uint64_t kept) {
    kept ^= kept >> 32;
    kept *= 0x9e3779b97f4a7c15;
    kept ^= kept >> 29;
    kept *= 0xbf58476d1ce4e5b9;
    return kept ^ kept >> 32;
  }

  Mapping memory_;
  std::uint64_t blocks_ = 0;
  std::uint64_t mask_ = 0;
  unsigned probes_ = 0;
};

}  // namespace comback

#pragma once

#include <cstdint>

#include "storage/hash.h"

namespace comback {

// Where a table of hash compaction looks for a state, and what stands for it there: one hash gives
// the probe sequence, another one, independent of it, the stored value [stern95].
//
// Double hashing in a prime number of slots, so that every step visits all of them.
struct ProbeKey {
  std::uint64_t start;
  std::uint64_t step;
  std::uint64_t value;  // 1 .. 2^bits - 1: zero marks an empty slot

  // REQUIRES: slots is a prime of at least 3; 1 <= bits <= 64.
  static ProbeKey of(const HashPair& hash, std::uint64_t slots, unsigned bits) {
    // The product's leading bits depend on all bits of the hash, the start only on leading ones.
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    return {hash_to_range(hash.first, slots), 1 + hash_to_range(hash.first * kOdd, slots - 1),
            bits == 64 ? hash.second + (hash.second == 0)
                       : 1 + hash_to_range(hash.second, (std::uint64_t{1} << bits) - 1)};
  }
  std::uint64_t next(std::uint64_t slot, std::uint64_t slots) const {
    slot += step;
    return slot >= slots ? slot - slots : slot;
  }
};

}  // namespace comback

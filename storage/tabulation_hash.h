#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/hash.h"

namespace comback {

// Two independent hashes of a descriptor from a random class of functions, chosen by a seed: each
// half byte at each place selects a pair of random words, and all of them are combined by
// exclusive or. The values of any three descriptors are independent, which is more than H3, where
// each bit selects a word [carter79], promises for the same number of words read per byte and more.
class TabulationHash {
 public:
  TabulationHash(std::size_t width, std::uint64_t seed);

  HashPair operator()(const std::byte* descriptor) const {
    HashPair hash{0, 0};
    const HashPair* row = words_.data();
    for (std::size_t i = 0; i < width_; ++i, row += 2 * kValues) {
      const auto byte = std::to_integer<unsigned>(descriptor[i]);
      const HashPair& low = row[byte % kValues];
      const HashPair& high = row[kValues + byte / kValues];
      hash.first ^= low.first ^ high.first;
      hash.second ^= low.second ^ high.second;
    }
    return hash;
  }
  static std::uint64_t bytes_for(std::size_t width) {
    return std::uint64_t{width} * 2 * kValues * sizeof(HashPair);
  }

 private:
  static constexpr std::size_t kValues = 16;  // of half a byte: the tables stay in the caches

  std::size_t width_;
  std::vector<HashPair> words_;
};

}  // namespace comback

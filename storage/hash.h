#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comback {

// The one hash function of the engine: XXH3.
inline std::uint64_t hash_bytes(const std::byte* data, std::size_t bytes) {
  return XXH3_64bits(data, bytes);
}

// Two independent hashes of the same bytes.
struct HashPair {
  std::uint64_t first;
  std::uint64_t second;
};
inline HashPair hash_pair(const std::byte* data, std::size_t bytes) {
  const XXH128_hash_t h = XXH3_128bits(data, bytes);
  return {h.low64, h.high64};
}

// The hash of `bits` bits that goes with a full one: its leading bits.
// REQUIRES: 1 <= bits <= 64.
inline std::uint64_t truncate_hash(std::uint64_t hash, unsigned bits) {
  assert(bits >= 1 && bits <= 64);
  return hash >> (64 - bits);
}

// Spreads a 64-bit hash evenly over 0 .. n-1 by its leading bits.
inline std::uint64_t hash_to_range(std::uint64_t hash, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(hash) * n) >> 64);
}

}  // namespace comback

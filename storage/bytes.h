#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comback {

// Descriptors are short and their width is only known at run time: calling memcmp and memcpy for
// them costs more than the work. These go word by word; the last word overlaps the one before.

inline std::uint64_t load_word(const std::byte* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

inline bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t n) {
  if (n < 8) {
    for (std::size_t i = 0; i < n; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (load_word(a + i) != load_word(b + i)) return false;
  }
  return load_word(a + n - 8) == load_word(b + n - 8);
}

// REQUIRES: the ranges do not overlap.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t n) {
  if (n < 8) {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (std::size_t i = 0; i + 8 < n; i += 8) std::memcpy(to + i, from + i, 8);
  std::memcpy(to + n - 8, from + n - 8, 8);
}

}  // namespace comback

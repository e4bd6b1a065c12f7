#include "storage/bit_planes.h"

#include <emmintrin.h>

#include <array>
#include <cstring>

namespace comback {
namespace {

// The eight bits of a byte, each as a byte of 0 or 1, the first row lowest.
constexpr std::array<std::uint64_t, 256> kSpread = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      table[byte] |= static_cast<std::uint64_t>(byte >> bit & 1) << (8 * bit);
    }
  }
  return table;
}();

}  // namespace

void extract_plane(const std::byte* column, unsigned bit, std::span<std::uint64_t> plane) {
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(7 - bit));
  for (std::uint64_t& word : plane) {
    word = 0;
    for (unsigned part = 0; part < 4; ++part) {
      // Shifting pairs of bytes moves `bit` of each to where movemask takes it from.
      const __m128i rows = _mm_loadu_si128(reinterpret_cast<const __m128i*>(column + 16 * part));
      const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_sll_epi16(rows, shift)));
      word |= static_cast<std::uint64_t>(mask) << (16 * part);
    }
    column += 64;
  }
}

void difference_plane(std::span<std::uint64_t> plane) {
  std::uint64_t before = 0;
  for (std::uint64_t& word : plane) {
    const std::uint64_t last = word >> 63;
    word ^= word << 1 | before;
    before = last;
  }
}

void integrate_plane(std::span<std::uint64_t> plane) {
  std::uint64_t before = 0;  // all ones where the row before this word is set
  for (std::uint64_t& word : plane) {
    for (unsigned shift = 1; shift < 64; shift *= 2) word ^= word << shift;
    word ^= before;
    before = std::uint64_t{0} - (word >> 63);
  }
}

void merge_planes(const std::uint64_t* planes, std::size_t words, std::span<const unsigned> bits,
                  std::byte base, std::byte* column) {
  const std::uint64_t other_bits = 0x0101010101010101u * static_cast<std::uint64_t>(base);
  for (std::size_t w = 0; w < words; ++w) {
    for (unsigned part = 0; part < 64; part += 8) {
      std::uint64_t rows = other_bits;
      for (std::size_t i = 0; i < bits.size(); ++i) {
        rows |= kSpread[planes[i * words + w] >> part & 0xff] << bits[i];
      }
      std::memcpy(column, &rows, 8);
      column += 8;
    }
  }
}

}  // namespace comback

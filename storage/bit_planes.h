#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comback {

// A column of bytes as up to eight columns of bits, 64 rows to a word, the first row lowest. Rows
// are padded to whole words: a column has room for plane_words(rows) * 64 bytes.
constexpr std::size_t plane_words(std::size_t rows) { return (rows + 63) / 64; }

// Bit `bit` of every byte of a column. The padding of the column becomes padding of the plane.
void extract_plane(const std::byte* column, unsigned bit, std::span<std::uint64_t> plane);

// Replaces every row's bit by whether it differs from the row before, the first row's by itself.
void difference_plane(std::span<std::uint64_t> plane);
// The way back.
void integrate_plane(std::span<std::uint64_t> plane);

// Bits of every byte of a column from as many planes, one behind the other: plane i is bit bits[i].
// The other bits are those of `base`.
void merge_planes(const std::uint64_t* planes, std::size_t words, std::span<const unsigned> bits,
                  std::byte base, std::byte* column);

}  // namespace comback

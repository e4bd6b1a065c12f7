#pragma once

#include <cstddef>

namespace comback {

// Writes the bytes of `rows` rows of `columns` bytes, one behind the other, column by column:
// out[c * rows + r] = in[r * columns + c]. REQUIRES: the ranges do not overlap.
void transpose_bytes(const std::byte* in, std::size_t rows, std::size_t columns, std::byte* out);

// A column to take bytes from: `step` is 1, or 0 for a byte that repeats (16 copies of it must be
// readable).
struct ColumnSource {
  const std::byte* data = nullptr;
  std::size_t step = 1;
};
// The way back, from columns that may lie anywhere: out[r * columns + c] = row r of column c.
// REQUIRES: `sources` has `columns` entries.
void gather_columns(const ColumnSource* sources, std::size_t rows, std::size_t columns,
                    std::byte* out);

}  // namespace comback

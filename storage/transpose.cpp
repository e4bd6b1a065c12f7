#include "storage/transpose.h"

#include <emmintrin.h>

#include <algorithm>

namespace comback {
namespace {

constexpr std::size_t kTile = 16;

struct Tile {
  __m128i row[kTile];
};

// Transposes 16 vectors of 16 bytes in place: four rounds of interleaving v[i] with v[i+8].
inline void transpose_tile(Tile& v) {
  Tile t;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < kTile / 2; ++i) {
      t.row[2 * i] = _mm_unpacklo_epi8(v.row[i], v.row[i + kTile / 2]);
      t.row[2 * i + 1] = _mm_unpackhi_epi8(v.row[i], v.row[i + kTile / 2]);
    }
    v = t;
  }
}

__m128i load(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
void store(std::byte* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

void transpose_slowly(const std::byte* in, std::size_t columns, std::size_t rows,
                      std::size_t first_row, std::byte* out) {
  for (std::size_t r = first_row; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) out[c * rows + r] = in[r * columns + c];
  }
}

void gather_slowly(const ColumnSource* sources, std::size_t first_row, std::size_t rows,
                   std::size_t columns, std::byte* out) {
  for (std::size_t r = first_row; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      out[r * columns + c] = sources[c].data[r * sources[c].step];
    }
  }
}

}  // namespace

void transpose_bytes(const std::byte* in, std::size_t rows, std::size_t columns, std::byte* out) {
  // A tile loads 16 bytes of each row, and where a row is shorter, of the rows that follow it.
  const std::size_t last_load = rows * columns < kTile ? 0 : rows * columns - kTile + 1;
  std::size_t r = 0;
  for (; r + kTile <= rows; r += kTile) {
    if (columns < kTile && (r + kTile - 1) * columns >= last_load) break;
    for (std::size_t c = 0; c < columns; c += kTile) {
      // The last tile of a row overlaps the one before.
      const std::size_t first = columns < kTile ? 0 : std::min(c, columns - kTile);
      const std::size_t width = std::min(columns, kTile);
      Tile v;
      for (std::size_t i = 0; i < kTile; ++i) v.row[i] = load(in + (r + i) * columns + first);
      transpose_tile(v);
      for (std::size_t i = 0; i < width; ++i) store(out + (first + i) * rows + r, v.row[i]);
    }
  }
  transpose_slowly(in, columns, rows, r, out);
}

void gather_columns(const ColumnSource* sources, std::size_t rows, std::size_t columns,
                    std::byte* out) {
  // A tile stores 16 bytes of each row, and where a row is shorter, over rows that come later.
  const std::size_t last_store = rows * columns < kTile ? 0 : rows * columns - kTile + 1;
  std::size_t r = 0;
  for (; r + kTile <= rows; r += kTile) {
    if (columns < kTile && (r + kTile - 1) * columns >= last_store) break;
    for (std::size_t c = 0; c < columns; c += kTile) {
      const std::size_t first = columns < kTile ? 0 : std::min(c, columns - kTile);
      const std::size_t width = std::min(columns, kTile);
      Tile v;
      for (std::size_t i = 0; i < width; ++i) {
        const ColumnSource& source = sources[first + i];
        v.row[i] = load(source.data + r * source.step);
      }
      for (std::size_t i = width; i < kTile; ++i) v.row[i] = _mm_setzero_si128();
      transpose_tile(v);
      for (std::size_t i = 0; i < kTile; ++i) store(out + (r + i) * columns + first, v.row[i]);
    }
  }
  gather_slowly(sources, r, rows, columns, out);
}

}  // namespace comback

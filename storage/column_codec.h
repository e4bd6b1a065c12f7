#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/transpose.h"

namespace comback {

// What is known about rows that are stored column by column.
enum class RowOrder {
  kRelated,  // a row differs little from the one before: what changes is stored, for zstd to shrink
  kRandom,   // rows have nothing to do with each other: what varies is stored as it is
};

// Rows of bytes as columns, without the bits in which all rows agree:
//
//   4 bytes        count
//   4 bytes        width
//   width bytes    the first row
//   width bytes    of each column, the bits in which some row differs from the first
//   width/8 bytes  rounded up: bit c says that column c is stored as bytes
//   count/8 bytes  rounded up, for each such bit of the other columns, in order; of kRelated rows,
//                  whether it differs from the row before (from 0 in the first row)
//   count bytes    for each column that is stored as bytes
//
// Of kRelated rows, columns of bytes are those of three bits or more that change in a quarter of
// the rows: there zstd finds patterns of values that bits tear apart. Of kRandom rows, those of all
// bits.
class ColumnEncoder {
 public:
  explicit ColumnEncoder(RowOrder order) : order_(order) {}

  // The columns, in memory of the encoder, until the next call. `rows`: `count` rows of `width`
  // bytes. REQUIRES: 0 < count, width < 2^32.
  std::span<const std::byte> encode(const std::byte* rows, std::size_t count, std::size_t width);

  std::size_t memory_bytes() const {
    return raw_.capacity() + columns_.capacity() + plane_.capacity() * 8;
  }

 private:
  RowOrder order_;
  RawBuffer columns_;
  RawBuffer raw_;
  std::vector<std::uint64_t> plane_;
};

class ColumnDecoder {
 public:
  explicit ColumnDecoder(RowOrder order) : order_(order) {}

  // The most bytes that so many rows can take.
  static std::size_t most_bytes(std::size_t count, std::size_t width);

  // The rows of `encoded`, into out[0 .. count * width). Nothing in `encoded` is believed; another
  // count or width is an error.
  Status decode(std::span<const std::byte> encoded, std::size_t count, std::size_t width,
                std::byte* out);

  std::size_t memory_bytes() const {
    return columns_.capacity() + planes_.capacity() * 8 +
           sources_.capacity() * sizeof(ColumnSource);
  }

 private:
  RowOrder order_;
  RawBuffer columns_;  // put together from planes, or 16 copies of a constant
  std::vector<std::uint64_t> planes_;
  std::vector<ColumnSource> sources_;
};

}  // namespace comback

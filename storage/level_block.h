#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/block_codec.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/transpose.h"

namespace comback {

// Descriptors of consecutive ids as one block. Neighbours in breadth-first order differ little, so
// what is stored, before zstd, is column by column, and only the bits in which rows differ:
//
//   4 bytes        count
//   4 bytes        width
//   width bytes    the first row
//   width bytes    of each column, the bits in which some row differs from the first
//   width/8 bytes  rounded up: bit c says that column c is stored as bytes
//   count/8 bytes  rounded up, for each such bit of the other columns, in order: whether it differs
//                  from the row before (from 0 in the first row)
//   count bytes    for each column that is stored as bytes
//
// Bytes are for columns of three bits or more that change in a quarter of the rows: there zstd
// finds patterns of values that bits tear apart. Over seven BEEM models, in blocks of 4096 with
// zstd's level 1, in bytes per state: 2.05 for all columns as bytes, 2.03 for all as bits, 1.83 for
// this, which is also the fastest of the three, as there is so much less to compress. Level 3 gains
// 2% and takes a quarter longer; blocks of 16384 gain 5%.

// How many descriptors of this width to put into a block: `states`, or less where that would be
// too many bytes. The more the better they compress, and the longer it takes to get at one.
inline constexpr std::size_t kDefaultBlockStates = 4096;
std::size_t level_block_states(std::size_t width, std::size_t states = kDefaultBlockStates);

// One per thread, reused; allocates nothing once it has met its largest block.
class LevelBlockEncoder {
 public:
  explicit LevelBlockEncoder(int zstd_level = 1) : blocks_(zstd_level) {}

  // The block, in memory of the encoder, until the next call. `rows`: `count` descriptors, row by
  // row. REQUIRES: 1 <= count <= level_block_states(width, count).
  std::span<const std::byte> encode(const std::byte* rows, std::size_t count, std::size_t width);

  std::size_t memory_bytes() const {
    return blocks_.memory_bytes() + raw_.capacity() + columns_.capacity() + plane_.capacity() * 8;
  }

 private:
  BlockEncoder blocks_;
  RawBuffer columns_;
  RawBuffer raw_;
  std::vector<std::uint64_t> plane_;
};

// One per thread, reused; allocates nothing once it has met its largest block. Bytes from disk are
// not believed: see BlockDecoder.
class LevelBlockDecoder {
 public:
  // The descriptors of `block`, row by row, into out[0 .. count * width). A block of another count
  // or width is an error.
  Status decode(std::span<const std::byte> block, std::size_t count, std::size_t width,
                std::byte* out);

  std::size_t memory_bytes() const {
    return blocks_.memory_bytes() + raw_.capacity() + columns_.capacity() + planes_.capacity() * 8 +
           sources_.capacity() * sizeof(ColumnSource);
  }

 private:
  BlockDecoder blocks_;
  RawBuffer raw_;
  RawBuffer columns_;  // put together from planes, or 16 copies of a constant
  std::vector<std::uint64_t> planes_;
  std::vector<ColumnSource> sources_;
};

}  // namespace comback

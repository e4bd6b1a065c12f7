#pragma once

#include <cstddef>
#include <span>

#include "io/block_codec.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/column_codec.h"

namespace comback {

// Descriptors of consecutive ids as one block: columns of storage/column_codec.h, compressed.
// Neighbours in breadth-first order differ little, and column by column zstd makes the most of it.
//
// Over seven BEEM models, in blocks of 4096 with zstd's level 1, in bytes per state: 2.05 for all
// columns as bytes, 2.03 for all as bits, 1.83 for the choice between them, which is also the
// fastest, as there is so much less to compress. Level 3 gains 2% and takes a quarter longer;
// blocks of 16384 gain 5%.

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

  std::size_t memory_bytes() const { return blocks_.memory_bytes() + columns_.memory_bytes(); }

 private:
  ColumnEncoder columns_{RowOrder::kRelated};
  BlockEncoder blocks_;
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
    return blocks_.memory_bytes() + raw_.capacity() + columns_.memory_bytes();
  }

 private:
  BlockDecoder blocks_;
  RawBuffer raw_;
  ColumnDecoder columns_{RowOrder::kRelated};
};

}  // namespace comback

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

// Descriptors of consecutive ids as one block. Neighbours in breadth-first order share most of
// their bytes, so they are stored column by column, which zstd makes the most of; columns with one
// value are not stored at all.
//
// The raw bytes of the block:
//
//   4 bytes        count
//   4 bytes        width
//   width/8 bytes  rounded up: bit c says that column c varies
//   1 byte each    the value of every column that does not
//   count each     the columns that do

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

  std::size_t memory_bytes() const { return blocks_.memory_bytes() + raw_.capacity(); }

 private:
  BlockEncoder blocks_;
  RawBuffer raw_;
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
    return blocks_.memory_bytes() + raw_.capacity() + constants_.capacity() +
           columns_.capacity() * sizeof(ColumnSource);
  }

 private:
  BlockDecoder blocks_;
  RawBuffer raw_;
  RawBuffer constants_;  // 16 copies of each
  std::vector<ColumnSource> columns_;
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/raw_buffer.h"
#include "io/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace comback {

// The one block of bytes that everything we write ourselves consists of:
//
//   offset  bytes
//        0      8  XXH3-64 of all that follows, header and payload
//        8      3  "CBk"
//       11      1  BlockKind
//       12      4  raw bytes; the top bit says that the payload is compressed
//       16      4  payload bytes
//       20         the payload: one zstd frame, or the raw bytes where that is not smaller
//
// Numbers are little-endian.
enum class BlockKind : std::uint8_t {
  kLevel = 1,       // storage/level_block.h
  kLevelIndex = 2,  // storage/level_store.h
  kSortedRun = 3,   // storage/record_sorter.h
  kTable = 4,       // values in RocksDB
};

inline constexpr std::size_t kBlockHeaderBytes = 20;
inline constexpr std::size_t kMaxBlockRawBytes = std::size_t{1} << 30;

// Owns a compression context and a buffer: one per thread, reused. Once both have met their
// largest block, encode() allocates nothing.
class BlockEncoder {
 public:
  static constexpr int kStore = -1000000;  // a level that does not compress

  // `level`: zstd's, negative ones are its fast modes; or kStore.
  explicit BlockEncoder(int level = 1);
  BlockEncoder(BlockEncoder&&) noexcept;
  BlockEncoder& operator=(BlockEncoder&&) noexcept;
  ~BlockEncoder();

  // The block, in memory of the encoder, until the next call.
  // REQUIRES: raw.size() <= kMaxBlockRawBytes.
  std::span<const std::byte> encode(BlockKind kind, std::span<const std::byte> raw);

  std::size_t memory_bytes() const;

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;  // none: kStore
  RawBuffer block_;
};

// What a block's header says, checked for sense but not against the checksum.
struct BlockHeader {
  BlockKind kind{};
  bool compressed = false;
  std::uint32_t raw_bytes = 0;      // at most kMaxBlockRawBytes
  std::uint32_t payload_bytes = 0;  // at most raw_bytes
  std::size_t block_bytes() const { return kBlockHeaderBytes + payload_bytes; }
};
// Of the block that `bytes` start with; they may end anywhere behind its header.
Result<BlockHeader> read_block_header(std::span<const std::byte> bytes);

// Owns a decompression context: one per thread, reused.
//
// Blocks come from disk, so nothing in them is believed: whatever `block` holds, decoding reads
// nothing outside it and writes nothing outside `out`, and Errc::kCorruption says what was wrong.
// Whoever knows the file and the offset adds them with located().
class BlockDecoder {
 public:
  BlockDecoder();
  BlockDecoder(BlockDecoder&&) noexcept;
  BlockDecoder& operator=(BlockDecoder&&) noexcept;
  ~BlockDecoder();

  // The raw bytes of `block`, a whole block of this kind and nothing else, as the start of `out`
  // and their number. A block with more than out.size() of them is an error.
  Result<std::size_t> decode(BlockKind kind, std::span<const std::byte> block,
                             std::span<std::byte> out);

  std::size_t memory_bytes() const;

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace comback

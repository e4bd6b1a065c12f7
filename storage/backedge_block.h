#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/result.h"
#include "storage/backedge_table.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace comback {

// Backedges of consecutive ids, packed for the disk:
//
//   byte    bit 0: predecessors never decrease; bit 1: the columns are a zstd frame;
//           bits 2-4: bytes of an event beyond its low six bits
//   varint  count, 1 to kMaxBackedges
//   varint  the first predecessor
//   varint  bytes of the columns
//   then the columns, one after the other:
//   steps   count bytes: the low six bits of the event, times 4, plus how far the predecessor of
//   the
//           next id lies ahead: 0, 1, 2, or 3 for more; 0 where predecessors may decrease
//   planes  for each further byte of events, count bytes: event >> 6, >> 14, ...
//   rest    varints: what is left of each step of 3; where predecessors may decrease, the
//           differences between neighbours, zigzag coded
//
// In canonical numbering predecessors never decrease, and a state is one byte that repeats well. In
// blocks of 65536 and with zstd -6 a state takes 0.52 bytes in at.3, 0.47 in lamport.5, 0.22 in
// peterson.4, 0.20 in sorter.3, 0.16 in iprotocol.3, 0.08 in brp.3; in blocks of 16384, an eighth
// to a third more; with columns of children counts and events instead, a third to twice as much.

inline constexpr std::size_t kMaxBackedges = std::size_t{1} << 16;

// Unpacked.
class BackedgeBlock {
 public:
  std::uint64_t first_id = 0;
  std::vector<std::uint64_t> predecessors;
  std::vector<std::uint32_t> events;

  std::size_t size() const { return events.size(); }
  bool contains(std::uint64_t id) const { return id - first_id < events.size(); }
  // REQUIRES: contains(id)
  Backedge at(std::uint64_t id) const {
    assert(contains(id));
    return {predecessors[id - first_id], events[id - first_id]};
  }
};

// Owns a compression context: one per thread, reused.
class BackedgeEncoder {
 public:
  BackedgeEncoder();
  BackedgeEncoder(BackedgeEncoder&&) noexcept;
  BackedgeEncoder& operator=(BackedgeEncoder&&) noexcept;
  ~BackedgeEncoder();

  // The packed block, in memory of the encoder, until the next call.
  // REQUIRES: 1 <= edges.size() <= kMaxBackedges.
  std::string_view encode(std::span<const Backedge> edges);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::string columns_;
  std::string packed_;
};

// Owns a decompression context: one per thread, reused.
class BackedgeDecoder {
 public:
  BackedgeDecoder();
  BackedgeDecoder(BackedgeDecoder&&) noexcept;
  BackedgeDecoder& operator=(BackedgeDecoder&&) noexcept;
  ~BackedgeDecoder();

  // Unpacks the block that starts with `first_id`. The bytes are not trusted: whatever they are,
  // nothing outside is read, and what is not a block, or has a predecessor that is not smaller than
  // its id (but for the id 0, with the predecessor 0), is kCorruption.
  Status decode(std::string_view packed, std::uint64_t first_id, BackedgeBlock& block);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::string columns_;
};

}  // namespace comback

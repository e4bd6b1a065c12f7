#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "storage/mapping.h"
#include "storage/memory_budget.h"

namespace comback {

// The edge that first reached a state.
struct Backedge {
  std::uint64_t predecessor = 0;
  std::uint32_t event = 0;
  friend bool operator==(const Backedge&, const Backedge&) = default;
};

// The backedge table of the ComBack method [westergaard07], in memory: id -> (predecessor, event).
// The initial state has the backedge (0, 0).
//
// Ids come in blocks. The newest block is raw; when it is full it is sealed: predecessors relative
// to the block's smallest and events relative to its smallest, each in as few bits as the block
// needs, one record after the other. Breadth first, predecessors of neighbours are neighbours, and
// a record takes two to three bytes.
//
// Invariants:
//   I1  Dense: exactly the ids 0 .. size()-1 have an entry.
//   I2  Write-once: an entry never changes.
class BackedgeTable {
 public:
  // REQUIRES: `budget` outlives the table.
  explicit BackedgeTable(MemoryBudget& budget) : budget_(&budget) {}
  BackedgeTable(BackedgeTable&&) = default;
  BackedgeTable& operator=(BackedgeTable&&) = default;

  // Adds the entry of id size(). False, and nothing added, where the budget does not allow it.
  // REQUIRES: predecessor < 2^56.
  [[nodiscard]] bool append(std::uint64_t predecessor, std::uint32_t event) {
    if (open_count_ == kBlock || !open_) {
      if (!open_ ? !start() : !seal()) return false;
    }
    open()[open_count_++] = {predecessor, event};
    return true;
  }

  // REQUIRES: id < size()
  Backedge find(std::uint64_t id) const {
    assert(id < size());
    const std::uint64_t b = id / kBlock;
    const std::uint64_t i = id % kBlock;
    if (b == blocks_.size()) return open()[i];
    const Block& block = blocks_[b];
    const unsigned record_bits = block.predecessor_bits + block.event_bits;
    const std::uint64_t bit = i * record_bits;
    return {
        block.first_predecessor + read(block.records, bit, block.predecessor_bits),
        block.first_event + static_cast<std::uint32_t>(read(
                                block.records, bit + block.predecessor_bits, block.event_bits))};
  }

  std::uint64_t size() const { return blocks_.size() * kBlock + open_count_; }
  // Of the records, with the room allocated ahead for them and for the open block.
  std::uint64_t bytes() const {
    return chunks_.size() * kChunkBytes + open_.size() + blocks_.capacity() * sizeof(Block);
  }

 private:
  static constexpr std::uint64_t kBlock = 2048;
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
  static constexpr std::size_t kSlack = 8;  // read() loads eight bytes wherever a field starts

  struct Block {
    const std::byte* records;
    std::uint64_t first_predecessor;
    std::uint32_t first_event;
    std::uint8_t predecessor_bits;
    std::uint8_t event_bits;
  };

  static std::uint64_t read(const std::byte* from, std::uint64_t bit, unsigned bits) {
    std::uint64_t word;
    std::memcpy(&word, from + bit / 8, 8);
    return (word >> (bit % 8)) & ((std::uint64_t{1} << bits) - 1);
  }

  Backedge* open() const { return reinterpret_cast<Backedge*>(open_.data()); }
  bool start();
  bool seal();

  MemoryBudget* budget_;
  Mapping open_;  // kBlock Backedges
  std::uint64_t open_count_ = 0;
  std::vector<Block> blocks_;
  std::vector<Mapping> chunks_;
  std::size_t chunk_used_ = kChunkBytes;  // of the last chunk
};

}  // namespace comback

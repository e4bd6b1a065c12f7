#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/mapping.h"

namespace comback {

// Records of one size, last in, first out, in chunks that come from a budget and go back to it.
// A record stays where it is until it is popped; past it lie 64 more readable bytes.
class RecordStack {
 public:
  // REQUIRES: record_bytes > 0; `budget` outlives the stack.
  RecordStack(std::size_t record_bytes, MemoryBudget& budget)
      : record_bytes_(record_bytes), shift_(chunk_shift(record_bytes)), budget_(&budget) {}

  // Bytes that the first record takes.
  static std::size_t min_bytes(std::size_t record_bytes) {
    const std::size_t bytes = (record_bytes << chunk_shift(record_bytes)) + kSlack;
    return (bytes + Mapping::kPage - 1) / Mapping::kPage * Mapping::kPage;
  }

  // Room for one more record, of unspecified contents; null where the budget does not allow it.
  [[nodiscard]] std::byte* push() {
    if (size_ == chunks_.size() << shift_) {
      Mapping chunk = Mapping::allocate(min_bytes(record_bytes_), *budget_);
      if (!chunk) return nullptr;
      chunks_.push_back(std::move(chunk));
    }
    return at(size_++);
  }
  // REQUIRES: not empty.
  void pop() {
    assert(size_ > 0);
    --size_;
    // One empty chunk is kept, so that a stack that swings around a border does not allocate.
    if ((size_ >> shift_) + 2 < chunks_.size()) chunks_.pop_back();
  }
  std::byte* top() { return at(size_ - 1); }
  // Forgets all records, keeps the memory.
  void clear() { size_ = 0; }

  // From the bottom. REQUIRES: i < size().
  std::byte* at(std::uint64_t i) {
    return chunks_[i >> shift_].data() + (i & ((std::uint64_t{1} << shift_) - 1)) * record_bytes_;
  }
  const std::byte* at(std::uint64_t i) const { return const_cast<RecordStack*>(this)->at(i); }

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return chunks_.size() * min_bytes(record_bytes_); }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
  static constexpr std::size_t kSlack = 64;

  // Chunks hold a power of two of records, in 32 to 64 KiB unless sixteen records need more.
  static unsigned chunk_shift(std::size_t record_bytes) {
    return static_cast<unsigned>(std::max<int>(5, std::bit_width(kChunkBytes / record_bytes))) - 1;
  }

  std::size_t record_bytes_;
  unsigned shift_;
  MemoryBudget* budget_;
  std::vector<Mapping> chunks_;
  std::uint64_t size_ = 0;
};

}  // namespace comback

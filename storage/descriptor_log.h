#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/bytes.h"
#include "storage/mapping.h"

namespace comback {

// Descriptors of one width in the order they were added: id -> descriptor. With nothing released
// it is the store of visited states; released from the front, it is a first-in-first-out queue.
//
// Invariants:
//   I1  The ids released_below() .. size()-1 have a descriptor, which never moves or changes.
//   I2  Past a chunk's last descriptor lie 64 more readable bytes.
class DescriptorLog {
 public:
  static constexpr std::uint64_t kMaxSize = 0xfffffffe;  // ids fit in 32 bits, with one to spare
  // For those whose ids need not.
  static constexpr std::uint64_t kMaxWideSize = std::uint64_t{1} << 40;

  // REQUIRES: width > 0; `budget` outlives the log; most <= kMaxWideSize.
  DescriptorLog(std::size_t width, MemoryBudget& budget, std::uint64_t most = kMaxSize)
      : most_(most),
        width_(width),
        chunk_bytes_(chunk_bytes(width)),
        per_chunk_((chunk_bytes_ - kSlack) / width),
        inverse_(~std::uint64_t{0} / per_chunk_ + 1),
        budget_(&budget) {}

  // Bytes that a log of this width takes for its first descriptor.
  static std::size_t chunk_bytes(std::size_t width) {
    const std::size_t bytes = kMinPerChunk * width + kSlack;
    return (bytes + Mapping::kHugePage - 1) / Mapping::kHugePage * Mapping::kHugePage;
  }

  // Makes room for `count` more. False where the budget does not allow it, or the ids run out.
  [[nodiscard]] bool reserve(std::uint64_t count) {
    return size_ + count <= capacity_ || grow(count);
  }

  // Adds a descriptor, under the id size(). REQUIRES: reserve() made room for it.
  void append(const std::byte* descriptor) {
    assert(size_ < capacity_);
    copy_bytes(end_, descriptor, width_);
    ++size_;
    end_ += width_;
    if (--room_ == 0) open_next_chunk();
  }

  // Adds `count` descriptors whose bytes are written afterwards through slot(), by any thread.
  // REQUIRES: reserve() made room for them.
  void append_unwritten(std::uint64_t count);
  std::byte* slot(std::uint64_t id) { return const_cast<std::byte*>(get(id)); }

  // REQUIRES: released_below() <= id < size().
  const std::byte* get(std::uint64_t id) const {
    __extension__ using Wide = unsigned __int128;
    // Division by multiplication, exact where dividend times divisor is below 2^64 [lemire19]: a
    // chunk has at most 2^21 descriptors.
    const auto chunk = static_cast<std::uint64_t>((static_cast<Wide>(inverse_) * id) >> 64);
    return starts_[chunk] + (id - chunk * per_chunk_) * width_;
  }
  void prefetch(std::uint64_t id) const {
    const std::byte* const p = get(id);
    __builtin_prefetch(p);
    __builtin_prefetch(p + width_ - 1);
  }

  // Gives back the memory that only ids below `id` use.
  void release_below(std::uint64_t id);
  std::uint64_t released_below() const { return std::max(first_chunk_ * per_chunk_, start_); }

  // Back to no descriptors.
  void clear();

  // The first descriptor to be added gets this id; those below count as released.
  // REQUIRES: nothing was added yet.
  void start_at(std::uint64_t id);

  std::size_t width() const { return width_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return (chunks_.size() - first_chunk_) * chunk_bytes_; }

 private:
  static constexpr std::size_t kSlack = 64;
  static constexpr std::size_t kMinPerChunk = 16;

  bool grow(std::uint64_t count);
  void open_next_chunk();

  std::uint64_t most_;
  std::size_t width_;
  std::size_t chunk_bytes_;
  std::uint64_t per_chunk_;
  std::uint64_t inverse_;
  MemoryBudget* budget_;
  std::vector<Mapping> chunks_;
  std::vector<std::byte*> starts_;  // of the chunks
  std::uint64_t first_chunk_ = 0;   // not released
  std::uint64_t start_ = 0;         // nothing below it was ever here
  std::uint64_t size_ = 0;
  std::uint64_t capacity_ = 0;
  std::byte* end_ = nullptr;  // where the next descriptor goes
  std::uint64_t room_ = 0;    // descriptors that fit there
};

}  // namespace comback

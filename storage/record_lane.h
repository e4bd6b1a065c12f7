#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/little_endian.h"
#include "storage/bytes.h"
#include "storage/mapping.h"
#include "storage/memory_budget.h"

namespace comback {

// Which bucket a key belongs to: evenly over a range that keys are expected in. Monotone, so
// buckets in order hold keys in order.
class KeyBuckets {
 public:
  // REQUIRES: count is a power of two; first <= last.
  KeyBuckets(std::size_t count, std::uint64_t first, std::uint64_t last);

  std::size_t of(std::uint64_t key) const {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t from_first = key <= first_ ? 0 : key - first_;
    const auto bucket = static_cast<std::size_t>((static_cast<Wide>(from_first) * factor_) >> 64);
    return bucket < count_ ? bucket : count_ - 1;
  }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_;
  std::uint64_t first_;
  std::uint64_t factor_;  // count * 2^64 / size of the range, rounded down
};

// Records of one thread, in memory, in buckets by key, each a list of chunks. A record is its key,
// 8 bytes, and its payload.
//
// Some memory is its own from the beginning to the end, where the budget allows that: however
// little others leave of the budget later, there is room to sort with.
class RecordLane {
 public:
  struct Shape {
    std::size_t record_bytes = 0;
    std::size_t buckets = 0;
    std::size_t chunk_records = 0;
    std::uint64_t most_bytes = 0;  // of memory

    // For records of this size in this much memory: as many buckets, up to 256, as leave three
    // quarters of the memory for full chunks.
    static Shape fit(std::size_t record_bytes, std::uint64_t most_bytes);
    std::size_t chunk_bytes() const { return record_bytes * chunk_records; }
  };

  // REQUIRES: `budget` outlives the lane.
  RecordLane(const Shape& shape, MemoryBudget& budget);

  // False where there is no memory for it. REQUIRES: bucket < shape.buckets.
  [[nodiscard]] bool add(std::size_t bucket, std::uint64_t key, const std::byte* payload) {
    Bucket& b = buckets_[bucket];
    if (b.end == b.limit && !open_chunk(b)) return false;
    store_le(b.end, key);
    copy_bytes(b.end + 8, payload, shape_.record_bytes - 8);
    b.end += shape_.record_bytes;
    ++size_;
    return true;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t size(std::size_t bucket) const;
  // The records of a bucket, chunk by chunk.
  std::size_t chunks(std::size_t bucket) const { return buckets_[bucket].chunks.size(); }
  std::span<const std::byte> chunk(std::size_t bucket, std::size_t i) const;

  void clear();           // keeps the memory for the next records
  void release_memory();  // but for its own. REQUIRES: size() == 0
  std::uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Bucket {
    std::byte* end = nullptr;  // where the next record goes, in the last chunk
    std::byte* limit = nullptr;
    std::vector<std::byte*> chunks;
  };

  bool open_chunk(Bucket& bucket);
  void add_chunks(const Mapping& slab);

  Shape shape_;
  MemoryBudget* budget_;
  std::vector<Bucket> buckets_;
  Mapping own_;
  std::vector<Mapping> slabs_;
  std::vector<std::byte*> free_chunks_;
  std::uint64_t memory_bytes_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace comback

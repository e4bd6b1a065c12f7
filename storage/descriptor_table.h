#pragma once

#include <emmintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/descriptor_log.h"
#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/mapping.h"

namespace comback {

// The exact set of visited states: an index over a log of descriptors, open addressing in buckets
// of one cache line: twelve ids, a byte of hash for each, and how many there are. A state that
// finds its bucket full goes to the next one; nothing is ever removed, so a search ends at the
// first bucket with room.
//
// The leading bits of a hash choose one of 64 partitions, which grow one by one when they are
// 92% full, by 35%: an entry takes 5.8 to 7.9 bytes, and while one partition is copied only a 64th
// of the table is there twice. Hashes are not kept: growing computes them again from the log.
//
// Invariants:
//   I1  The ids in the table are 0 .. size()-1, each once; their descriptors in the log differ.
//   I2  All buckets from an id's home to its place, except its place, are full.
//   I3  Every partition has an empty place.
class DescriptorTable {
 public:
  // `hash` must be hash_bytes in a real search; a test passes a worse one.
  using Hash = std::uint64_t (*)(const std::byte* data, std::size_t bytes);

  static constexpr std::uint64_t kMinBytes = 64 * Mapping::kPage;

  // REQUIRES: `log` and `budget` outlive the table; nobody else appends to `log`.
  DescriptorTable(DescriptorLog& log, MemoryBudget& budget, Hash hash = nullptr)
      : log_(&log), budget_(&budget), hash_(hash) {}

  // Allocates the partitions. False where the budget does not allow kMinBytes.
  [[nodiscard]] bool open();

  std::uint64_t hash_of(const std::byte* descriptor) const {
    return hash_ == nullptr ? hash_bytes(descriptor, log_->width())
                            : hash_(descriptor, log_->width());
  }

  // A look-up in three steps, so that the cache misses of several overlap: prefetch brings the
  // home bucket, prefetch_match the descriptor that looks equal there.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(home(hash)); }
  void prefetch_match(std::uint64_t hash) const {
    const Bucket& bucket = *home(hash);
    const unsigned match = matches(bucket, tag_of(hash));
    if (match != 0) log_->prefetch(bucket.ids[__builtin_ctz(match)]);
  }

  // REQUIRES: `hash` is hash_of(descriptor), here and below.
  bool contains(std::uint64_t hash, const std::byte* descriptor) const;

  // Adds `descriptor` to the set and, where it is new, to the log.
  // REQUIRES: the log has room for one more.
  Insertion insert(std::uint64_t hash, const std::byte* descriptor);

  std::uint64_t size() const { return log_->size(); }
  // Of the index alone.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr unsigned kPartitionBits = 6;
  static constexpr unsigned kSlots = 12;

  struct alignas(64) Bucket {
    std::uint8_t tags[kSlots];
    std::uint8_t count;
    std::uint8_t unused[3];
    std::uint32_t ids[kSlots];
  };
  static_assert(sizeof(Bucket) == 64);

  struct Partition {
    Bucket* buckets = nullptr;
    std::uint64_t bucket_count = 0;
    std::uint64_t left = 0;  // that may still be inserted before it grows
    Mapping memory;
  };

  static std::uint8_t tag_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }
  static unsigned matches(const Bucket& bucket, std::uint8_t tag) {
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(bucket.tags));
    const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(tag)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << bucket.count) - 1);
  }
  static Bucket* home_in(const Partition& p, std::uint64_t hash) {
    return p.buckets + hash_to_range(hash << kPartitionBits, p.bucket_count);
  }
  static Bucket* next(const Partition& p, Bucket* bucket) {
    return ++bucket == p.buckets + p.bucket_count ? p.buckets : bucket;
  }
  Bucket* home(std::uint64_t hash) const {
    return home_in(partitions_[hash >> (64 - kPartitionBits)], hash);
  }

  static void place(const Partition& p, std::uint64_t hash, std::uint32_t id);
  bool grow(Partition& partition);

  DescriptorLog* log_;
  MemoryBudget* budget_;
  Hash hash_;
  std::uint64_t bytes_ = 0;
  std::array<Partition, 1u << kPartitionBits> partitions_;
};

inline Insertion DescriptorTable::insert(std::uint64_t hash, const std::byte* descriptor) {
  Partition& p = partitions_[hash >> (64 - kPartitionBits)];
  const std::uint8_t tag = tag_of(hash);
  Bucket* bucket = home_in(p, hash);
  while (true) {
    for (unsigned match = matches(*bucket, tag); match != 0; match &= match - 1) {
      const std::uint32_t id = bucket->ids[__builtin_ctz(match)];
      if (equal_bytes(log_->get(id), descriptor, log_->width())) return Insertion::kKnown;
    }
    if (bucket->count < kSlots) break;  // I2: it is nowhere behind this bucket
    bucket = next(p, bucket);
  }
  const auto id = static_cast<std::uint32_t>(log_->size());
  if (p.left == 0) {
    if (!grow(p)) return Insertion::kNoMemory;
    place(p, hash, id);
  } else {
    bucket->tags[bucket->count] = tag;
    bucket->ids[bucket->count] = id;
    ++bucket->count;
  }
  --p.left;
  log_->append(descriptor);
  return Insertion::kNew;
}

inline bool DescriptorTable::contains(std::uint64_t hash, const std::byte* descriptor) const {
  const Partition& p = partitions_[hash >> (64 - kPartitionBits)];
  Bucket* bucket = home_in(p, hash);
  while (true) {
    for (unsigned match = matches(*bucket, tag_of(hash)); match != 0; match &= match - 1) {
      const std::uint32_t id = bucket->ids[__builtin_ctz(match)];
      if (equal_bytes(log_->get(id), descriptor, log_->width())) return true;
    }
    if (bucket->count < kSlots) return false;
    bucket = next(p, bucket);
  }
}

}  // namespace comback

#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "storage/hash.h"
#include "storage/mapping.h"

namespace comback {

// Sets of states are cut into partitions by the leading bits of the hash: they grow one by one, and
// threads work on different ones without locks.
inline constexpr unsigned kPartitionBits = 6;
inline constexpr unsigned kPartitions = 1u << kPartitionBits;
inline unsigned partition_of(std::uint64_t hash) {
  return static_cast<unsigned>(hash >> (64 - kPartitionBits));
}

// Numbers by the hashes of what they stand for, within one partition: open addressing in buckets of
// one cache line: twelve numbers, a byte of hash for each, and how many there are. What finds its
// bucket full goes to the next one; nothing is ever removed, so a search ends at the first bucket
// with room. Hashes are not kept: growing asks for them again.
//
// A partition grows when it is 92% full. Growing by 35%, an entry takes 5.8 to 7.9 bytes; by more,
// it takes more, and less time, since what the numbers stand for is hashed again less often.
//
// Invariants:
//   I1  All buckets from a number's home to its place, except its place, are full.
//   I2  There is a bucket with room.
class TagIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint64_t kMinBytes = Mapping::kPage;

  // Allocates the first page. False where the budget does not allow it.
  [[nodiscard]] bool open(MemoryBudget& budget) { return allocate(1, budget); }

  // A look-up in three steps, so that the cache misses of several overlap: prefetch brings the
  // home bucket, first_match tells what looks equal there.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(home(hash)); }
  std::uint32_t first_match(std::uint64_t hash) const {
    const Bucket& bucket = *home(hash);
    const unsigned match = matches(bucket, tag_of(hash));
    return match == 0 ? kNone : bucket.numbers[__builtin_ctz(match)];
  }

  // The number under this hash for which `equal` holds, or kNone.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    const std::uint8_t tag = tag_of(hash);
    const Bucket* bucket = home(hash);
    while (true) {
      for (unsigned match = matches(*bucket, tag); match != 0; match &= match - 1) {
        const std::uint32_t number = bucket->numbers[__builtin_ctz(match)];
        if (equal(number)) return number;
      }
      if (bucket->count < kSlots) return kNone;  // I1: it is nowhere behind this bucket
      bucket = next(bucket);
    }
  }

  // Whether so many more can be inserted without growing.
  bool has_room(std::uint64_t count = 1) const { return left_ >= count; }
  // Numbers that fit without growing, those that are there included.
  std::uint64_t capacity() const { return most_entries(bucket_count_); }
  // Makes room for `count` more. `hash_of(number)` is asked for all that are there, `prefetch` some
  // time before. False where the budget does not allow it.
  template <class HashOf, class Prefetch>
  [[nodiscard]] bool reserve(std::uint64_t count, MemoryBudget& budget, HashOf&& hash_of,
                             Prefetch&& prefetch, unsigned growth_percent = 135) {
    while (left_ < count) {
      if (!grow(budget, hash_of, prefetch, growth_percent)) return false;
    }
    return true;
  }
  // REQUIRES: has_room(); `number` is not there yet.
  void insert(std::uint64_t hash, std::uint32_t number) {
    assert(has_room());
    place(hash, number);
    --left_;
  }
  // Forgets all numbers, keeps the memory.
  void clear();

  std::uint64_t bytes() const { return memory_.size(); }

 private:
  static constexpr unsigned kSlots = 12;
  static constexpr std::uint64_t kBucketsPerPage = Mapping::kPage / 64;

  struct alignas(64) Bucket {
    std::uint8_t tags[kSlots];
    std::uint8_t count;
    std::uint8_t unused[3];
    std::uint32_t numbers[kSlots];
  };
  static_assert(sizeof(Bucket) == 64);

  static std::uint64_t most_entries(std::uint64_t buckets) { return buckets * kSlots * 92 / 100; }
  static std::uint8_t tag_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }
  static unsigned matches(const Bucket& bucket, std::uint8_t tag) {
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(bucket.tags));
    const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(tag)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << bucket.count) - 1);
  }
  Bucket* home(std::uint64_t hash) const {
    return buckets_ + hash_to_range(hash << kPartitionBits, bucket_count_);
  }
  template <class B>
  B* next(B* bucket) const {
    return ++bucket == buckets_ + bucket_count_ ? buckets_ : bucket;
  }
  void place(std::uint64_t hash, std::uint32_t number) {
    Bucket* bucket = home(hash);
    while (bucket->count == kSlots) bucket = next(bucket);
    bucket->tags[bucket->count] = tag_of(hash);
    bucket->numbers[bucket->count] = number;
    ++bucket->count;
  }
  bool allocate(std::uint64_t pages, MemoryBudget& budget);
  template <class HashOf, class Prefetch>
  bool grow(MemoryBudget& budget, HashOf& hash_of, Prefetch& prefetch, unsigned percent);

  Bucket* buckets_ = nullptr;
  std::uint64_t bucket_count_ = 0;
  std::uint64_t left_ = 0;  // that may still be inserted before it grows
  Mapping memory_;
};

template <class HashOf, class Prefetch>
bool TagIndex::grow(MemoryBudget& budget, HashOf& hash_of, Prefetch& prefetch, unsigned percent) {
  // Whole pages, rounded down, so that at 135% no entry takes more than 7.9 bytes; but an index of
  // one or two pages has to double.
  const std::uint64_t pages = bucket_count_ / kBucketsPerPage;
  TagIndex grown;
  if (!grown.allocate(std::max(pages * percent / 100, pages + 1), budget)) return false;
  grown.left_ -= most_entries(bucket_count_) - left_;

  // The old buckets are in hash order, so the new ones are written nearly in sequence; what the
  // numbers stand for is read at random, some buckets ahead.
  constexpr std::uint64_t kAhead = 4;
  for (std::uint64_t b = 0; b < bucket_count_ + kAhead; ++b) {
    if (b < bucket_count_) {
      const Bucket& ahead = buckets_[b];
      for (unsigned i = 0; i < ahead.count; ++i) prefetch(ahead.numbers[i]);
    }
    if (b < kAhead) continue;
    const Bucket& bucket = buckets_[b - kAhead];
    for (unsigned i = 0; i < bucket.count; ++i) {
      grown.place(hash_of(bucket.numbers[i]), bucket.numbers[i]);
    }
  }
  *this = std::move(grown);
  return true;
}

}  // namespace comback

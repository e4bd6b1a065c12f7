#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

#include "storage/hash.h"
#include "storage/mapping.h"
#include "storage/tag_index.h"

namespace comback {

// The newest numbers by the hashes of what they stand for, within one partition, as many as fit:
// buckets of one cache line, in each of which the newest number replaces the oldest. What a search
// forgets this way it finds again on disk.
class RecentCache {
 public:
  static constexpr std::uint32_t kNone = TagIndex::kNone;

  // False where the budget does not allow it. REQUIRES: bytes >= 64.
  [[nodiscard]] bool open(std::uint64_t bytes, MemoryBudget& budget) {
    memory_ = Mapping::allocate(bytes, budget);
    if (!memory_) return false;
    buckets_ = reinterpret_cast<Bucket*>(memory_.data());
    bucket_count_ = memory_.size() / sizeof(Bucket);
    return true;
  }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(home(hash)); }
  std::uint32_t first_match(std::uint64_t hash) const {
    const Bucket& bucket = *home(hash);
    const unsigned match = matches(bucket, hash);
    return match == 0 ? kNone : bucket.numbers[__builtin_ctz(match)];
  }
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    const Bucket& bucket = *home(hash);
    for (unsigned match = matches(bucket, hash); match != 0; match &= match - 1) {
      const std::uint32_t number = bucket.numbers[__builtin_ctz(match)];
      if (equal(number)) return number;
    }
    return kNone;
  }
  void insert(std::uint64_t hash, std::uint32_t number) {
    Bucket& bucket = *home(hash);
    bucket.tags[bucket.oldest] = static_cast<std::uint8_t>(hash);
    bucket.numbers[bucket.oldest] = number;
    bucket.oldest = static_cast<std::uint8_t>((bucket.oldest + 1) % kSlots);
    bucket.count = static_cast<std::uint8_t>(std::min<unsigned>(bucket.count + 1u, kSlots));
  }

  std::uint64_t bytes() const { return memory_.size(); }
  static std::uint64_t numbers_in(std::uint64_t bytes) { return bytes / sizeof(Bucket) * kSlots; }

 private:
  static constexpr unsigned kSlots = 12;

  struct alignas(64) Bucket {
    std::uint8_t tags[kSlots];
    std::uint8_t count;
    std::uint8_t oldest;
    std::uint8_t unused[2];
    std::uint32_t numbers[kSlots];
  };
  static_assert(sizeof(Bucket) == 64);

  static unsigned matches(const Bucket& bucket, std::uint64_t hash) {
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(bucket.tags));
    const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(hash)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << bucket.count) - 1);
  }
  Bucket* home(std::uint64_t hash) const {
    return buckets_ + hash_to_range(hash << kPartitionBits, bucket_count_);
  }

  Bucket* buckets_ = nullptr;
  std::uint64_t bucket_count_ = 0;
  Mapping memory_;
};

}  // namespace comback

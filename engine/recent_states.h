#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "engine/expansion.h"
#include "engine/level_candidates.h"
#include "storage/descriptor_log.h"
#include "storage/hash.h"
#include "storage/recent_cache.h"
#include "storage/tag_index.h"

namespace comback {

// The states whose descriptors are in memory, by hash. Exact while that is all of them; a cache of
// the newest from then on.
//
// Threads: each partition may be used by one thread at a time.
class RecentStates {
 public:
  // REQUIRES: both outlive it.
  RecentStates(const DescriptorLog& log, MemoryBudget& budget) : log_(&log), budget_(&budget) {}

  [[nodiscard]] bool open() {
    for (TagIndex& index : indexes_) {
      if (!index.open(*budget_)) return false;
    }
    return true;
  }
  static constexpr std::uint64_t kMinBytes = kPartitions * TagIndex::kMinBytes;

  bool exact() const { return exact_; }
  // Gives back its memory; only become_cache() may follow.
  void forget() {
    for (TagIndex& index : indexes_) index = TagIndex();
  }
  // Is empty and a cache of about `bytes` from now on. False where the budget does not allow it.
  [[nodiscard]] bool become_cache(std::uint64_t bytes) {
    forget();
    exact_ = false;
    for (RecentCache& cache : caches_) {
      if (!cache.open(std::max<std::uint64_t>(bytes / kPartitions, 64), *budget_)) return false;
    }
    return true;
  }

  // How many states a cache of so many bytes knows.
  static std::uint64_t states_in(std::uint64_t bytes) { return RecentCache::numbers_in(bytes); }

  // Whether there is room for `count` more in a partition.
  bool has_room(unsigned partition, std::uint64_t count) const {
    return !exact_ || indexes_[partition].has_room(count);
  }
  // Makes room for `count` more in a partition, and grows it also when that will be soon: threads
  // have something to do only while several partitions grow. False where the budget does not allow
  // it.
  [[nodiscard]] bool reserve(unsigned partition, std::uint64_t count) {
    if (!exact_) return true;
    TagIndex& index = indexes_[partition];
    const std::size_t width = log_->width();
    const auto grow = [&](std::uint64_t more) {
      return index.reserve(
          more, *budget_, [&](std::uint32_t id) { return hash_bytes(log_->get(id), width); },
          [&](std::uint32_t id) { log_->prefetch(id); }, 200);
    };
    return grow(count + index.capacity() / 32) || grow(count);
  }
  void prefetch(std::uint64_t hash) const {
    const unsigned p = partition_of(hash);
    exact_ ? indexes_[p].prefetch(hash) : caches_[p].prefetch(hash);
  }
  // REQUIRES: reserve() made room.
  void insert(std::uint64_t hash, std::uint64_t id) {
    const unsigned p = partition_of(hash);
    exact_ ? indexes_[p].insert(hash, static_cast<std::uint32_t>(id))
           : caches_[p].insert(hash, static_cast<std::uint32_t>(id));
  }

  // Adds those of `records`, all of one partition, that are not here to `candidates`. False where
  // the budget does not allow it.
  [[nodiscard]] bool sift(unsigned partition, const SuccessorRecords& records,
                          LevelCandidates& candidates) const {
    return exact_ ? sift_into(indexes_[partition], records, candidates)
                  : sift_into(caches_[partition], records, candidates);
  }

 private:
  // The newest id that ends in these 32 bits; 0 where its descriptor is no longer in memory, which
  // then differs from what is looked for, or is equal: both are right.
  const std::byte* descriptor(std::uint32_t number) const {
    const std::uint64_t last = log_->size() - 1;
    const std::uint64_t id =
        last - static_cast<std::uint32_t>(static_cast<std::uint32_t>(last) - number);
    return id >= log_->released_below() && id <= last ? log_->get(id) : nullptr;
  }
  template <class Index>
  void prefetch_match(const Index& index, std::uint64_t hash) const {
    const std::uint32_t number = index.first_match(hash);
    if (number == TagIndex::kNone) return;
    if (const std::byte* const bytes = descriptor(number)) {
      __builtin_prefetch(bytes);
      __builtin_prefetch(bytes + log_->width() - 1);
    }
  }
  template <class Index>
  bool sift_into(const Index& index, const SuccessorRecords& records,
                 LevelCandidates& candidates) const;

  const DescriptorLog* log_;
  MemoryBudget* budget_;
  bool exact_ = true;
  std::array<TagIndex, kPartitions> indexes_;
  std::array<RecentCache, kPartitions> caches_;
};

template <class Index>
bool RecentStates::sift_into(const Index& index, const SuccessorRecords& records,
                             LevelCandidates& candidates) const {
  // Cache misses of several look-ups overlap: first the bucket, later what looks equal in it.
  constexpr std::size_t kBucketAhead = 16;
  constexpr std::size_t kMatchAhead = 8;
  const std::size_t width = log_->width();
  const std::size_t count = records.size();
  for (std::size_t i = 0; i < std::min(kBucketAhead, count); ++i) index.prefetch(records[i].hash);
  for (std::size_t i = 0; i < count + kMatchAhead; ++i) {
    if (i + kMatchAhead < count) index.prefetch(records[i + kMatchAhead].hash);
    if (i < count) prefetch_match(index, records[i].hash);
    if (i < kMatchAhead) continue;
    const CandidateRecord& record = records[i - kMatchAhead];
    const std::uint32_t known = index.find(record.hash, [&](std::uint32_t number) {
      const std::byte* const bytes = descriptor(number);
      return bytes != nullptr && equal_bytes(bytes, record.descriptor(), width);
    });
    if (known != TagIndex::kNone) continue;
    if (candidates.insert(record.hash, record.origin, record.descriptor()) ==
        Insertion::kNoMemory) {
      return false;
    }
  }
  return true;
}

}  // namespace comback

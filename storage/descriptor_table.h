#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/descriptor_log.h"
#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/tag_index.h"

namespace comback {

// The exact set of visited states: an index over a log of descriptors. Its partitions grow one by
// one, so while one is copied only a 64th of the table is there twice.
//
// Invariant: the ids in the table are 0 .. size()-1, each once; their descriptors in the log
// differ.
class DescriptorTable {
 public:
  // `hash` must be hash_bytes in a real search; a test passes a worse one.
  using Hash = std::uint64_t (*)(const std::byte* data, std::size_t bytes);

  static constexpr std::uint64_t kMinBytes = kPartitions * TagIndex::kMinBytes;

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
  void prefetch(std::uint64_t hash) const { partitions_[partition_of(hash)].prefetch(hash); }
  void prefetch_match(std::uint64_t hash) const {
    const std::uint32_t id = partitions_[partition_of(hash)].first_match(hash);
    if (id != TagIndex::kNone) log_->prefetch(id);
  }

  // REQUIRES: `hash` is hash_of(descriptor), here and below.
  bool contains(std::uint64_t hash, const std::byte* descriptor) const {
    return find(hash, descriptor) != TagIndex::kNone;
  }
  // The id in the log, or TagIndex::kNone.
  std::uint32_t find(std::uint64_t hash, const std::byte* descriptor) const {
    return find(partitions_[partition_of(hash)], hash, descriptor);
  }

  // Adds `descriptor` to the set and, where it is new, to the log.
  // REQUIRES: the log has room for one more.
  Insertion insert(std::uint64_t hash, const std::byte* descriptor) {
    TagIndex& partition = partitions_[partition_of(hash)];
    if (find(partition, hash, descriptor) != TagIndex::kNone) return Insertion::kKnown;
    if (!partition.has_room() && !grow(partition)) return Insertion::kNoMemory;
    partition.insert(hash, static_cast<std::uint32_t>(log_->size()));
    log_->append(descriptor);
    return Insertion::kNew;
  }

  std::uint64_t size() const { return log_->size(); }
  // Of the index alone.
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint32_t find(const TagIndex& partition, std::uint64_t hash,
                     const std::byte* descriptor) const {
    return partition.find(hash, [&](std::uint32_t id) {
      return equal_bytes(log_->get(id), descriptor, log_->width());
    });
  }
  bool grow(TagIndex& partition);

  DescriptorLog* log_;
  MemoryBudget* budget_;
  Hash hash_;
  std::uint64_t bytes_ = 0;
  std::array<TagIndex, kPartitions> partitions_;
};

}  // namespace comback

#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "storage/bytes.h"
#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/mapping.h"

namespace comback {

// The state table of the ComBack method [westergaard07], in memory: the N leading bits of a state's
// hash -> the ids of all states that have them, the collision list. Nothing is lost where hashes
// collide, so N decides only how many states must be told apart by reconstruction.
//
// Open addressing, sorted: in each of 64 partitions, chosen by the leading bits, the entries lie in
// the order of their hashes, each at its home or behind it. A list is thus contiguous, a look-up
// ends at the first larger hash, and growing is one pass. An entry is the bits of the hash that
// the partition does not tell, in whole bytes, and the id: at 64 bits that is 12 bytes. A partition
// grows when it is 92% full, by 25%: a state takes 13 to 16.6 bytes, 8.7 to 11 at 32 bits.
//
// Invariants, for a partition's entries:
//   I1  Sorted by hash; equal hashes by the order of their insertion.
//   I2  Between an entry's home and its place there is no empty place.
class StateTable {
 public:
  static constexpr unsigned kMinBits = 8;
  static constexpr std::uint64_t kMaxId = 0xfffffffd;
  static constexpr std::uint64_t kMinBytes = 64 * Mapping::kPage;

  // The ids under one hash. Valid until the next insertion.
  class Ids {
   public:
    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint64_t operator[](std::uint64_t i) const { return id_at(first_ + i * stride_); }

   private:
    friend class StateTable;
    const std::byte* first_ = nullptr;
    std::uint64_t size_ = 0;
    std::size_t stride_ = 0;
  };

  // REQUIRES: kMinBits <= hash_bits <= 64; `budget` outlives the table.
  StateTable(unsigned hash_bits, MemoryBudget& budget)
      : hash_bits_(hash_bits),
        rest_bits_(hash_bits - kPartitionBits),
        rest_bytes_((rest_bits_ + 7) / 8),
        entry_bytes_(rest_bytes_ + 4),
        rest_mask_(~std::uint64_t{0} >> (64 - rest_bits_)),
        budget_(&budget) {}

  // Allocates the partitions. False where the budget does not allow kMinBytes.
  [[nodiscard]] bool open();

  // `hash` is the full hash of 64 bits, here and below.
  void prefetch(std::uint64_t hash) const {
    const Partition& p = partition(hash);
    const std::byte* const at = p.data + home(p, rest(hash)) * entry_bytes_;
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
  }
  Ids find(std::uint64_t hash) const {
    const std::uint64_t wanted = rest(hash);
    const Partition& p = partition(hash);
    const std::byte* at = p.data + home(p, wanted) * entry_bytes_;
    while (occupied(at) && rest_at(at) < wanted) at += entry_bytes_;
    Ids ids;
    ids.first_ = at;
    ids.stride_ = entry_bytes_;
    for (; occupied(at) && rest_at(at) == wanted; at += entry_bytes_) ++ids.size_;
    return ids;
  }

  // Adds `id` at the end of the hash's list. kNew, or kNoMemory and nothing is added.
  // REQUIRES: id <= kMaxId.
  Insertion insert(std::uint64_t hash, std::uint64_t id);

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }
  unsigned hash_bits() const { return hash_bits_; }

 private:
  static constexpr unsigned kPartitionBits = 6;

  struct Partition {
    std::byte* data = nullptr;
    std::uint64_t homes = 0;     // places that hashes map to
    std::uint64_t capacity = 0;  // places, some more than homes; the one after them stays empty
    std::uint64_t left = 0;      // that may still be inserted before it grows
    Mapping memory;
  };

  // An entry: the id plus one, zero where the place is empty; then the rest of the hash.
  std::uint64_t rest(std::uint64_t hash) const {
    return (hash << kPartitionBits >> kPartitionBits) >> (64 - hash_bits_);
  }
  std::uint64_t rest_at(const std::byte* entry) const { return load_word(entry + 4) & rest_mask_; }
  static std::uint32_t stored_id(const std::byte* entry) {
    std::uint32_t id;
    std::memcpy(&id, entry, 4);
    return id;
  }
  static std::uint64_t id_at(const std::byte* entry) { return stored_id(entry) - 1u; }
  static bool occupied(const std::byte* entry) { return stored_id(entry) != 0; }

  const Partition& partition(std::uint64_t hash) const {
    return partitions_[hash >> (64 - kPartitionBits)];
  }
  std::uint64_t home(const Partition& p, std::uint64_t rest) const {
    return hash_to_range(rest << (64 - rest_bits_), p.homes);
  }
  void write(std::byte* entry, std::uint64_t rest, std::uint32_t id_plus_one) const {
    std::memcpy(entry, &id_plus_one, 4);
    std::memcpy(entry + 4, &rest, rest_bytes_);
  }
  bool allocate(Partition& p, std::uint64_t pages);
  bool grow(Partition& p);

  unsigned hash_bits_;
  unsigned rest_bits_;
  std::size_t rest_bytes_;
  std::size_t entry_bytes_;
  std::uint64_t rest_mask_;
  MemoryBudget* budget_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<Partition, 1u << kPartitionBits> partitions_;
};

}  // namespace comback

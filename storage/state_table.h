#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "storage/bytes.h"
#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/reserved_region.h"

namespace comback {

// The state table of the ComBack method [westergaard07], in memory: the N leading bits of a state's
// hash -> the ids of all states that have them, the collision list. Nothing is lost where hashes
// collide, so N decides only how many states must be told apart by reconstruction.
//
// Open addressing, sorted: the entries lie in the order of their hashes, each at its home or behind
// it. A list is thus contiguous, a look-up ends at the first larger hash, and the table grows in
// place, by passing over its entries. An entry is an id and a hash in whole bytes, 12 at 64 bits.
// The table grows when it is 88% full, by 20%: a state takes 13.7 to 16.6 bytes, 9.1 to 11 at 32
// bits. It lies in huge pages: with small ones every look-up misses the TLB, too, and a search
// takes a quarter longer.
//
// Invariants, for the entries:
//   I1  Sorted by hash; equal hashes by the order of their insertion.
//   I2  Between an entry's home and its place there is no empty place.
class StateTable {
 public:
  static constexpr unsigned kMinBits = 8;
  static constexpr std::uint64_t kMaxId = 0xfffffffd;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;

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
        key_bytes_((hash_bits + 7) / 8),
        entry_bytes_(key_bytes_ + 4),
        key_mask_(~std::uint64_t{0} >> (64 - hash_bits)),
        budget_(&budget) {}

  // Allocates the first places. False where the budget does not allow kMinBytes.
  [[nodiscard]] bool open();

  // `hash` is the full hash of 64 bits, here and below.
  void prefetch(std::uint64_t hash) const {
    const std::byte* const at = home(truncate_hash(hash, hash_bits_));
    __builtin_prefetch(at);
    __builtin_prefetch(at + 63);
  }
  Ids find(std::uint64_t hash) const {
    const std::uint64_t wanted = truncate_hash(hash, hash_bits_);
    const std::byte* at = home(wanted);
    while (occupied(at) && key_at(at) < wanted) at += entry_bytes_;
    Ids ids;
    ids.first_ = at;
    ids.stride_ = entry_bytes_;
    for (; occupied(at) && key_at(at) == wanted; at += entry_bytes_) ++ids.size_;
    return ids;
  }

  // Adds `id` at the end of the hash's list. kNew, or kNoMemory and nothing is added.
  // REQUIRES: id <= kMaxId.
  Insertion insert(std::uint64_t hash, std::uint64_t id);

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return region_.size(); }
  unsigned hash_bits() const { return hash_bits_; }

 private:
  // How the places of so many bytes are used.
  struct Layout {
    std::uint64_t places;  // the one after them stays empty
    std::uint64_t homes;   // places that hashes map to; some fewer
    std::uint64_t most;    // entries, before the table grows
  };
  Layout layout(std::size_t bytes) const;

  // An entry: the id plus one, zero where the place is empty; then the hash.
  static std::uint32_t stored_id(const std::byte* entry) {
    std::uint32_t id;
    std::memcpy(&id, entry, 4);
    return id;
  }
  static std::uint64_t id_at(const std::byte* entry) { return stored_id(entry) - 1u; }
  static bool occupied(const std::byte* entry) { return stored_id(entry) != 0; }
  std::uint64_t key_at(const std::byte* entry) const { return load_word(entry + 4) & key_mask_; }

  std::uint64_t home_place(std::uint64_t key, std::uint64_t homes) const {
    return hash_to_range(key << (64 - hash_bits_), homes);
  }
  const std::byte* home(std::uint64_t key) const {
    return region_.data() + home_place(key, layout_.homes) * entry_bytes_;
  }
  std::byte* place(std::uint64_t i) const { return region_.data() + i * entry_bytes_; }

  bool fits(const Layout& layout) const;
  bool grow();

  unsigned hash_bits_;
  std::size_t key_bytes_;
  std::size_t entry_bytes_;
  std::uint64_t key_mask_;
  MemoryBudget* budget_;
  ReservedRegion region_;
  Layout layout_{};
  std::uint64_t size_ = 0;
};

}  // namespace comback

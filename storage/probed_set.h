#pragma once

#include <cstdint>

#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/packed_slots.h"
#include "storage/probe_key.h"

namespace comback {

// The set of visited states of improved hash compaction [stern95]: a fixed table of m slots. One
// hash gives the probe sequence, another one, independent of it, the b bits that are stored. A
// state is omitted only where an equal value lies on its probe sequence, so b can be smaller than
// in CompactSet for the same risk.
//
// m is prime (ProbeKey). A slot holds 0 when it is empty, which leaves 2^b - 1 values.
class ProbedSet {
 public:
  using Key = ProbeKey;

  // REQUIRES: 1 <= bits <= 64; slots >= 3; `budget` outlives the set.
  ProbedSet(unsigned bits, std::uint64_t slots, MemoryBudget& budget)
      : bits_(bits), slots_wanted_(slots), budget_(&budget) {}

  // Allocates the table, of the largest prime number of slots that is not above the one asked for.
  [[nodiscard]] bool open();

  Key key_of(const HashPair& hash) const { return Key::of(hash, table_.size(), bits_); }
  // REQUIRES: `key` is from key_of after open(), here and below.
  void prefetch(const Key& key) const { table_.prefetch(key.start); }
  bool contains(const Key& key) const { return find(key).found; }
  Insertion insert(const Key& key) {
    const Place place = find(key);
    if (place.found) return Insertion::kKnown;
    if (size_ == table_.size()) return Insertion::kFull;
    table_.set(place.slot, key.value);
    ++size_;
    return Insertion::kNew;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t slots() const { return table_.size(); }
  std::uint64_t bytes() const { return table_.bytes(); }

 private:
  struct Place {
    std::uint64_t slot;
    bool found;
  };

  Place find(const Key& key) const {
    std::uint64_t slot = key.start;
    for (std::uint64_t probes = 0; probes < table_.size(); ++probes) {
      const std::uint64_t held = table_.get(slot);
      if (held == 0) return {slot, false};
      if (held == key.value) return {slot, true};
      slot = key.next(slot, table_.size());
    }
    return {0, false};
  }

  unsigned bits_;
  std::uint64_t slots_wanted_;
  MemoryBudget* budget_;
  PackedSlots table_;
  std::uint64_t size_ = 0;
};

}  // namespace comback

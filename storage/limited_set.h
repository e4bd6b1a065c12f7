#pragma once

#include <cstdint>

#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/packed_slots.h"
#include "storage/probe_key.h"

namespace comback {

// The set of visited states of t-limited hash compaction [stern96]: a ProbedSet that looks at no
// more than the first t slots of a state's probe sequence. Where they are all taken, the new state
// replaces one of them, chosen at random, so the set is never full, forgets, and takes new and
// forgotten states for each other.
class LimitedSet {
 public:
  using Key = ProbeKey;

  // REQUIRES: 1 <= bits <= 64; slots >= 3; 1 <= probes; `budget` outlives the set.
  LimitedSet(unsigned bits, std::uint64_t slots, unsigned probes, std::uint64_t seed,
             MemoryBudget& budget)
      : bits_(bits), slots_wanted_(slots), probes_(probes), random_(seed), budget_(&budget) {}

  // Allocates the table, of the largest prime number of slots that is not above the one asked for.
  [[nodiscard]] bool open();

  // REQUIRES: open(), here and below.
  Key key_of(const HashPair& hash) const { return Key::of(hash, table_.size(), bits_); }
  void prefetch(const Key& key) const { table_.prefetch(key.start); }
  bool contains(const Key& key) const { return find(key).what == Place::kHeld; }
  // kNew or kKnown.
  Insertion insert(const Key& key) {
    Place place = find(key);
    if (place.what == Place::kHeld) return Insertion::kKnown;
    if (place.what == Place::kNowhere) {
      place.slot = victim(key);
      ++replacements_;
    } else {
      ++occupied_;
    }
    table_.replace(place.slot, key.value);
    return Insertion::kNew;
  }

  std::uint64_t slots() const { return table_.size(); }
  std::uint64_t occupied() const { return occupied_; }          // slots
  std::uint64_t replacements() const { return replacements_; }  // so far
  std::uint64_t inserted() const { return occupied_ + replacements_; }
  std::uint64_t bytes() const { return table_.bytes(); }

 private:
  struct Place {
    enum What { kHeld, kEmpty, kNowhere } what;
    std::uint64_t slot;
  };

  Place find(const Key& key) const {
    std::uint64_t slot = key.start;
    for (unsigned probe = 0; probe < probes_; ++probe) {
      const std::uint64_t held = table_.get(slot);
      if (held == key.value) return {Place::kHeld, slot};
      if (held == 0) return {Place::kEmpty, slot};
      slot = key.next(slot, table_.size());
    }
    return {Place::kNowhere, 0};
  }
  // One of the probed slots.
  std::uint64_t victim(const Key& key) {
    random_ += 0x9e3779b97f4a7c15;  // splitmix64
    std::uint64_t word = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    std::uint64_t slot = key.start;
    for (std::uint64_t skip = hash_to_range(word ^ (word >> 31), probes_); skip > 0; --skip) {
      slot = key.next(slot, table_.size());
    }
    return slot;
  }

  unsigned bits_;
  std::uint64_t slots_wanted_;
  unsigned probes_;
  std::uint64_t random_;
  MemoryBudget* budget_;
  PackedSlots table_;
  std::uint64_t occupied_ = 0;
  std::uint64_t replacements_ = 0;
};

}  // namespace comback

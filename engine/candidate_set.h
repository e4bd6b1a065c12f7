#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/search.h"
#include "storage/bytes.h"
#include "storage/mapping.h"
#include "storage/record_stack.h"

namespace comback {

// The candidates of delayed duplicate detection: states that may or may not be new, each with the
// first edge that led to it. Found by descriptor; taken out in the order they came.
class CandidateSet {
 public:
  struct Candidate {
    std::uint64_t hash;
    std::uint32_t predecessor;
    Event event;
    std::uint32_t depth;  // of the state, along this edge
    std::uint32_t alive;
  };
  enum class Added { kNew, kKnown, kNoMemory };

  // REQUIRES: `budget` outlives the set.
  CandidateSet(std::size_t width, std::uint64_t capacity, MemoryBudget& budget)
      : width_(width),
        capacity_(capacity),
        budget_(&budget),
        records_(sizeof(Candidate) + width, budget) {}

  // Bytes that the first candidate takes.
  static std::uint64_t min_bytes(std::size_t width) {
    return RecordStack::min_bytes(sizeof(Candidate) + width) + kMinSlots * sizeof(std::uint32_t);
  }

  // REQUIRES: `hash` is the descriptor's, always by the same function.
  Added insert(const Candidate& candidate, const std::byte* descriptor);

  bool contains(std::uint64_t hash, const std::byte* descriptor) const {
    return find(hash, descriptor) != kNone;
  }

  // Takes a state out of the set, if it is there.
  void remove(std::uint64_t hash, const std::byte* descriptor) {
    const std::uint32_t found = find(hash, descriptor);
    if (found == kNone) return;
    constexpr std::uint32_t kDead = 0;
    std::memcpy(records_.at(found) + offsetof(Candidate, alive), &kDead, sizeof kDead);
  }

  // Calls visit(candidate, descriptor) for each that was not removed, in the order of insertion,
  // until it returns false.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint64_t i = 0; i < size_; ++i) {
      const Candidate candidate = at(i);
      if (candidate.alive != 0 && !visit(candidate, descriptor(i))) return;
    }
  }
  void clear();

  bool full() const { return size_ >= capacity_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kMinSlots = Mapping::kPage / sizeof(std::uint32_t);

  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t find(std::uint64_t hash, const std::byte* descriptor) const {
    if (size_ == 0) return kNone;
    for (std::uint64_t slot = hash & mask_; slots()[slot] != 0; slot = (slot + 1) & mask_) {
      const std::uint32_t i = slots()[slot] - 1;
      if (holds(records_.at(i), hash, descriptor)) return i;
    }
    return kNone;
  }
  Candidate at(std::uint64_t i) const {
    Candidate candidate;
    std::memcpy(&candidate, records_.at(i), sizeof candidate);
    return candidate;
  }
  const std::byte* descriptor(std::uint64_t i) const { return records_.at(i) + sizeof(Candidate); }
  bool holds(const std::byte* record, std::uint64_t hash, const std::byte* descriptor) const {
    return load_word(record + offsetof(Candidate, hash)) == hash &&
           equal_bytes(record + sizeof(Candidate), descriptor, width_);
  }
  std::uint32_t* slots() const { return reinterpret_cast<std::uint32_t*>(index_.data()); }
  bool grow_index();

  std::size_t width_;
  std::uint64_t capacity_;
  MemoryBudget* budget_;
  RecordStack records_;
  std::uint64_t size_ = 0;
  Mapping index_;  // open addressing by hash; number of the record plus one
  std::uint64_t mask_ = 0;
};

}  // namespace comback

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/search.h"

namespace comback {

// A set of (id, hash) pairs as sums over ranges of ids: two sets that are walked in different
// orders are compared without keeping either, and where they differ is known to a range.
// Two different sets pass for equal with a probability of about 2^-64.
//
// Threads: add() at any time.
class IdSums {
 public:
  explicit IdSums(std::uint64_t ids)
      : shift_(
            std::max(kLeastShift, kMostRangeBits < std::bit_width(ids)
                                      ? static_cast<unsigned>(std::bit_width(ids)) - kMostRangeBits
                                      : 0u)),
        sums_(static_cast<std::size_t>(ids >> shift_) + 1) {}

  // REQUIRES: id < ids
  void add(StateId id, std::uint64_t hash) {
    sums_[id >> shift_].fetch_add(mix(id, hash), std::memory_order_relaxed);
  }

  // The ranges first .. end-1 of ids whose sums differ, of those that lie in ids 0 .. below-1.
  struct Range {
    StateId first = 0;
    StateId end = 0;
  };
  std::vector<Range> differing(const IdSums& other, std::uint64_t below) const {
    std::vector<Range> ranges;
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      const StateId first = StateId{r} << shift_;
      if (first >= below) break;
      if (sums_[r].load() == other.sums_[r].load()) continue;
      ranges.push_back({first, std::min<StateId>(below, (StateId{r} + 1) << shift_)});
    }
    return ranges;
  }

 private:
  static constexpr unsigned kLeastShift = 10;
  static constexpr unsigned kMostRangeBits = 18;

  // Not linear in either, so that exchanged hashes show.
  static std::uint64_t mix(StateId id, std::uint64_t hash) {
    std::uint64_t x = (hash ^ std::rotl(id * 0x9e3779b97f4a7c15ull, 29)) * 0xbf58476d1ce4e5b9ull;
    x ^= x >> 32;
    x *= 0x94d049bb133111ebull;
    return (x ^ (x >> 29)) + id;
  }

  unsigned shift_;
  std::vector<std::atomic<std::uint64_t>> sums_;
};

}  // namespace comback

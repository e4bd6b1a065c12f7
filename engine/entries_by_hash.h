#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/thread_team.h"
#include "storage/hash.h"
#include "storage/state_entry.h"

namespace comback {

// Entries of consecutive states for the state table, which takes them by hash.
class EntriesByHash {
 public:
  // REQUIRES: `team` outlives it.
  EntriesByHash(std::size_t width, ThreadTeam& team) : width_(width), team_(&team) {}

  // Of the states [first, end), whose descriptors row(id) gives. Valid until the next call.
  //
  // Each thread deals its share out by the leading bits of the hash, then the parts are sorted,
  // which are small enough for a processor's nearest cache.
  template <class Row>
  std::span<const StateEntry> make(std::uint64_t first, std::uint64_t end, Row&& row) {
    const std::size_t count = end - first;
    const std::size_t shares = (count + kShare - 1) / kShare;
    dealt_.resize(count);
    entries_.resize(count);
    places_.resize(shares);
    team_->for_each(shares, [&](unsigned, std::size_t share) {
      Places& places = places_[share];
      places.fill(0);
      for (std::size_t i = share * kShare; i < std::min(count, (share + 1) * kShare); ++i) {
        dealt_[i] = {hash_bytes(row(first + i), width_), first + i};
        ++places[part_of(dealt_[i].hash)];
      }
    });
    std::array<std::size_t, kParts + 1> starts;
    std::size_t at = 0;
    for (std::size_t part = 0; part < kParts; ++part) {
      starts[part] = at;
      for (Places& places : places_) at += std::exchange(places[part], at);
    }
    starts[kParts] = at;
    team_->for_each(shares, [&](unsigned, std::size_t share) {
      Places& places = places_[share];
      for (std::size_t i = share * kShare; i < std::min(count, (share + 1) * kShare); ++i) {
        entries_[places[part_of(dealt_[i].hash)]++] = dealt_[i];
      }
    });
    team_->for_each(
        kParts,
        [&](unsigned, std::size_t part) {
          const auto from = entries_.begin() + static_cast<std::ptrdiff_t>(starts[part]);
          const auto to = entries_.begin() + static_cast<std::ptrdiff_t>(starts[part + 1]);
          std::sort(from, to, [](const StateEntry& a, const StateEntry& b) {
            return a.hash != b.hash ? a.hash < b.hash : a.id < b.id;
          });
        },
        shares > 1);
    return entries_;
  }

 private:
  static constexpr std::size_t kShare = 2048;
  static constexpr unsigned kPartBits = 7;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;
  static std::size_t part_of(std::uint64_t hash) { return hash >> (64 - kPartBits); }
  using Places =
      std::array<std::size_t, kParts>;  // by part: how many entries, then where to put one

  std::size_t width_;
  ThreadTeam* team_;
  std::vector<StateEntry> dealt_;
  std::vector<StateEntry> entries_;
  std::vector<Places> places_;  // by share
};

}  // namespace comback

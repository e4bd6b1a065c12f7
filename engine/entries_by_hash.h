#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
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
  template <class Row>
  std::span<const StateEntry> make(std::uint64_t first, std::uint64_t end, Row&& row) {
    entries_.resize(end - first);
    constexpr std::size_t kShare = 2048;
    team_->for_each((entries_.size() + kShare - 1) / kShare, [&](unsigned, std::size_t task) {
      const std::size_t to = std::min(entries_.size(), (task + 1) * kShare);
      for (std::size_t i = task * kShare; i < to; ++i) {
        entries_[i] = {hash_bytes(row(first + i), width_), first + i};
      }
    });
    std::sort(entries_.begin(), entries_.end(), [](const StateEntry& a, const StateEntry& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.id < b.id;
    });
    return entries_;
  }

 private:
  std::size_t width_;
  ThreadTeam* team_;
  std::vector<StateEntry> entries_;
};

}  // namespace comback

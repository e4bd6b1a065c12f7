#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/level_candidates.h"
#include "engine/thread_team.h"
#include "storage/tag_index.h"

namespace comback {

// Candidates in the order in which new states are numbered: by origin.
class OriginOrder {
 public:
  struct Item {
    Origin origin;
    CandidateRecord* record;
  };

  // REQUIRES: `team` outlives it.
  explicit OriginOrder(ThreadTeam& team) : team_(&team) {}

  // All candidates of `sets`, whose origins lie at the places [first, end). Valid until the next
  // call, while the sets do not change.
  std::span<Item> sort(std::span<const LevelCandidates> sets, std::uint64_t first,
                       std::uint64_t end);

 private:
  static constexpr std::size_t kRanges = 64;  // of places, each sorted by one thread

  ThreadTeam* team_;
  std::vector<std::array<std::uint32_t, kRanges>> starts_;  // by set, by range
  std::vector<Item> items_;
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/disk_part.h"
#include "engine/entries_by_hash.h"
#include "engine/level_candidates.h"
#include "engine/origin_order.h"
#include "engine/recent_states.h"
#include "engine/search.h"
#include "engine/state_archive.h"
#include "engine/thread_team.h"
#include "engine/tree_digest.h"
#include "io/result.h"
#include "storage/memory_budget.h"

namespace comback {

// Gives new states their ids, in the order (level, predecessor, event), and stores what is known of
// them: descriptor, backedge, and where to find them by hash.
class Numbering {
 public:
  // REQUIRES: all outlive it.
  Numbering(const SearchOptions& options, StateArchive& archive, RecentStates& recent,
            std::span<LevelCandidates> candidates, ThreadTeam& team, MemoryBudget& budget);

  // The initial state. REQUIRES: the archive has room for it.
  Status start(const std::byte* initial);
  // The next states of an earlier session, in memory: executes the event of each. False where
  // memory does not allow it: nothing has changed then. REQUIRES: predecessors are there.
  Result<bool> restore(const Model& model, std::span<const Backedge> edges);
  // Of the states of an earlier session.
  void restore_digest(std::uint64_t value) { digest_ = TreeDigest(value); }

  // Predecessors are of the level that begins with this id from now on.
  void begin_level(StateId first) { level_first_ = first; }

  // Numbers all candidates, which are new, and whose predecessors are at the places [first, end) of
  // the level; takes them out of their sets. False where memory does not allow it: nothing has
  // changed then. REQUIRES: all states are in memory.
  Result<bool> number_candidates(std::uint64_t first, std::uint64_t end);

  // Numbers new states that were found by duplicate detection, given by rising origin.
  Status number_on_disk(DiskPart& disk, std::span<const Origin> origins, const std::byte* rows);

  // Gives back the memory of the oldest descriptors beyond the window, with room for `more`.
  void slide_window(const DiskPart& disk, std::size_t more = 0);

  // The place of the predecessor whose new state was one too many for --max-states.
  const std::optional<std::uint64_t>& cut() const { return cut_; }
  std::uint64_t digest() const { return digest_.value(); }

 private:
  // States that --max-states still allows. The initial state is always there.
  std::uint64_t room_below_limit() const;
  bool room_for(std::size_t count);
  Backedge edge_of(Origin origin) const {
    return {level_first_ + place_of(origin), event_of(origin)};
  }
  void insert_recent(std::span<const StateEntry> entries);

  const SearchOptions* options_;
  StateArchive* archive_;
  RecentStates* recent_;
  std::span<LevelCandidates> candidates_;  // by partition
  ThreadTeam* team_;
  MemoryBudget* budget_;
  std::size_t width_;
  OriginOrder order_;
  EntriesByHash entries_;
  std::vector<Backedge> edges_;  // of the states being numbered
  std::vector<std::byte> restored_;
  TreeDigest digest_;
  StateId level_first_ = 0;
  std::optional<std::uint64_t> cut_;
};

}  // namespace comback

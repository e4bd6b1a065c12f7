#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search.h"
#include "io/result.h"
#include "storage/level_store.h"

namespace comback {

// What a search has counted when the states below a certain id were expanded, and none above.
struct SearchCounts {
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t wraps = 0;
  std::uint64_t invariant_violations = 0;
  std::uint64_t assertion_violations = 0;
  std::optional<StateId> first_deadlock;  // the smallest id
  std::vector<Violation> violations;      // without traces
};

// What a checkpoint says of a run, in the meta data of its database under kKey: it is committed
// together with the tables that it describes.
struct RunRecord {
  static constexpr const char* kKey = "run";
  static constexpr std::uint64_t kFormat = 1;

  // Nothing is left to explore: all states were, or the search ended at a violation.
  bool finished = false;
  // What the run has found so far. `verdict` is kIncomplete, or the first violation's, until it is
  // finished; `stop_reason` tells why the last session ended early, and is kNone where it goes on
  // or was killed. Violations come without traces, which are replayed from the tree.
  Summary summary;
  std::optional<StateId> first_deadlock;  // the smallest id without successors
  std::int64_t written = 0;               // seconds since 1970

  // --- where the search goes on ---
  // Level `level` is expanded up to the state `expanded`; of the next level, the states that
  // summary.states counts are known. `counts` is what was counted up to there.
  std::uint32_t level = 0;
  StateId expanded = 0;
  SearchCounts counts;
  std::uint64_t transitions_before_level = 0;  // counted on the levels above
  std::uint64_t deadlocks_before_level = 0;
  // Whether state table and levels are on disk. Where not, the tree is all there is.
  bool on_disk = false;
  LevelStore::Contents levels;  // of a run on disk

  std::string encode() const;
  // `text` is not believed.
  static Result<RunRecord> decode(std::string_view text);

  // The first id of every level, then the number of states: what StoredTree has.
  std::vector<StateId> first_ids() const;
};

}  // namespace comback

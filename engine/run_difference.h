#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/search.h"
#include "engine/state_stream.h"
#include "engine/stored_tree.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// One of two runs that are compared. REQUIRES: both models lay states out alike.
struct ComparedRun {
  const Model* model = nullptr;
  const StoredTree* tree = nullptr;
};

// A state that one run has on a level and the other does not.
struct StateOfOne {
  unsigned run = 0;  // that has it: 0 or 1
  StateId id = 0;
  std::uint32_t depth = 0;
  std::vector<std::byte> state;
  std::optional<StateId> elsewhere;  // its id in the other run, where that has it on another level
};

struct RunDifference {
  // The first level on which the runs do not have the same states; none where all are equal.
  std::optional<std::uint32_t> level;
  std::vector<StateOfOne>
      examples;  // at most one of each run; nowhere in the other if there is one
};

// Compares the sets of states level by level, in a pass over each run. Sets are compared by sums of
// 64-bit hashes: two different levels pass for equal with a probability of 2^-64.
Result<RunDifference> find_difference(const ComparedRun& a, const ComparedRun& b, ThreadTeam& team,
                                      const StateStream::Options& options, Monitor& monitor);

}  // namespace comback

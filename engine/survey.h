#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/search.h"
#include "engine/state_stream.h"
#include "engine/stored_tree.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// What only expanding every state again tells: the tree has the events that reached new states, but
// not those that always led to known ones, nor which leaves are deadlocks.
struct Survey {
  struct Level {
    std::uint64_t transitions = 0;
    std::uint64_t deadlocks = 0;
  };
  std::vector<Level> levels;
  std::uint64_t states = 0;  // expanded
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::vector<StateId> first_deadlocks;  // by id
  std::map<Event, std::uint64_t> fired;  // how many states have the event enabled
  std::uint64_t faults = 0;              // states in which an event cannot be carried out
  bool interrupted = false;
};

struct SurveyOptions {
  std::size_t deadlocks = 10;  // how many to name
  bool stop_at_first_deadlock = false;
};

Result<Survey> survey(const Model& model, const StoredTree& tree, const SurveyOptions& what,
                      ThreadTeam& team, const StateStream::Options& options, Monitor& monitor);

}  // namespace comback

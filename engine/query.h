#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/search.h"
#include "engine/state_stream.h"
#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Questions about all states of a run, answered together in one pass.
struct Query {
  std::vector<std::shared_ptr<const Predicate>> predicates;  // which states satisfy it
  std::vector<std::shared_ptr<const Predicate>> count_by;    // how often it has which value
  std::vector<std::uint32_t>
      distinct;              // variables: the values they take; of an array, all elements
  std::uint64_t limit = 10;  // of the first states that are named for each predicate
  // Of different values in all; more are kOutOfMemory.
  std::size_t max_values = std::size_t{1} << 20;
};

struct QueryAnswer {
  struct ForPredicate {
    std::uint64_t satisfied = 0;
    std::uint64_t undefined = 0;           // states in which it cannot be evaluated
    std::vector<StateId> first;            // that satisfy it, at most `limit`
    std::vector<std::uint64_t> per_level;  // how many satisfy it
  };
  struct Distribution {
    std::map<std::int64_t, std::uint64_t> counts;  // by value
    std::uint64_t undefined = 0;
  };
  std::vector<ForPredicate> predicates;
  std::vector<Distribution> count_by;
  std::vector<Distribution> distinct;
  std::uint64_t states = 0;  // that were looked at: all, unless it was interrupted
  bool interrupted = false;
};

Result<QueryAnswer> ask(const Model& model, const StoredTree& tree, const Query& query,
                        ThreadTeam& team, const StateStream::Options& options, Monitor& monitor);

}  // namespace comback

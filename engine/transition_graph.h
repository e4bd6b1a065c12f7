#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/search.h"
#include "engine/state_stream.h"
#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/memory_budget.h"
#include "storage/record_sorter.h"

namespace comback {

struct GraphTransition {
  StateId from = 0;
  Event event = 0;
  StateId to = 0;
  friend bool operator==(const GraphTransition&, const GraphTransition&) = default;
};

// All transitions of a stored run, with the ids of both ends: the tree has only those that reached
// new states. Every state is made and expanded again in one pass, and two external sorts, within a
// share of memory each, tell where the transitions lead:
//
//   by hash    all states meet all successors: a successor's id is that of the state with its hash
//   by source  transitions, in the order in which they are handed out
//
// The successors of an expanded state are among the run's states, so a hash that one state alone
// has identifies it. Where two states share a 64-bit hash, their descriptors and those of the
// successors are made again and compared: exact whatever the hashes.
class TransitionGraph {
 public:
  struct Options {
    std::uint64_t memory_bytes = std::uint64_t{256} << 20;  // for all that it holds
    IoKind io = IoKind::kAuto;
    std::filesystem::path temporary_dir{};  // made, and removed, where something does not fit
    // States from this one on are not expanded, as their successors may not be stored.
    std::optional<StateId> expanded{};
    unsigned hash_bits = 64;  // fewer for tests
  };

  // REQUIRES: all outlive it.
  TransitionGraph(const Model& model, const StoredTree& tree, ThreadTeam& team,
                  const Options& options);
  ~TransitionGraph();

  // Once. Where `monitor` asks to stop it ends early and stopped() says so. kCorruption where a
  // successor is not among the states.
  Status build(Monitor& monitor);
  bool stopped() const { return stopped_; }

  // REQUIRES below: built.
  std::uint64_t transitions() const { return by_source_.size(); }
  std::uint64_t ambiguous() const { return ambiguous_; }  // led to a hash that several states have
  std::uint64_t spilled_bytes() const { return spilled_bytes_ + by_source_.spilled_bytes(); }

  // By rising source and event. False ends the visit.
  using Visit = std::function<Result<bool>(std::span<const GraphTransition>)>;
  Status visit(const Visit& visit) const;

 private:
  // What one thread works with.
  struct Lane {
    explicit Lane(const Model& model) : successors(model.width(), model.max_successors()) {}
    SuccessorBuffer successors;
    std::vector<std::uint64_t> keys;
    std::vector<std::byte> payloads;
    SliceBuffer slice;
    Status status = Done{};
  };
  // A transition whose end is one of several states.
  struct Ambiguous {
    std::uint64_t group = 0;
    StateId from = 0;
    Event event = 0;
  };
  struct Groups {
    std::vector<std::vector<StateId>> states;  // with one hash, by group
    std::vector<Ambiguous> transitions;
    std::mutex mutex;  // groups are as rare as two states with the same 64-bit hash
  };

  std::uint64_t hash_of(const std::byte* state) const;
  void expand(Lane& lane, unsigned thread, const StateRows& rows);
  Status join(Monitor& monitor);
  Status join_slice(Lane& lane, unsigned thread, std::size_t slice, Groups& groups);
  Status resolve(Groups& groups, Monitor& monitor);
  Status first_error() const;
  Error missing(StateId from, Event event) const;

  const Model* model_;
  const StoredTree* tree_;
  ThreadTeam* team_;
  Options options_;
  std::size_t width_;
  StateId expanded_;
  MemoryBudget budget_;
  RecordSorter by_hash_;    // payload: source and event, or the id of a state
  RecordSorter by_source_;  // payload: event, target
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t ambiguous_ = 0;
  std::uint64_t spilled_bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace comback

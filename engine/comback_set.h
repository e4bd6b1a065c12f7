#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/candidate_set.h"
#include "engine/descriptor_cache.h"
#include "engine/grouped_reconstruction.h"
#include "engine/reconstruct.h"
#include "engine/search.h"
#include "storage/backedge_table.h"
#include "storage/budget_charge.h"
#include "storage/hash.h"
#include "storage/state_table.h"

namespace comback {

// The visited set of the ComBack method: state table and backedge table, with the cache that helps
// to reconstruct and the candidates whose detection is delayed.
class ComBackSet {
 public:
  enum class Outcome {
    kNew,    // it has the id size() - 1 now
    kKnown,  // it was visited before
    kMaybe,  // it is a candidate
    kLimit,  // it is new, but there must be no more states
    kNoMemory,
    kFull,  // no more ids
  };

  // How a new state was reached.
  struct Edge {
    StateId predecessor;
    Event event;
    std::uint64_t depth;  // of the state, along this edge
  };

  // REQUIRES: `model` and `budget` outlive the set; `options` is what resolve() returned.
  ComBackSet(const Model& model, const SearchOptions& options, MemoryBudget& budget);

  // Fills in the defaults of options.comback.
  static SearchOptions resolve(SearchOptions options, std::size_t width);
  // Bytes that open() and the first states take. REQUIRES: resolved.
  static std::uint64_t min_bytes(const SearchOptions& options, std::size_t width);
  [[nodiscard]] bool open();

  std::uint64_t key(const std::byte* descriptor) const { return hash_bytes(descriptor, width_); }
  void prefetch(std::uint64_t key) const { states_.prefetch(key); }

  // Puts a state in the set or among the candidates, or finds that it is known.
  // REQUIRES: `key` is the descriptor's.
  Outcome insert(std::uint64_t key, const std::byte* descriptor, const Edge& edge);

  bool candidates_full() const { return candidates_.full(); }
  bool has_candidates() const { return !candidates_.empty(); }

  // Decides which candidates are new, and puts them in the set in the order they came: calls
  // accept(edge) before, and added(edge, descriptor) after each. kNew, or what stood in the way;
  // kKnown where accept() returned false. Either ends the search: the set is of no use then.
  template <class Accept, class Added>
  Outcome detect(Accept&& accept, Added&& added) {
    if (const Outcome outcome = remove_duplicates(); outcome != Outcome::kNew) return outcome;
    Outcome result = Outcome::kNew;
    candidates_.for_each([&](const CandidateSet::Candidate& c, const std::byte* descriptor) {
      const Edge edge{c.predecessor, c.event, c.depth};
      result = accept(edge) ? add(c.hash, descriptor, edge, states_.find(c.hash).size())
                            : Outcome::kKnown;
      if (result == Outcome::kNew) added(edge, descriptor);
      return result == Outcome::kNew;
    });
    candidates_.clear();
    return result;
  }

  // Calls visit(id, descriptor) for each id; false where the budget is used up.
  template <class Visit>
  [[nodiscard]] bool reconstruct_all(std::vector<StateId>& ids, Visit&& visit) {
    return grouped_.run(ids, visit);
  }
  // Valid until the next call, or the next change of the set.
  const std::byte* reconstruct(StateId id) { return reconstructor_.reconstruct(id); }

  DescriptorCache& cache() { return cache_; }
  const BackedgeTable& backedges() const { return backedges_; }
  std::uint64_t size() const { return backedges_.size(); }
  std::uint64_t table_bytes() const { return states_.bytes() + backedges_.bytes(); }
  std::uint64_t events() const { return reconstructor_.events() + grouped_.events(); }
  std::uint64_t reconstructions() const { return reconstructor_.count() + grouped_.count(); }
  std::uint64_t hash_conflicts() const { return hash_conflicts_; }

 private:
  Outcome insert_now(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
                     const StateTable::Ids& ids);
  Outcome insert_later(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
                       const StateTable::Ids& ids);
  // `conflicts` states with the same hash are there.
  Outcome add(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
              std::uint64_t conflicts);
  Outcome remove_duplicates();
  void mark(StateId id);

  std::size_t width_;
  bool delayed_;
  std::uint64_t max_states_;
  StateTable states_;
  BackedgeTable backedges_;
  DescriptorCache cache_;
  Reconstructor reconstructor_;
  GroupedReconstruction grouped_;
  CandidateSet candidates_;
  std::vector<StateId> marked_;            // states to compare with the candidates, each once
  std::vector<std::uint64_t> check_bits_;  // of the marked states
  BudgetCharge charge_;
  std::uint64_t hash_conflicts_ = 0;
};

// Why a search ends with this outcome; kNone where it goes on.
StopReason stop_for(ComBackSet::Outcome outcome);

}  // namespace comback

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/model.h"
#include "storage/budget_charge.h"

namespace comback {

// Which events of a model are independent: in every state in which both are enabled, neither
// disables the other, and both orders lead to the same state. Two events may be independent in this
// sense though one enables the other; sleep sets only ever ask about enabled ones, see
// docs/design.md.
//
// Computed from what events read and write: they are independent unless one writes what the other
// reads or writes. Refined in two ways:
//   - A send and a receive on one buffered channel are independent: where both are enabled, the
//     channel is neither full nor empty, and its first message is not the one that is being sent.
//   - That an event tests whether processes are at committed locations matters only where the other
//     event comes from an uncommitted location and goes to a committed one. Where it leaves a
//     committed one, both come from committed locations, or they are not both enabled.
//
// Not thread-safe: rows of the relation are computed when they are first asked for.
class Independence {
 public:
  // REQUIRES: model.events() is not empty; both outlive it.
  Independence(const Model& model, MemoryBudget& budget);

  bool independent(Event a, Event b) {
    if (rows_[a].empty() && !compute_row(a)) return compute(a, b);
    return (rows_[a][b / 64] >> (b % 64) & 1) != 0;
  }

 private:
  // What counts of an event.
  struct Uses {
    std::vector<VariableUse> reads;
    std::vector<VariableUse> writes;
    bool sends = false;     // to a buffered channel
    bool receives = false;  // from one
    bool commits = false;   // goes from an uncommitted location to a committed one
  };

  Uses uses_of(const Model& model, const EventInfo& event) const;
  bool meet(const Uses& writer, const Uses& other, const std::vector<VariableUse>& uses) const;
  bool compute(Event a, Event b) const;
  bool compute_row(Event a);

  std::vector<bool> is_channel_;  // by variable
  std::vector<bool> may_commit_;  // by variable: the location of a process with committed ones
  std::vector<Uses> uses_;        // by event
  std::vector<std::vector<std::uint64_t>> rows_;
  BudgetCharge charge_;
  std::uint64_t charged_ = 0;
};

}  // namespace comback

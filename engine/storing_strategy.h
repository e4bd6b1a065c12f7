#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/storing_options.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Decides which states are stored [behrmann03, Fig. 3]. A waiting state has a flag, which sums up
// the path to it.
//
// Invariant: on every infinite path infinitely many states are stored. A stored state is never
// explored again, so every search ends.
class StoringStrategy {
 public:
  using Flag = std::uint32_t;

  virtual ~StoringStrategy() = default;
  virtual Flag first_flag() { return 0; }
  // `successors`: how many the state has.
  virtual bool to_store(Flag flag, std::uint32_t successors) const = 0;
  // Of a successor by `event` of a state with `flag`, which was or was not stored.
  virtual Flag next_flag(Flag flag, bool stored, Event event) = 0;
  // False: to_store() is, whatever the successors.
  virtual bool may_store(Flag flag) const = 0;
};

// Of a rule that needs no covering set, or with one, of `model`.
std::unique_ptr<StoringStrategy> make_storing_strategy(const StoringOptions& options,
                                                       const Model& model,
                                                       const CoveringSet& cover);

}  // namespace comback

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/independence.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Looks whether events that are taken for independent are: executes both orders. It costs as many
// expansions again as a state has successors.
class IndependenceCheck {
 public:
  // REQUIRES: both outlive it.
  IndependenceCheck(const Model& model, Independence& independence);

  // Checks every pair of enabled events of a state. What is wrong with the first pair for which
  // something is.
  std::optional<Error> look_at(const std::byte* state);

  // Checked so far.
  std::uint64_t pairs() const { return pairs_; }

 private:
  // Where `event` leads in the successors of `buffer`; null: nowhere.
  static const std::byte* after(const SuccessorBuffer& buffer, Event event);
  Error complaint(const std::byte* state, Event a, Event b, const char* what) const;

  const Model& model_;
  Independence& independence_;
  SuccessorBuffer here_;
  std::vector<SuccessorBuffer> there_;  // the successors of each successor
  std::uint64_t pairs_ = 0;
};

}  // namespace comback

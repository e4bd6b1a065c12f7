#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/search.h"

namespace comback {

// What a search finds wrong with the model: decides what is a violation, counts, and keeps the
// first of each kind with its trace.
class Findings {
 public:
  // Where a violation is, and how to get there.
  struct Place {
    StateId state = 0;
    std::uint64_t depth = 0;
    std::function<Result<Trace>()> trace;
  };

  // REQUIRES: all three outlive it.
  Findings(const Model& model, const SearchOptions& options, Summary& summary)
      : model_(&model),
        options_(&options),
        summary_(&summary),
        looks_at_states_(model.has_assertions() || !options.invariants.empty()) {}

  // Whether check_state can find anything.
  bool looks_at_states() const { return looks_at_states_; }

  // The three below return true where the search goes on. Where it does not, it ends with what
  // failure() says, or else at a violation.

  // Assertions and invariants of one state.
  bool check_state(const std::byte* state, const Place& place);
  // A state without successors.
  bool deadlock(const Place& place);
  // An event that the model could not carry out; the search always ends there.
  bool fault(const Fault& fault, const Place& place);

  // A trace that could not be found or did not replay.
  const std::optional<Error>& failure() const { return failure_; }

  // Sets the summary's verdict: that of the first violation, or else by `stop_reason`.
  void conclude(StopReason stop_reason);

 private:
  bool record(Verdict kind, std::string what, std::optional<Event> event, const Place& place);
  bool found(Verdict kind) const;

  const Model* model_;
  const SearchOptions* options_;
  Summary* summary_;
  bool looks_at_states_;
  std::optional<Error> failure_;
};

}  // namespace comback

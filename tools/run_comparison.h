#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_difference.h"
#include "engine/search.h"
#include "tools/exit_code.h"
#include "tools/stored_model.h"

namespace comback::tools {

// Two stored runs, side by side.
struct RunComparison {
  struct Side {
    std::string dir;
    std::string model;
    std::string verdict;
    bool complete = false;  // all reachable states are stored
    bool finished = false;  // the search came to its end: it has a verdict
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t deadlocks = 0;
    std::vector<std::uint64_t> level_sizes;
    std::uint32_t whole_levels = 0;  // how many levels have all their states
  };
  // A state that one run has on a level and the other does not, and how it got there.
  struct Example {
    StateOfOne state;
    Trace trace;
  };

  std::array<Side, 2> sides;
  std::uint32_t levels = 0;  // compared: those that are whole in both
  // What is different of "verdict", "states", "transitions", "deadlocks", "levels"; counts are
  // compared where both runs are complete.
  std::vector<std::string> different;
  // The first of the compared levels that differs, by its size or by its states.
  std::optional<std::uint32_t> level;
  // Why states were not compared one by one; empty: they were.
  std::string states_not_compared;
  std::vector<Example> examples;

  bool same() const { return different.empty() && !level; }
  bool complete() const { return sides[0].complete && sides[1].complete; }
};

// What makes the descriptors of two models mean different things; empty: nothing.
std::string layout_difference(const Model& a, const Model& b);

// What both records say, without looking at states.
Result<RunComparison> compare_records(const std::array<const OpenedRun*, 2>& runs,
                                      const std::array<std::string, 2>& dirs);

// Looks at the states of the compared levels, in a pass over each run.
// REQUIRES: the models lay states out alike.
Status compare_states(const std::array<const OpenedRun*, 2>& runs, ThreadTeam& team,
                      const StateStream::Options& options, Monitor& monitor,
                      RunComparison& comparison);

// kComplete: the same; kViolation: there is a difference; kIncomplete: a run is not complete, and
// what they share is the same.
ExitCode exit_code(const RunComparison& comparison);

std::string comparison_text(const std::array<const OpenedRun*, 2>& runs,
                            const RunComparison& comparison, bool traces);
nlohmann::ordered_json comparison_json(const std::array<const OpenedRun*, 2>& runs,
                                       const RunComparison& comparison, bool traces);

}  // namespace comback::tools

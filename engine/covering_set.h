#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/result.h"
#include "models/model.h"

namespace comback {

// A transition of a process.
struct CoveringEdge {
  std::uint32_t process = 0;
  std::uint32_t transition = 0;  // index in its process
  friend bool operator==(const CoveringEdge&, const CoveringEdge&) = default;
};

// Transitions of which every cycle of a model's state graph has one [behrmann03, section 4], but
// for cycles of a single state.
struct CoveringSet {
  // A set that was constructed, and by which of the paper's heuristics: "O1" .. "O5", one-phase,
  // and "T1" .. "T4", two-phase.
  struct Candidate {
    std::string heuristic;
    std::size_t edges = 0;
    double weight = 0;
  };

  std::vector<CoveringEdge> edges;  // by process and transition
  std::string heuristic;
  // The sum of the edges' random walk coefficients: in how many steps of random walks they were
  // taken.
  double weight = 0;
  std::vector<Candidate> candidates;
  std::size_t local_cycles = 0;
  // Processes with too many local cycles to list: a set of edges is used without which they have
  // none.
  std::size_t unlisted_processes = 0;

  bool contains(std::uint32_t process, std::uint32_t transition) const;
};

struct CoveringOptions {
  std::uint64_t seed = 1;  // of the random walks, and of heuristic O4
  std::uint64_t walks = 20;
  std::uint64_t steps = 1000;             // of a walk, at most
  std::size_t cycles_per_process = 1000;  // listed, at most
};

// The set of the smallest weight that the heuristics construct, by static analysis of the
// processes' control graphs. An error where the model does not tell its processes and events.
Result<CoveringSet> find_covering_set(const Model& model, const CoveringOptions& options = {});

// Whether the analysis can tell that `edges` are a covering set; false does not mean that they are
// none. REQUIRES: find_covering_set() has no error for the model.
bool is_covering_set(const Model& model, std::span<const CoveringEdge> edges);

}  // namespace comback

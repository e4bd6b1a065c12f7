#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/covering_set.h"
#include "io/result.h"

namespace comback {

// Which states a search with a storing strategy [behrmann03] keeps. Where a strategy alone would
// not, a bound makes it keep some state of every cycle.
struct StoringRule {
  enum class Kind {
    kDistance,     // every k-th state along a path
    kSuccessors,   // states with several successors, and every k-th in a row without
    kCover,        // states that a transition of a covering set leads to
    kRandom,       // each with probability p
    kCombination,  // after k covering transitions the next with several successors
  };
  Kind kind = Kind::kCombination;
  std::uint32_t k = 3;  // of kDistance, kSuccessors, kCombination: 1 .. kMaxK
  double p = 0.1;       // of kRandom: kMinP .. 1

  static constexpr std::uint32_t kMaxK = 30000;
  static constexpr double kMinP = 0.0001;

  bool needs_cover() const { return kind == Kind::kCover || kind == Kind::kCombination; }

  // "distance:10", "cover", "random:0.1", ...; without a number, that of the paper's Table 2.
  static Result<StoringRule> parse(std::string_view text);
  std::string to_string() const;
};

struct StoringOptions {
  // In which order waiting states are explored.
  enum class Waiting {
    kFifo,
    kLifo,
    kPriority,  // first in, first out, but those that are certainly not stored before the others
  };

  StoringRule rule;
  Waiting waiting = Waiting::kFifo;
  std::uint64_t seed = 1;  // of kRandom, and of the random walks of a covering set
  // Distinct states, transitions and deadlocks are counted, by hashes of 64 bits, for as long as
  // the memory budget has room for them beside what the search needs.
  bool count_states = true;
  // While states have been explored more than so many times each, on average, one in four is stored
  // whatever the rule says: so that the time, exponential at worst, is linear. 0: never.
  std::uint32_t overhead = 10;
  // The search stops when about so many states were explored that it had explored before.
  std::optional<std::uint64_t> max_revisits;
};

// What only a search that does not store every state has to tell.
struct StoringCounts {
  std::uint64_t stored = 0;       // states kept at the end
  std::uint64_t explored = 0;     // states taken from the waiting list, each as often as it was
  std::uint64_t transitions = 0;  // of them
  std::uint64_t deadlocks = 0;    // of them
  std::uint64_t peak_waiting = 0;
  std::uint64_t peak_held = 0;  // stored and waiting states together
  std::uint64_t revisits = 0;   // states explored again; an estimate, within 1% of `explored`,
                                // where not counted
  // Whether the summary's states, transitions, deadlocks and numbers of violations are of distinct
  // states. Otherwise they are of explored ones, at least as many.
  bool counted = false;
  CoveringSet cover;  // of kCover and kCombination
};

}  // namespace comback

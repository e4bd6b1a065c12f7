#pragma once

#include <string>
#include <string_view>

#include "io/result.h"

namespace comback {

// Which descriptors a cache keeps: the strategies of [evangelista09], section 3.
//
//   F       the newest states
//   R:p     each new state, with probability p where the cache is full, in place of a random one
//   H       the states of the largest H(s), which grows with a state's distance and its children in
//           the backedge tree, and falls with the size of its level
//   D:k     as H, but none fewer than k backedges below another
//   Fx-Hy   x% of the cache as F, y% as H
//   Fx-Dy   likewise with D
//   Fx/Hy   as Fx-Hy, but the second part is offered only what leaves the first; Fx/Dy likewise
//   level   the levels 0, k, 2k, ... of the backedge tree; k doubles when the cache is full
//   none    nothing
struct CacheSpec {
  enum class Strategy { kNone, kFifo, kRandom, kHeuristic, kDistance, kLevel };

  // kFifo: all of the cache. kHeuristic and kDistance: after `fifo_percent` of it.
  Strategy strategy = Strategy::kFifo;
  unsigned fifo_percent = 0;  // of a mix
  bool handed_down = false;   // of a mix: what leaves the first part is offered to the second
  double probability = 0.5;   // of kRandom
  unsigned distance = 5;      // of kDistance

  friend bool operator==(const CacheSpec&, const CacheSpec&) = default;
};

// From the texts above; "R" and "D" alone take the papers' p = 0.5 and k = 5, "F20-D80:3" sets k
// in a mix.
Result<CacheSpec> parse_cache_spec(std::string_view text);
std::string to_string(const CacheSpec& spec);

}  // namespace comback

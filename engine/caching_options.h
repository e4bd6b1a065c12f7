#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/result.h"

namespace comback {

// Which state of a full cache gives way to a new one, never one of the stack. The first five are
// those of [holzmann85] as [godefroid95, section 5] names them, the last is the latter's own.
struct Replacement {
  enum class Kind {
    kRandom,   // any
    kMost,     // the one that was visited most often
    kLeast,    // least often
    kClass,    // one of the largest class of states that were visited equally often
    kSubtree,  // the one that was found deepest: the smallest subtree
    kType,     // of `scan` random ones, the one that control branches, receives, sends, assignments
               // and other events, in this order, speak least for keeping
  };
  Kind kind = Kind::kRandom;
  std::uint32_t scan = 16;  // of kType

  static constexpr std::uint32_t kMaxScan = 100000;

  // "random", "most", "least", "class", "subtree", "type", "type:100".
  static Result<Replacement> parse(std::string_view text);
  std::string to_string() const;
};

// State-space caching [godefroid95]: of the states that are not on the stack of a depth-first
// search only some stay, and what was forgotten may be explored again.
struct CachingOptions {
  // States in the cache, those of the stack among them; default: what half of the budget holds.
  std::optional<std::uint64_t> cache_size;
  Replacement replacement;
  std::uint64_t seed = 1;  // of what is random in it
  // The search stops when about so many states were explored that it had explored before.
  std::optional<std::uint64_t> max_revisits;
};

// Whether the time of a search with a cache is about to explode [godefroid95, section 4].
enum class CacheOutlook {
  kCalm,      // nothing was replaced; or few transitions are matched and the stack is small
  kOpen,      // it cannot be told: many transitions are matched, or the stack takes half the cache
  kExploded,  // most states explored had been explored before
};

// What only such a search, or one with sleep sets, has to tell.
struct CachingCounts {
  std::uint64_t cache_size = 0;  // 0: every state is kept
  std::uint64_t replaced = 0;    // states that gave way
  // States that were explored again. Exact where nothing was replaced, and then 0; otherwise an
  // estimate, within about 0.2% of the different states.
  std::uint64_t revisits = 0;
  std::uint64_t matched = 0;        // transitions that led to a state that was still known
  std::uint64_t slept = 0;          // transitions that a sleep set made superfluous
  std::uint64_t sleep_sets = 0;     // different ones that states had
  std::uint64_t checked_pairs = 0;  // with check_independence: of events, in all states

  // Whether the summary's states, transitions, deadlocks and numbers of violations are of distinct
  // states. Otherwise they are of explored ones, at least as many.
  bool exact() const { return replaced == 0; }

  // After so many states explored and transitions, with at most so many states on the stack.
  CacheOutlook outlook(std::uint64_t states, std::uint64_t transitions, std::uint64_t stack) const;
};

}  // namespace comback

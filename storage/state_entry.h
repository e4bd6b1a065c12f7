#pragma once

#include <cstdint>

namespace comback {

// A state as the state table knows it. Of the hash, a table keeps the leading bits only.
struct StateEntry {
  std::uint64_t hash = 0;
  std::uint64_t id = 0;
  friend bool operator==(const StateEntry&, const StateEntry&) = default;
};

// The state `id` has the hash that was looked up at `index`, as far as hashes are kept.
struct StateMatch {
  std::uint64_t index = 0;
  std::uint64_t id = 0;
  friend auto operator<=>(const StateMatch&, const StateMatch&) = default;
};

}  // namespace comback

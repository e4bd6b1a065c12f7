#pragma once

#include <cstdint>
#include <vector>

namespace comback {

// A hash over the backedges of a search in the order of ids: equal for two searches that found the
// same states, gave them the same numbers and reached them by the same edges.
class TreeDigest {
 public:
  TreeDigest() = default;
  // Goes on from a value().
  explicit TreeDigest(std::uint64_t value) : value_(value) {}

  void add(std::uint64_t predecessor, std::uint32_t event) {
    // Multiply and add in turn, so that order counts; one multiplication per state is all it costs.
    value_ = (value_ ^ (predecessor << 20) ^ event) * 0x9e3779b97f4a7c15ull;
    value_ ^= value_ >> 29;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x2545f4914f6cdd1dull;
};

}  // namespace comback

#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>

namespace comback {

// Counts the bytes that the tables and queues of one search hold, and refuses what would exceed
// the limit. One thread at a time.
class MemoryBudget {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  explicit MemoryBudget(std::uint64_t limit_bytes = kUnlimited) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (bytes > limit_ - used_) return false;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return true;
  }
  void give(std::uint64_t bytes) {
    assert(bytes <= used_);
    used_ -= bytes;
  }
  std::uint64_t used() const { return used_; }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t limit() const { return limit_; }
  std::uint64_t left() const { return limit_ - used_; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace comback

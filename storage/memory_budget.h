#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <limits>

namespace comback {

// The one accountant of a search: counts the bytes that its tables, queues and buffers hold, and
// refuses what would exceed the limit. Any thread may ask; asking is rare.
class MemoryBudget {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  explicit MemoryBudget(std::uint64_t limit_bytes = kUnlimited) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  [[nodiscard]] bool take(std::uint64_t bytes) {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (peak < used + bytes &&
           !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
    }
    return true;
  }
  void give(std::uint64_t bytes) {
    [[maybe_unused]] const std::uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    assert(bytes <= before);
  }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  // Since the last call, or the beginning.
  std::uint64_t take_peak() { return peak_.exchange(used(), std::memory_order_relaxed); }
  std::uint64_t limit() const { return limit_; }
  std::uint64_t left() const { return limit_ - used(); }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace comback

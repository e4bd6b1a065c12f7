#pragma once

#include <cstddef>
#include <utility>

#include "storage/memory_budget.h"

namespace comback {

// Memory that grows in place as far as the system can, counted in a budget. From some tens of KB on
// it is mapped, grown without copying, and given back to the system at once.
class GrowingArray {
 public:
  GrowingArray() = default;
  // REQUIRES: `budget` outlives the array.
  explicit GrowingArray(MemoryBudget& budget) : budget_(&budget) {}
  GrowingArray(GrowingArray&& other) noexcept { *this = std::move(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(budget_, other.budget_);
    return *this;
  }
  ~GrowingArray() { clear(); }

  // Makes room for `bytes` in all and an eighth more; what was there stays. False, and nothing
  // changed, where the budget or the system refuses.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void clear();

  std::byte* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kMapFrom = std::size_t{32} << 10;

  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace comback

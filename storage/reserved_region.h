#pragma once

#include <cstddef>
#include <utility>

#include "storage/memory_budget.h"

namespace comback {

// Zeroed memory that grows without ever moving: addresses are reserved at once, memory is taken
// from the system where it is first touched and counted in a budget as the region grows. In huge
// pages.
class ReservedRegion {
 public:
  ReservedRegion() = default;
  // Reserves up to `most` bytes, or as many as the system grants; empty where it grants none.
  // REQUIRES: `budget` outlives the region.
  static ReservedRegion reserve(std::size_t most, MemoryBudget& budget);
  ReservedRegion(ReservedRegion&& other) noexcept { *this = std::move(other); }
  ReservedRegion& operator=(ReservedRegion&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(reserved_, other.reserved_);
    std::swap(size_, other.size_);
    std::swap(budget_, other.budget_);
    return *this;
  }
  ~ReservedRegion();

  explicit operator bool() const { return data_ != nullptr; }
  // False, and nothing changed, where the budget or the reservation ends. REQUIRES: bytes >=
  // size().
  [[nodiscard]] bool grow_to(std::size_t bytes);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t size_ = 0;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace comback

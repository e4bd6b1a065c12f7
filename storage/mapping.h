#pragma once

#include <cstddef>
#include <utility>

#include "storage/memory_budget.h"

namespace comback {

// Zeroed memory straight from the system, counted in a budget; destroying it gives both back at
// once. Regions of whole huge pages (2 MiB) are aligned to them and ask for them.
class Mapping {
 public:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  Mapping() = default;
  // Empty where the budget or the system refuses. Rounds `bytes` up to whole pages.
  // REQUIRES: `budget` outlives the mapping.
  static Mapping allocate(std::size_t bytes, MemoryBudget& budget);
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(budget_, other.budget_);
    return *this;
  }
  ~Mapping();

  explicit operator bool() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace comback

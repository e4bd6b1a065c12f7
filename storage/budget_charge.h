#pragma once

#include <cstdint>

#include "storage/memory_budget.h"

namespace comback {

// Counts in a budget what containers of the standard library hold, and gives it back when it dies.
class BudgetCharge {
 public:
  // REQUIRES: `budget` outlives it.
  explicit BudgetCharge(MemoryBudget& budget) : budget_(&budget) {}
  BudgetCharge(const BudgetCharge&) = delete;
  BudgetCharge& operator=(const BudgetCharge&) = delete;
  ~BudgetCharge() { budget_->give(bytes_); }

  // Raises the charge to `bytes`, if it is lower. False where the budget does not allow it.
  [[nodiscard]] bool raise_to(std::uint64_t bytes) {
    if (bytes <= bytes_) return true;
    if (!budget_->take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }

 private:
  MemoryBudget* budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace comback

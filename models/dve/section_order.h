#pragma once

#include <string_view>

namespace comback::dve {

// Sections come in a fixed order, some of them side by side.
class SectionOrder {
 public:
  // What must not stand before a section of this rank, or nothing.
  std::string_view check(int rank, std::string_view name) {
    if (rank < rank_) return latest_;
    rank_ = rank;
    latest_ = name;
    return {};
  }

 private:
  int rank_ = 0;
  std::string_view latest_;
};

}  // namespace comback::dve

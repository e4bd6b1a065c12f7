#include "engine/origin_order.h"

#include <algorithm>

namespace comback {

std::span<OriginOrder::Item> OriginOrder::sort(std::span<const LevelCandidates> sets,
                                               std::uint64_t first, std::uint64_t end) {
  const std::uint64_t per_range = (end - first + kRanges - 1) / kRanges;
  const auto range_of = [&](Origin origin) { return (place_of(origin) - first) / per_range; };
  starts_.resize(sets.size());
  team_->for_each(sets.size(), [&](unsigned, std::size_t s) {
    starts_[s].fill(0);
    for (std::uint32_t i = 0; i < sets[s].size(); ++i)
      ++starts_[s][range_of(sets[s].record(i).origin)];
  });
  std::array<std::uint32_t, kRanges + 1> bounds{};
  std::uint32_t sum = 0;
  for (std::size_t r = 0; r < kRanges; ++r) {
    bounds[r] = sum;
    for (auto& starts : starts_) {
      const std::uint32_t count = starts[r];
      starts[r] = sum;
      sum += count;
    }
  }
  bounds[kRanges] = sum;
  items_.resize(sum);
  team_->for_each(sets.size(), [&](unsigned, std::size_t s) {
    for (std::uint32_t i = 0; i < sets[s].size(); ++i) {
      CandidateRecord& record = sets[s].record(i);
      items_[starts_[s][range_of(record.origin)]++] = {record.origin, &record};
    }
  });
  team_->for_each(kRanges, [&](unsigned, std::size_t r) {
    std::sort(items_.begin() + bounds[r], items_.begin() + bounds[r + 1],
              [](const Item& a, const Item& b) { return a.origin < b.origin; });
  });
  return items_;
}

}  // namespace comback

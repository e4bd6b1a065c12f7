#include "storage/state_filter.h"

#include <algorithm>
#include <cmath>

namespace comback {

StateFilter StateFilter::allocate(std::uint64_t bytes, std::uint64_t expected, unsigned hash_bits,
                                  MemoryBudget& budget) {
  // Whole pages, and as many blocks for each partition.
  constexpr std::uint64_t kUnit = std::uint64_t{kBlockBytes} << kPartitionBits;
  static_assert(kUnit % Mapping::kPage == 0);
  StateFilter filter;
  bytes = std::max<std::uint64_t>(bytes / kUnit, 1) * kUnit;
  filter.memory_ = Mapping::allocate(bytes, budget);
  if (!filter.memory_) return filter;
  filter.blocks_ = bytes / kBlockBytes;
  filter.mask_ = ~std::uint64_t{0} << (64 - hash_bits);
  const double bits_per_entry =
      8.0 * static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(expected, 1));
  filter.probes_ =
      static_cast<unsigned>(std::clamp(std::round(bits_per_entry * 0.6), 1.0, double{kMostProbes}));
  return filter;
}

}  // namespace comback

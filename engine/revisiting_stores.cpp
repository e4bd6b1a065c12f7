#include "engine/revisiting_stores.h"

#include <algorithm>

namespace comback {

std::uint64_t CacheStore::default_size(std::size_t width, std::uint64_t memory_bytes) {
  constexpr std::uint64_t kPerMany = 1 << 20;
  const std::uint64_t slots = memory_bytes / 2 * kPerMany / bytes_for(width, kPerMany);
  return std::clamp(slots, kMinSlots, ErasableTable::kMaxSlots);
}

// Until then every state visited is in the cache: the table is full of different ones.
void CacheStore::begin_estimate() {
  for (std::uint32_t slot = 0; slot < table_.slots(); ++slot) distinct_.add(table_.hash(slot));
}

void CacheStore::counts(CachingCounts& counts) const {
  counts.cache_size = table_.slots();
  counts.replaced = replaced_;
  if (replaced_ == 0) return;
  // Each state was replaced before it was explored again.
  const double distinct = std::min(distinct_.value(), static_cast<double>(visits_));
  counts.revisits = std::min(visits_ - static_cast<std::uint64_t>(distinct), replaced_);
}

}  // namespace comback

#include "storage/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace comback {
namespace {

constexpr std::size_t kSmall = 24;  // items that insertion sort is best at
constexpr unsigned kMostBits = 11;  // of a pass: 2048 counters, and as many places written to

void insertion_sort(SortItem* items, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const SortItem item = items[i];
    std::size_t j = i;
    for (; j > 0 && item.key < items[j - 1].key; --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

// By key alone. One pass over the highest bits in which keys differ leaves small groups when keys
// are hashes; whatever else they are, each further pass starts at a lower bit.
void sort_by_key(SortItem* items, SortItem* scratch, std::size_t n) {
  if (n <= kSmall) return insertion_sort(items, n);
  std::uint64_t differ = 0;
  for (std::size_t i = 1; i < n; ++i) differ |= items[i].key ^ items[0].key;
  if (differ == 0) return;
  const unsigned top = static_cast<unsigned>(std::bit_width(differ));
  const unsigned bits = std::min({top, kMostBits, static_cast<unsigned>(std::bit_width(n)) - 2u});
  const unsigned shift = top - bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;

  std::array<std::uint32_t, (1u << kMostBits) + 1> start;
  std::fill_n(start.begin(), (std::size_t{1} << bits) + 1, 0u);
  for (std::size_t i = 0; i < n; ++i) ++start[(items[i].key >> shift & mask) + 1];
  for (std::size_t g = 1; g <= mask; ++g) start[g] += start[g - 1];
  for (std::size_t i = 0; i < n; ++i) scratch[start[items[i].key >> shift & mask]++] = items[i];

  // start[g] is now the end of group g.
  std::size_t begin = 0;
  for (std::size_t g = 0; g <= mask; ++g) {
    const std::size_t end = start[g];
    if (end - begin > 1 && shift > 0) sort_by_key(scratch + begin, items + begin, end - begin);
    begin = end;
  }
  std::memcpy(static_cast<void*>(items), scratch, n * sizeof(SortItem));
}

}  // namespace

void sort_items(std::span<SortItem> items, SortItem* scratch, std::size_t payload_bytes) {
  sort_by_key(items.data(), scratch, items.size());
  for (std::size_t i = 0; i + 1 < items.size();) {
    std::size_t end = i + 1;
    while (end < items.size() && items[end].key == items[i].key) ++end;
    if (end - i > 1) {
      std::sort(items.begin() + i, items.begin() + end, [&](const SortItem& a, const SortItem& b) {
        return std::memcmp(a.payload, b.payload, payload_bytes) < 0;
      });
    }
    i = end;
  }
}

}  // namespace comback

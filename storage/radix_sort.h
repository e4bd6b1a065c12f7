#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comback {

// A record that is sorted without being moved.
struct SortItem {
  std::uint64_t key = 0;
  const std::byte* payload = nullptr;
};

// Sorts by key, equal keys by their payloads as memcmp does. `scratch` has room for as many items.
void sort_items(std::span<SortItem> items, SortItem* scratch, std::size_t payload_bytes);

}  // namespace comback

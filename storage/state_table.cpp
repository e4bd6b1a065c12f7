#include "storage/state_table.h"

#include <algorithm>

#include "storage/mapping.h"

namespace comback {

StateTable::Layout StateTable::layout(std::size_t bytes) const {
  Layout layout{};
  // A read takes eight bytes after the id, of the place behind the last one too.
  layout.places = (bytes - 12) / entry_bytes_ - 1;
  layout.homes = layout.places - std::min<std::uint64_t>(layout.places / 16, 1024);
  layout.most = layout.homes / 100 * 88;
  return layout;
}

bool StateTable::open() {
  const std::uint64_t most = (kMaxId + 1) * entry_bytes_ * 3 / 2;
  region_ = ReservedRegion::reserve(std::min<std::uint64_t>(most, budget_->limit()), *budget_);
  if (!region_ || !region_.grow_to(kMinBytes)) return false;
  layout_ = layout(kMinBytes);
  return true;
}

Insertion StateTable::insert(std::uint64_t hash, std::uint64_t id) {
  assert(id <= kMaxId);
  const std::uint64_t key = truncate_hash(hash, hash_bits_);
  if (size_ >= layout_.most && !grow()) return Insertion::kNoMemory;
  while (true) {
    std::byte* at = place(home_place(key, layout_.homes));
    while (occupied(at) && key_at(at) <= key) at += entry_bytes_;
    std::byte* end = at;
    while (occupied(end)) end += entry_bytes_;
    if (end == place(layout_.places)) {
      // The last homes are crowded, the table is not: it grows before its time.
      if (!grow()) return Insertion::kNoMemory;
      continue;
    }
    std::memmove(at + entry_bytes_, at, static_cast<std::size_t>(end - at));
    const auto stored = static_cast<std::uint32_t>(id + 1);
    std::memcpy(at, &stored, 4);
    std::memcpy(at + 4, &key, key_bytes_);
    ++size_;
    return Insertion::kNew;
  }
}

// Whether the last entries find a place in that layout, and one remains.
bool StateTable::fits(const Layout& layout) const {
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < layout_.places; ++i) {
    const std::byte* const entry = place(i);
    if (occupied(entry)) next = std::max(next, home_place(key_at(entry), layout.homes)) + 1;
  }
  return next < layout.places;
}

bool StateTable::grow() {
  std::size_t bytes = region_.size();
  Layout grown{};
  do {
    bytes = std::max(bytes / 5 * 6, bytes + Mapping::kPage) / Mapping::kPage * Mapping::kPage;
    if (bytes - region_.size() > budget_->left()) return false;
    grown = layout(bytes);
  } while (!fits(grown));
  if (!region_.grow_to(bytes)) return false;

  // To the end, without gaps, the last entry first. Then forward to their places: what is still to
  // be moved needs a place behind, so an entry never goes past where it is.
  std::uint64_t first = grown.places;
  for (std::uint64_t i = layout_.places; i-- > 0;) {
    if (!occupied(place(i))) continue;
    --first;
    if (first != i) copy_bytes(place(first), place(i), entry_bytes_);
  }
  std::memset(region_.data(), 0, std::min(first, layout_.places) * entry_bytes_);
  std::uint64_t next = 0;
  for (std::uint64_t i = first; i < grown.places; ++i) {
    next = std::max(next, home_place(key_at(place(i)), grown.homes));
    assert(next <= i);
    if (next != i) {
      copy_bytes(place(next), place(i), entry_bytes_);
      std::memset(place(i), 0, 4);
    }
    ++next;
  }
  layout_ = grown;
  return true;
}

}  // namespace comback

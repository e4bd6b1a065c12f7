#include "storage/state_table.h"

#include <algorithm>
#include <utility>

namespace comback {
namespace {

std::uint64_t most_entries(std::uint64_t homes) { return homes * 92 / 100; }

}  // namespace

bool StateTable::allocate(Partition& p, std::uint64_t pages) {
  p.memory = Mapping::allocate(pages * Mapping::kPage, *budget_);
  if (!p.memory) return false;
  p.data = p.memory.data();
  // A read takes eight bytes after the id, of the place behind the last one too.
  p.capacity = (p.memory.size() - 12) / entry_bytes_ - 1;
  p.homes = p.capacity - std::min<std::uint64_t>(p.capacity / 16, 256);
  p.left = most_entries(p.homes);
  return true;
}

bool StateTable::open() {
  for (Partition& p : partitions_) {
    if (!allocate(p, 1)) return false;
    bytes_ += p.memory.size();
  }
  return true;
}

Insertion StateTable::insert(std::uint64_t hash, std::uint64_t id) {
  assert(id <= kMaxId);
  Partition& p = partitions_[hash >> (64 - kPartitionBits)];
  const std::uint64_t wanted = rest(hash);
  while (true) {
    if (p.left == 0 && !grow(p)) return Insertion::kNoMemory;
    std::byte* at = p.data + home(p, wanted) * entry_bytes_;
    while (occupied(at) && rest_at(at) <= wanted) at += entry_bytes_;
    std::byte* end = at;
    while (occupied(end)) end += entry_bytes_;
    if (end == p.data + p.capacity * entry_bytes_) {
      // The last homes are crowded, the partition is not: it grows before its time.
      if (!grow(p)) return Insertion::kNoMemory;
      continue;
    }
    std::memmove(at + entry_bytes_, at, static_cast<std::size_t>(end - at));
    write(at, wanted, static_cast<std::uint32_t>(id + 1));
    --p.left;
    ++size_;
    return Insertion::kNew;
  }
}

bool StateTable::grow(Partition& p) {
  std::uint64_t pages = p.memory.size() / Mapping::kPage;
  const std::uint64_t held = most_entries(p.homes) - p.left;
  while (true) {
    pages = std::max<std::uint64_t>(pages * 5 / 4, pages + 1);
    Partition grown;
    if (!allocate(grown, pages)) return false;
    // The entries come sorted, so each goes to its home or right behind the one before.
    std::byte* next = grown.data;
    const std::byte* const end = grown.data + grown.capacity * entry_bytes_;
    bool fits = true;
    for (const std::byte *from = p.data, *last = p.data + p.capacity * entry_bytes_; from != last;
         from += entry_bytes_) {
      if (!occupied(from)) continue;
      next = std::max(next, grown.data + home(grown, rest_at(from)) * entry_bytes_);
      if (next == end) {
        fits = false;
        break;
      }
      std::memcpy(next, from, entry_bytes_);
      next += entry_bytes_;
    }
    if (!fits) continue;
    grown.left -= held;
    bytes_ += grown.memory.size() - p.memory.size();
    p = std::move(grown);
    return true;
  }
}

}  // namespace comback

#include "engine/waiting_states.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace comback {

WaitingStates::WaitingStates(std::size_t width, bool with_origin, MemoryBudget& budget)
    : width_(width),
      with_origin_(with_origin),
      descriptor_at_(slot_bytes(0, with_origin)),
      budget_(&budget),
      slots_(slot_bytes(width, with_origin), budget) {}

std::uint64_t WaitingStates::min_bytes(std::size_t width) {
  return RecordStack::min_bytes(slot_bytes(width, true)) + Mapping::kPage;
}

bool WaitingStates::open() {
  index_ = Mapping::allocate(Mapping::kPage, *budget_);
  return static_cast<bool>(index_);
}

bool WaitingStates::contains(std::uint64_t hash, const std::byte* state) const {
  const std::uint32_t h = short_hash(hash);
  for (std::uint32_t i = h & mask();; i = (i + 1) & mask()) {
    const std::uint32_t entry = index()[i];
    if (entry == 0) return false;
    if (header(entry - 1).hash == h && equal_bytes(descriptor(entry - 1), state, width_)) {
      return true;
    }
  }
}

bool WaitingStates::add(std::uint64_t hash, const std::byte* state, const Entry& entry, Place place,
                        unsigned queue) {
  if ((size_ + 1) * 4 > (std::uint64_t{mask()} + 1) * 3 && !grow()) return false;
  const std::optional<std::uint32_t> slot = new_slot();
  if (!slot) return false;
  Queue& q = queues_[queue];
  const bool front = place == Place::kFront;
  const Header h{.next = front ? q.first : kNone,
                 .hash = short_hash(hash),
                 .flag = entry.flag,
                 .depth = static_cast<std::uint32_t>(entry.depth)};
  std::memcpy(slots_.at(*slot), &h, sizeof h);
  if (with_origin_) {
    const Origin origin{entry.explorer, entry.event};
    std::memcpy(slots_.at(*slot) + sizeof h, &origin, sizeof origin);
  }
  copy_bytes(descriptor(*slot), state, width_);
  if (q.first == kNone) {
    q = {*slot, *slot};
  } else if (front) {
    q.first = *slot;
  } else {
    set_next(q.last, *slot);
    q.last = *slot;
  }
  insert(*slot, h.hash);
  ++size_;
  return true;
}

WaitingStates::Entry WaitingStates::take(std::byte* state) {
  assert(!empty());
  Queue& q = queues_[queues_[0].first == kNone ? 1 : 0];
  const std::uint32_t slot = q.first;
  const Header h = header(slot);
  Entry entry{.flag = h.flag, .event = 0, .depth = h.depth, .explorer = 0};
  if (with_origin_) {
    Origin origin;
    std::memcpy(&origin, slots_.at(slot) + sizeof h, sizeof origin);
    entry.event = origin.event;
    entry.explorer = origin.explorer;
  }
  copy_bytes(state, descriptor(slot), width_);
  q.first = h.next;
  erase(slot, h.hash);
  set_next(slot, free_);
  free_ = slot;
  --size_;
  return entry;
}

std::optional<std::uint32_t> WaitingStates::new_slot() {
  if (free_ != kNone) {
    const std::uint32_t slot = free_;
    free_ = header(slot).next;
    return slot;
  }
  if (slots_.size() >= kNone - 1 || slots_.push() == nullptr) return {};
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

bool WaitingStates::grow() {
  Mapping larger = Mapping::allocate(index_.size() * 2, *budget_);
  if (!larger) return false;
  std::swap(index_, larger);
  const auto* const old = reinterpret_cast<const std::uint32_t*>(larger.data());
  for (std::size_t i = 0; i < larger.size() / sizeof(std::uint32_t); ++i) {
    if (old[i] != 0) insert(old[i] - 1, header(old[i] - 1).hash);
  }
  return true;
}

void WaitingStates::insert(std::uint32_t slot, std::uint32_t hash) {
  std::uint32_t i = hash & mask();
  while (index()[i] != 0) i = (i + 1) & mask();
  index()[i] = slot + 1;
}

// What follows in the row moves up, unless that were before its home.
void WaitingStates::erase(std::uint32_t slot, std::uint32_t hash) {
  std::uint32_t hole = hash & mask();
  while (index()[hole] != slot + 1) hole = (hole + 1) & mask();
  for (std::uint32_t i = (hole + 1) & mask(); index()[i] != 0; i = (i + 1) & mask()) {
    const std::uint32_t home = header(index()[i] - 1).hash & mask();
    if (((i - home) & mask()) < ((i - hole) & mask())) continue;
    index()[hole] = index()[i];
    hole = i;
  }
  index()[hole] = 0;
}

}  // namespace comback

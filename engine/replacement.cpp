#include "engine/replacement.h"

#include <algorithm>
#include <cassert>

#include "storage/hash.h"

namespace comback {
namespace {

constexpr std::uint64_t kBytesPerSlot = 3 * sizeof(std::uint32_t) + 2;

// [godefroid95, section 5]: 1 is kept longest.
std::uint8_t type_of(EventKind kind) {
  switch (kind) {
    case EventKind::kBranch:
      return 1;
    case EventKind::kReceive:
      return 2;
    case EventKind::kSend:
      return 3;
    case EventKind::kAssignment:
      return 4;
    case EventKind::kOther:
      break;
  }
  return 5;
}

}  // namespace

ReplacementChoice::ReplacementChoice(const Replacement& replacement, std::uint64_t seed,
                                     std::uint64_t slots, MemoryBudget& budget)
    : replacement_(replacement), slots_(slots), budget_(&budget), random_(seed) {}

// A state cannot be found deeper than the stack is long, which is all in the cache.
std::uint64_t ReplacementChoice::lists() const {
  if (random()) return 0;
  return replacement_.kind == Replacement::Kind::kSubtree ? slots_ : kMaxVisits + 1;
}

std::uint64_t ReplacementChoice::bytes_for(std::uint64_t slots) {
  return slots * kBytesPerSlot + std::max<std::uint64_t>(slots, kMaxVisits + 1) * sizeof(List) +
         Mapping::kPage;
}

bool ReplacementChoice::open() {
  memory_ = Mapping::allocate(slots_ * kBytesPerSlot + lists() * sizeof(List), *budget_);
  if (!memory_) return false;
  list_ = reinterpret_cast<List*>(memory_.data());
  rank_ = reinterpret_cast<std::uint32_t*>(list_ + lists());
  before_ = rank_ + slots_;
  after_ = before_ + slots_;
  type_ = reinterpret_cast<std::uint8_t*>(after_ + slots_);
  on_stack_ = type_ + slots_;
  return true;
}

void ReplacementChoice::enter(std::uint32_t slot, std::uint64_t depth, EventKind by) {
  assert(depth < slots_);
  const bool by_depth = replacement_.kind == Replacement::Kind::kSubtree;
  rank_[slot] = by_depth ? static_cast<std::uint32_t>(depth) : 1;
  type_[slot] = type_of(by);
  on_stack_[slot] = 1;
}

void ReplacementChoice::match(std::uint32_t slot, EventKind by) {
  type_[slot] = std::min(type_[slot], type_of(by));
  if (random() || replacement_.kind == Replacement::Kind::kSubtree) return;
  if (rank_[slot] == kMaxVisits) return;
  if (!on_stack(slot)) remove(slot);
  ++rank_[slot];
  if (!on_stack(slot)) add(slot);
}

void ReplacementChoice::leave(std::uint32_t slot) {
  on_stack_[slot] = 0;
  add(slot);
}

void ReplacementChoice::add(std::uint32_t slot) {
  if (random()) {
    before_[slot] = static_cast<std::uint32_t>(size_);
    after_[size_++] = slot;
    return;
  }
  List& list = list_[rank_[slot]];
  before_[slot] = list.last;
  after_[slot] = 0;
  (list.last == 0 ? list.first : after_[list.last - 1]) = slot + 1;
  list.last = slot + 1;
  ++list.size;
  ++size_;
  highest_ = std::max<std::uint64_t>(highest_, rank_[slot]);
}

void ReplacementChoice::remove(std::uint32_t slot) {
  --size_;
  if (random()) {
    const std::uint32_t moved = after_[size_];
    after_[before_[slot]] = moved;
    before_[moved] = before_[slot];
    return;
  }
  List& list = list_[rank_[slot]];
  (before_[slot] == 0 ? list.first : after_[before_[slot] - 1]) = after_[slot];
  (after_[slot] == 0 ? list.last : before_[after_[slot] - 1]) = before_[slot];
  --list.size;
}

std::uint32_t ReplacementChoice::choose() {
  if (size_ == 0) return kNone;
  std::uint32_t slot = 0;
  switch (replacement_.kind) {
    case Replacement::Kind::kRandom:
      slot = choose_random();
      break;
    case Replacement::Kind::kType:
      slot = choose_by_type();
      break;
    default:
      slot = list_[list_to_choose_from()].first - 1;
  }
  remove(slot);
  return slot;
}

std::uint32_t ReplacementChoice::choose_random() { return after_[hash_to_range(random_(), size_)]; }

std::uint32_t ReplacementChoice::choose_by_type() {
  std::uint32_t best = choose_random();
  for (std::uint32_t i = 1; i < replacement_.scan && type_[best] < 5; ++i) {
    const std::uint32_t slot = choose_random();
    if (type_[slot] > type_[best]) best = slot;
  }
  return best;
}

// REQUIRES: some list has something.
std::uint32_t ReplacementChoice::list_to_choose_from() {
  while (list_[highest_].size == 0) --highest_;
  std::uint64_t chosen = highest_;
  if (replacement_.kind == Replacement::Kind::kLeast) {
    chosen = 1;
    while (list_[chosen].size == 0) ++chosen;
  } else if (replacement_.kind == Replacement::Kind::kClass) {
    for (std::uint64_t i = highest_; i-- > 0;) {
      if (list_[i].size > list_[chosen].size) chosen = i;
    }
  }
  return static_cast<std::uint32_t>(chosen);
}

}  // namespace comback

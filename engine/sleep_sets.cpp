#include "engine/sleep_sets.h"

#include <algorithm>

#include "storage/hash.h"

namespace comback {

SleepSets::SleepSets(std::uint64_t most_bytes, MemoryBudget& budget)
    : most_bytes_(most_bytes), charge_(budget), ends_{0, 0}, noted_{false}, index_(64) {
  index_[slot_of({})] = 1;
}

bool SleepSets::contains(Id id, Event event) const {
  const std::span<const Event> set = get(id);
  return std::binary_search(set.begin(), set.end(), event);
}

SleepSets::Id SleepSets::number(std::span<const Event> events) {
  const Id id = find_or_add(events);
  return id == kNone ? kEmpty : id;
}

SleepSets::Id SleepSets::with(Id id, Event event) {
  const std::span<const Event> set = get(id);
  const auto place = std::lower_bound(set.begin(), set.end(), event);
  if (place != set.end() && *place == event) return id;
  scratch_.assign(set.begin(), place);
  scratch_.push_back(event);
  scratch_.insert(scratch_.end(), place, set.end());
  const Id larger = find_or_add(scratch_);
  return larger == kNone ? id : larger;
}

// Where the set is in the index, or the empty place where it belongs.
std::uint64_t SleepSets::slot_of(std::span<const Event> events) const {
  const std::uint64_t mask = index_.size() - 1;
  std::uint64_t slot =
      hash_bytes(reinterpret_cast<const std::byte*>(events.data()), events.size_bytes()) & mask;
  while (index_[slot] != 0) {
    const std::span<const Event> there = get(index_[slot] - 1);
    if (std::equal(there.begin(), there.end(), events.begin(), events.end())) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}

SleepSets::Id SleepSets::find_or_add(std::span<const Event> events) {
  std::uint64_t slot = slot_of(events);
  if (index_[slot] != 0) return index_[slot] - 1;
  if (!make_room(events.size())) return kNone;
  slot = slot_of(events);
  events_.insert(events_.end(), events.begin(), events.end());
  ends_.push_back(events_.size());
  noted_.push_back(false);
  const auto id = static_cast<Id>(ends_.size() - 2);
  index_[slot] = id + 1;
  return id;
}

// For one more set. What grows is there twice for a moment.
bool SleepSets::make_room(std::size_t events) {
  const std::size_t wanted = events_.size() + events;
  const bool more_events = wanted > events_.capacity();
  const bool more_sets = ends_.size() * 2 > index_.size();
  if (!more_events && !more_sets) return true;
  const std::size_t capacity =
      more_events ? std::max(wanted, events_.capacity() * 3 / 2) : events_.capacity();
  const std::size_t slots = more_sets ? index_.size() * 2 : index_.size();
  const std::uint64_t bytes =
      (events_.capacity() * (more_events ? 1 : 0) + capacity) * sizeof(Event) +
      slots * (2 * sizeof(std::uint32_t) + sizeof(std::uint64_t));
  if (bytes > most_bytes_ || !charge_.raise_to(bytes)) return false;
  events_.reserve(capacity);
  if (more_sets) {
    ends_.reserve(slots / 2 + 2);
    noted_.reserve(slots / 2 + 2);
    index_.assign(slots, 0);
    for (Id id = 0; id + 1 < ends_.size(); ++id) index_[slot_of(get(id))] = id + 1;
  }
  return true;
}

}  // namespace comback

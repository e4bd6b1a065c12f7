#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/model.h"
#include "storage/budget_charge.h"
#include "storage/mapping.h"

namespace comback {

// Sets of events, each stored once and referred to by a number [stern96, section 5]: there are
// orders of magnitude fewer different sleep sets than states.
//
// Sets are never forgotten. Where the memory allowed to them is used up, a set that is not there
// yet becomes a smaller one: that costs reduction, never states.
class SleepSets {
 public:
  using Id = std::uint32_t;
  static constexpr Id kEmpty = 0;

  // At most `most_bytes` of `budget`, which outlives it.
  SleepSets(std::uint64_t most_bytes, MemoryBudget& budget);

  std::span<const Event> get(Id id) const {
    return {events_.data() + ends_[id], events_.data() + ends_[id + 1]};
  }
  bool contains(Id id, Event event) const;

  // The number of a set; kEmpty where there is no memory for it. REQUIRES: `events` is in rising
  // order and not of this object.
  Id number(std::span<const Event> events);
  // The number of the set with one more event; `id` where there is no memory for it.
  Id with(Id id, Event event);

  // Notes that a state has this set.
  void note(Id id) {
    noted_count_ += noted_[id] ? 0 : 1;
    noted_[id] = true;
  }
  // Different sets noted.
  std::uint64_t noted() const { return noted_count_; }

 private:
  static constexpr Id kNone = 0xffffffff;

  // kNone where there is no memory for it.
  Id find_or_add(std::span<const Event> events);
  std::uint64_t slot_of(std::span<const Event> events) const;
  bool make_room(std::size_t events);

  std::uint64_t most_bytes_;
  BudgetCharge charge_;
  std::vector<Event> events_;        // of all sets, one after the other
  std::vector<std::uint64_t> ends_;  // by number: where the set begins; then the end of all
  std::vector<bool> noted_;          // by number
  std::uint64_t noted_count_ = 0;
  std::vector<std::uint32_t> index_;  // number plus one; 0: empty. A power of two
  std::vector<Event> scratch_;
};

}  // namespace comback

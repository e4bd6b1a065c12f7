#pragma once

#include <cstdint>
#include <random>

#include "engine/caching_options.h"
#include "models/model.h"
#include "storage/mapping.h"

namespace comback {

// Chooses which state of a cache gives way: knows of each slot how often its state was visited,
// how deep it was found and by what kind of event, and whether it is on the stack.
//
// States that may be replaced stand in lists, one for each number of visits or each depth, in the
// order in which they got there; where the choice is random, all stand in one array.
class ReplacementChoice {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // REQUIRES: `budget` outlives it.
  ReplacementChoice(const Replacement& replacement, std::uint64_t seed, std::uint64_t slots,
                    MemoryBudget& budget);

  static std::uint64_t bytes_for(std::uint64_t slots);
  [[nodiscard]] bool open();

  // A state goes into a slot and onto the stack.
  void enter(std::uint32_t slot, std::uint64_t depth, EventKind by);
  // It is reached again.
  void match(std::uint32_t slot, EventKind by);
  // It leaves the stack: from now on it may be replaced.
  void leave(std::uint32_t slot);
  bool on_stack(std::uint32_t slot) const { return on_stack_[slot] != 0; }

  // Takes a slot out, or gives kNone where all are on the stack.
  std::uint32_t choose();

  // That may be replaced.
  std::uint64_t size() const { return size_; }

 private:
  // States that were visited more often count as this often.
  static constexpr std::uint32_t kMaxVisits = 255;

  bool random() const {
    return replacement_.kind == Replacement::Kind::kRandom ||
           replacement_.kind == Replacement::Kind::kType;
  }
  std::uint64_t lists() const;
  std::uint32_t list_of(std::uint32_t slot) const;
  void add(std::uint32_t slot);
  void remove(std::uint32_t slot);
  std::uint32_t choose_random();
  std::uint32_t choose_by_type();
  std::uint32_t list_to_choose_from();

  Replacement replacement_;
  std::uint64_t slots_;
  MemoryBudget* budget_;
  std::mt19937_64 random_;
  std::uint64_t size_ = 0;

  Mapping memory_;
  // By slot.
  std::uint32_t* rank_ = nullptr;  // visits, or depth
  std::uint8_t* type_ = nullptr;   // 1 .. 5
  std::uint8_t* on_stack_ = nullptr;
  std::uint32_t* before_ = nullptr;  // in its list; in the array: its position
  std::uint32_t* after_ = nullptr;
  // By list. Where the choice is random, after_ is the array.
  struct List {
    std::uint32_t first;  // a slot plus one; 0: the list is empty
    std::uint32_t last;
    std::uint32_t size;
  };
  List* list_ = nullptr;
  std::uint64_t highest_ = 0;  // no list above it has anything
};

}  // namespace comback

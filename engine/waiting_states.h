#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "storage/bytes.h"
#include "storage/mapping.h"
#include "storage/memory_budget.h"
#include "storage/record_stack.h"

namespace comback {

// Different states that wait to be explored, in up to two queues; one can ask whether a state is
// among them. Slots of states that were taken are used again.
class WaitingStates {
 public:
  // What a state carries with it.
  struct Entry {
    std::uint32_t flag = 0;
    std::uint32_t event = 0;     // that led to it
    std::uint64_t depth = 0;     // of the path that led to it, < 2^32
    std::uint64_t explorer = 0;  // the number of the state that it was found from
  };

  // REQUIRES: width > 0; `budget` outlives it. `with_origin`: entries keep event and explorer.
  WaitingStates(std::size_t width, bool with_origin, MemoryBudget& budget);

  // What the first state takes.
  static std::uint64_t min_bytes(std::size_t width);
  // False where the budget does not allow min_bytes().
  [[nodiscard]] bool open();

  bool contains(std::uint64_t hash, const std::byte* state) const;

  enum class Place { kBack, kFront };
  // False, and nothing changed, where the budget does not allow it.
  // REQUIRES: not contains(); `hash` is that of the state, the same in all calls; queue < 2.
  [[nodiscard]] bool add(std::uint64_t hash, const std::byte* state, const Entry& entry,
                         Place place, unsigned queue);

  // Takes the first state of the first queue that has one, into `state`. REQUIRES: not empty.
  Entry take(std::byte* state);

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return slots_.bytes() + index_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Header {
    std::uint32_t next;
    std::uint32_t hash;
    std::uint32_t flag;
    std::uint32_t depth;
  };
  struct Origin {
    std::uint64_t explorer;
    std::uint32_t event;
  };
  struct Queue {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  static std::size_t slot_bytes(std::size_t width, bool with_origin) {
    return sizeof(Header) + (with_origin ? sizeof(Origin) : 0) + width;
  }
  Header header(std::uint32_t slot) const {
    Header h;
    std::memcpy(&h, slots_.at(slot), sizeof h);
    return h;
  }
  void set_next(std::uint32_t slot, std::uint32_t next) {
    std::memcpy(slots_.at(slot), &next, sizeof next);
  }
  std::byte* descriptor(std::uint32_t slot) { return slots_.at(slot) + descriptor_at_; }
  const std::byte* descriptor(std::uint32_t slot) const { return slots_.at(slot) + descriptor_at_; }

  // The index: slot + 1, or 0; linear probing from the hash on.
  std::uint32_t* index() const { return reinterpret_cast<std::uint32_t*>(index_.data()); }
  std::uint32_t mask() const {
    return static_cast<std::uint32_t>(index_.size() / sizeof(std::uint32_t) - 1);
  }
  static std::uint32_t short_hash(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  std::optional<std::uint32_t> new_slot();
  bool grow();
  void insert(std::uint32_t slot, std::uint32_t hash);
  void erase(std::uint32_t slot, std::uint32_t hash);

  std::size_t width_;
  bool with_origin_;
  std::size_t descriptor_at_;
  MemoryBudget* budget_;
  RecordStack slots_;
  Mapping index_;
  Queue queues_[2];
  std::uint32_t free_ = kNone;  // the first unused slot
  std::uint64_t size_ = 0;
};

}  // namespace comback

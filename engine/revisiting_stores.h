#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/caching_options.h"
#include "engine/distinct_estimate.h"
#include "engine/replacement.h"
#include "engine/search.h"
#include "engine/visited.h"
#include "storage/erasable_table.h"
#include "storage/growing_array.h"

// What a RevisitingSearch keeps of the states it has visited, with one face:
//   Key key(descriptor), prefetch(key)
//   look_up(key, descriptor, by)      whether the state is known, or even on the stack; an event of
//                                     kind `by` leads to it
//   on_stack(key, descriptor)         the same, of a state that is not visited thereby
//   enter(key, descriptor, by, depth, record)
//                                     stores a state that is not known and puts it on the stack;
//                                     writes to the frame's record() bytes how it is found there
//   descriptor(record), leave(record) of a state on the stack; it leaves it
//   visits()                          calls of enter()
//   counts(CachingCounts&), bytes()

namespace comback {

enum class Known { kNo, kYes, kOnStack };

// --visited full: every state, and a bit that tells whether it is on the stack.
class FullStore {
 public:
  using Key = FullVisited::Key;

  FullStore(std::size_t width, const SearchOptions& options, MemoryBudget& budget)
      : visited_(width, options, budget), on_stack_(budget) {}
  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& options) {
    return FullVisited::min_bytes(width, options) + Mapping::kPage;
  }
  [[nodiscard]] bool open() { return visited_.open(); }
  std::size_t record_bytes() const { return sizeof(std::uint32_t); }

  Key key(const std::byte* descriptor) const { return visited_.key(descriptor); }
  void prefetch(Key key) const { visited_.prefetch(key); }
  Known look_up(Key key, const std::byte* descriptor, EventKind /*by*/) const {
    const std::uint32_t id = visited_.find(key, descriptor);
    if (id == TagIndex::kNone) return Known::kNo;
    return (word_of(id) & bit_of(id)) != std::byte{0} ? Known::kOnStack : Known::kYes;
  }
  bool on_stack(Key key, const std::byte* descriptor) const {
    return look_up(key, descriptor, EventKind::kOther) == Known::kOnStack;
  }

  StopReason enter(Key key, const std::byte* descriptor, EventKind /*by*/, std::uint64_t /*depth*/,
                   std::byte* record) {
    const auto id = static_cast<std::uint32_t>(visited_.size());
    const std::size_t bytes = id / 8 + 1;
    if (bytes > cleared_) {
      if (!on_stack_.reserve(bytes)) return StopReason::kMemory;
      std::memset(on_stack_.data() + cleared_, 0, on_stack_.capacity() - cleared_);
      cleared_ = on_stack_.capacity();
    }
    const Admission admission =
        admit(visited_, key, descriptor, {}, [&] { return visited_.reserve(1); });
    if (!admission.is_new) return admission.stop;
    word_of(id) |= bit_of(id);
    std::memcpy(record, &id, sizeof id);
    return StopReason::kNone;
  }
  const std::byte* descriptor(const std::byte* record) { return visited_.log().get(id_in(record)); }
  void leave(const std::byte* record) {
    const std::uint32_t id = id_in(record);
    word_of(id) &= ~bit_of(id);
  }

  std::uint64_t visits() const { return visited_.size(); }
  std::uint64_t bytes() const { return visited_.bytes(); }
  void counts(CachingCounts& /*counts*/) const {}

 private:
  static std::uint32_t id_in(const std::byte* record) {
    std::uint32_t id;
    std::memcpy(&id, record, sizeof id);
    return id;
  }
  std::byte& word_of(std::uint32_t id) const { return on_stack_.data()[id / 8]; }
  static std::byte bit_of(std::uint32_t id) { return std::byte{1} << (id % 8); }

  FullVisited visited_;
  GrowingArray on_stack_;
  std::size_t cleared_ = 0;  // bytes of it that were ever set
};

// --visited cache: a bounded number of states, those of the stack among them.
class CacheStore {
 public:
  using Key = std::uint64_t;
  static constexpr std::uint64_t kMinSlots = 16;

  CacheStore(std::size_t width, const SearchOptions& options, MemoryBudget& budget)
      : width_(width),
        table_(width, slots(width, options), budget),
        choice_(options.caching.replacement, options.caching.seed, slots(width, options), budget) {}
  // States that the cache has if the options do not say.
  static std::uint64_t default_size(std::size_t width, std::uint64_t memory_bytes);
  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& options) {
    return bytes_for(width, options.caching.cache_size.value_or(kMinSlots));
  }
  [[nodiscard]] bool open() { return table_.open() && choice_.open(); }
  std::size_t record_bytes() const { return sizeof(std::uint32_t); }

  Key key(const std::byte* descriptor) const { return hash_bytes(descriptor, width_); }
  void prefetch(Key key) const { table_.prefetch(key); }
  Known look_up(Key key, const std::byte* descriptor, EventKind by) {
    const std::uint32_t slot = table_.find(key, descriptor);
    if (slot == ErasableTable::kNone) return Known::kNo;
    choice_.match(slot, by);
    return choice_.on_stack(slot) ? Known::kOnStack : Known::kYes;
  }
  bool on_stack(Key key, const std::byte* descriptor) const {
    const std::uint32_t slot = table_.find(key, descriptor);
    return slot != ErasableTable::kNone && choice_.on_stack(slot);
  }

  // kCacheFull: all that is in the cache is on the stack.
  StopReason enter(Key key, const std::byte* descriptor, EventKind by, std::uint64_t depth,
                   std::byte* record) {
    if (table_.size() == table_.slots()) {
      const std::uint32_t victim = choice_.choose();
      if (victim == ReplacementChoice::kNone) return StopReason::kCacheFull;
      if (replaced_ == 0) begin_estimate();
      table_.erase(victim);
      ++replaced_;
    }
    const std::uint32_t slot = table_.insert(key, descriptor);
    choice_.enter(slot, depth, by);
    if (replaced_ > 0) distinct_.add(key);
    ++visits_;
    std::memcpy(record, &slot, sizeof slot);
    return StopReason::kNone;
  }
  const std::byte* descriptor(const std::byte* record) const { return table_.get(slot_in(record)); }
  void leave(const std::byte* record) { choice_.leave(slot_in(record)); }

  std::uint64_t visits() const { return visits_; }
  std::uint64_t bytes() const { return table_.bytes(); }
  void counts(CachingCounts& counts) const;

 private:
  static std::uint64_t bytes_for(std::size_t width, std::uint64_t slots) {
    return ErasableTable::bytes_for(width, slots) + ReplacementChoice::bytes_for(slots);
  }
  static std::uint64_t slots(std::size_t width, const SearchOptions& options) {
    return options.caching.cache_size.value_or(default_size(width, options.memory_bytes));
  }
  static std::uint32_t slot_in(const std::byte* record) {
    std::uint32_t slot;
    std::memcpy(&slot, record, sizeof slot);
    return slot;
  }
  void begin_estimate();

  std::size_t width_;
  ErasableTable table_;
  ReplacementChoice choice_;
  std::uint64_t visits_ = 0;
  std::uint64_t replaced_ = 0;
  DistinctEstimateOf<18> distinct_;  // of the states visited, from the first replacement on
};

}  // namespace comback

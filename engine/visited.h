#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/omission.h"
#include "engine/search.h"
#include "storage/compact_set.h"
#include "storage/descriptor_log.h"
#include "storage/descriptor_table.h"
#include "storage/hash.h"
#include "storage/insertion.h"
#include "storage/probed_set.h"

// The sets of visited states, with one face for the searches. Each has
//   Key key(descriptor)                what it is looked up by
//   prefetch(key), prefetch_match(key) the two cache misses of a look-up, ahead of it
//   contains(key, descriptor)
//   insert(key, descriptor)            REQUIRES: reserve() made room
//   reserve(count)                     false: no memory, or no more ids
//   size(), bytes()
//   kKeepsDescriptors                  whether log() has every visited state by id

namespace comback {

// --visited full
class FullVisited {
 public:
  using Key = std::uint64_t;
  static constexpr bool kKeepsDescriptors = true;

  FullVisited(std::size_t width, const SearchOptions& /*options*/, MemoryBudget& budget)
      : log_(width, budget), table_(log_, budget) {}
  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& /*options*/) {
    return DescriptorLog::chunk_bytes(width) + DescriptorTable::kMinBytes;
  }
  [[nodiscard]] bool open() { return log_.reserve(1) && table_.open(); }

  Key key(const std::byte* descriptor) const { return table_.hash_of(descriptor); }
  void prefetch(Key key) const { table_.prefetch(key); }
  void prefetch_match(Key key) const { table_.prefetch_match(key); }
  bool contains(Key key, const std::byte* descriptor) const {
    return table_.contains(key, descriptor);
  }
  // The state's id, or TagIndex::kNone.
  std::uint32_t find(Key key, const std::byte* descriptor) const {
    return table_.find(key, descriptor);
  }
  Insertion insert(Key key, const std::byte* descriptor) { return table_.insert(key, descriptor); }
  [[nodiscard]] bool reserve(std::uint64_t count) { return log_.reserve(count); }

  DescriptorLog& log() { return log_; }
  std::uint64_t size() const { return log_.size(); }
  std::uint64_t bytes() const { return log_.bytes() + table_.bytes(); }
  std::optional<double> omission_probability() const { return {}; }

 private:
  DescriptorLog log_;
  DescriptorTable table_;
};

// --visited compact
class CompactVisited {
 public:
  using Key = std::uint64_t;
  static constexpr bool kKeepsDescriptors = false;

  CompactVisited(std::size_t width, const SearchOptions& options, MemoryBudget& budget)
      : width_(width), bits_(options.hash_bits), set_(options.hash_bits, budget) {}
  static std::uint64_t min_bytes(std::size_t /*width*/, const SearchOptions& /*options*/) {
    return CompactSet::kMinBytes;
  }
  [[nodiscard]] bool open() { return set_.open(); }

  Key key(const std::byte* descriptor) const { return set_.key_of(hash_bytes(descriptor, width_)); }
  void prefetch(Key key) const { set_.prefetch(key); }
  void prefetch_match(Key /*key*/) const {}
  bool contains(Key key, const std::byte* /*descriptor*/) const { return set_.contains(key); }
  Insertion insert(Key key, const std::byte* /*descriptor*/) { return set_.insert(key); }
  [[nodiscard]] bool reserve(std::uint64_t /*count*/) const { return true; }

  std::uint64_t size() const { return set_.size(); }
  std::uint64_t bytes() const { return set_.bytes(); }
  std::optional<double> omission_probability() const {
    return basic_omission_probability(set_.size(), bits_);
  }

 private:
  std::size_t width_;
  unsigned bits_;
  CompactSet set_;
};

// --visited compact-improved
class ProbedVisited {
 public:
  using Key = ProbedSet::Key;
  static constexpr bool kKeepsDescriptors = false;
  static constexpr std::uint64_t kMinSlots = 3;

  ProbedVisited(std::size_t width, const SearchOptions& options, MemoryBudget& budget)
      : width_(width), bits_(options.hash_bits), set_(bits_, slots(options), budget) {}
  static std::uint64_t min_bytes(std::size_t /*width*/, const SearchOptions& options) {
    const std::uint64_t bytes = PackedSlots::bytes_for(
        std::max(options.table_slots.value_or(kMinSlots), kMinSlots), options.hash_bits);
    return (bytes + Mapping::kPage - 1) / Mapping::kPage * Mapping::kPage;
  }
  [[nodiscard]] bool open() { return set_.open(); }

  Key key(const std::byte* descriptor) const { return set_.key_of(hash_pair(descriptor, width_)); }
  void prefetch(const Key& key) const { set_.prefetch(key); }
  void prefetch_match(const Key& /*key*/) const {}
  bool contains(const Key& key, const std::byte* /*descriptor*/) const {
    return set_.contains(key);
  }
  Insertion insert(const Key& key, const std::byte* /*descriptor*/) { return set_.insert(key); }
  [[nodiscard]] bool reserve(std::uint64_t /*count*/) const { return true; }

  std::uint64_t size() const { return set_.size(); }
  std::uint64_t bytes() const { return set_.bytes(); }
  std::optional<double> omission_probability() const {
    return improved_omission_probability(set_.size(), set_.slots(), bits_);
  }

 private:
  // Half of the budget where the user does not say; the queue and the backedges share the rest.
  static std::uint64_t slots(const SearchOptions& options) {
    return std::max(kMinSlots, options.table_slots.value_or(
                                   PackedSlots::fit(options.memory_bytes / 2, options.hash_bits)));
  }

  std::size_t width_;
  unsigned bits_;
  ProbedSet set_;
};

// What became of a state that was offered to a set within the limits of a search.
struct Admission {
  bool is_new = false;
  StopReason stop = StopReason::kNone;  // of a state that is new but has no place
};

// Inserts a state where `max_states` and reserve() allow it; reserve() is false where there is no
// room for one more.
template <class Visited, class Reserve>
Admission admit(Visited& visited, const typename Visited::Key& key, const std::byte* descriptor,
                const std::optional<std::uint64_t>& max_states, Reserve&& reserve) {
  const auto refuse = [&](StopReason stop) -> Admission {
    return {false, visited.contains(key, descriptor) ? StopReason::kNone : stop};
  };
  if (max_states && visited.size() >= *max_states) [[unlikely]] {
    return refuse(StopReason::kMaxStates);
  }
  if (!reserve()) [[unlikely]] {
    return refuse(visited.size() >= DescriptorLog::kMaxSize ? StopReason::kTableFull
                                                            : StopReason::kMemory);
  }
  switch (visited.insert(key, descriptor)) {
    case Insertion::kNew:
      return {true, StopReason::kNone};
    case Insertion::kKnown:
      return {};
    case Insertion::kNoMemory:
      return {false, StopReason::kMemory};
    case Insertion::kFull:
      break;
  }
  return {false, StopReason::kTableFull};
}

}  // namespace comback

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/omission.h"
#include "engine/search.h"
#include "storage/budget_charge.h"
#include "storage/limited_set.h"
#include "storage/packed_slots.h"
#include "storage/record_stack.h"
#include "storage/stack_index.h"
#include "storage/tabulation_hash.h"

namespace comback {

// --visited compact-cache, one of the sets of engine/visited.h: t-limited hash compaction with
// caching [stern96], for depth-first search.
//
// The table may forget states that are on the stack, and reaching one of them again would make the
// search go round a cycle for ever. So the states of the stack, whose descriptors are there anyway,
// are indexed beside the table and known exactly. The paper does not say how its search ends.
class LimitedVisited {
 public:
  using Key = LimitedSet::Key;
  static constexpr bool kKeepsDescriptors = false;
  static constexpr std::uint64_t kMinSlots = 3;

  LimitedVisited(std::size_t width, const SearchOptions& options, MemoryBudget& budget)
      : width_(width),
        bits_(options.hash_bits),
        probes_(options.limited.probes),
        hash_(width, options.limited.seed),
        hash_charge_(budget),
        set_(bits_, slots(options), probes_, options.limited.seed, budget),
        budget_(&budget) {}
  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& options) {
    const std::uint64_t bytes = PackedSlots::bytes_for(
        std::max(options.table_slots.value_or(kMinSlots), kMinSlots), options.hash_bits);
    return (bytes + Mapping::kPage - 1) / Mapping::kPage * Mapping::kPage + StackIndex::kMinBytes +
           TabulationHash::bytes_for(width);
  }
  [[nodiscard]] bool open() {
    return hash_charge_.raise_to(TabulationHash::bytes_for(width_)) && set_.open();
  }

  // How the search tells what is on its stack: in each of its records a descriptor lies at
  // `offset`. REQUIRES: follow() before the first look-up; `stack` outlives the set.
  [[nodiscard]] bool follow(const RecordStack& stack, std::size_t offset) {
    stack_.emplace(stack, offset, width_, *budget_);
    return stack_->open();
  }
  [[nodiscard]] bool pushed() { return stack_->push(); }  // after it
  void popping() { stack_->pop(); }                       // before it

  Key key(const std::byte* descriptor) const { return set_.key_of(hash_(descriptor)); }
  void prefetch(const Key& key) const { set_.prefetch(key); }
  void prefetch_match(const Key& /*key*/) const {}
  bool contains(const Key& key, const std::byte* descriptor) const {
    return set_.contains(key) || stack_->contains(descriptor);
  }
  Insertion insert(const Key& key, const std::byte* descriptor) {
    // While nothing has been replaced, the table has the stack's states, too.
    if (set_.replacements() > 0 && !set_.contains(key) && stack_->contains(descriptor)) {
      return Insertion::kKnown;
    }
    return set_.insert(key);
  }
  [[nodiscard]] bool reserve(std::uint64_t /*count*/) const { return true; }

  // Insertions: the observed number of states, at least the true one.
  std::uint64_t size() const { return set_.inserted(); }
  std::uint64_t bytes() const { return set_.bytes() + (stack_ ? stack_->bytes() : 0); }
  std::optional<double> omission_probability() const {
    return limited_omission_probability(set_.inserted(), set_.slots(), probes_, bits_);
  }
  void describe(Summary& summary) const {
    summary.table = {
        {.slots = set_.slots(), .occupied = set_.occupied(), .replacements = set_.replacements()}};
  }

 private:
  // Half of the budget where the user does not say; the stack and its index share the rest.
  static std::uint64_t slots(const SearchOptions& options) {
    return std::max(kMinSlots, options.table_slots.value_or(
                                   PackedSlots::fit(options.memory_bytes / 2, options.hash_bits)));
  }

  std::size_t width_;
  unsigned bits_;
  unsigned probes_;
  TabulationHash hash_;
  BudgetCharge hash_charge_;
  LimitedSet set_;
  std::optional<StackIndex> stack_;
  MemoryBudget* budget_;
};

}  // namespace comback

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/cache_spec.h"
#include "engine/search.h"
#include "engine/slot_cache.h"
#include "storage/backedge_table.h"
#include "storage/budget_charge.h"
#include "storage/mapping.h"

namespace comback {

// A cache of full descriptors by id, of a fixed number of states [evangelista09, section 3]. It
// saves reconstructions, and cuts short those that meet a cached ancestor.
//
// The newest states are a ring: ids are given in order, so their place follows from the id. All
// other strategies keep their states in slots.
//
// H and D differ from the paper's text where its tables do; docs/papers.md has the figures:
//   - H(s) is d(s) r(s) / sqrt(L(d(s))); the text has no root.
//   - In a mix both parts go their own way: the ring takes every new state, the other part is
//     offered every state once all its transitions have been visited. The text's two levels are
//     there too (CacheSpec::handed_down): it is offered a state when that is so and the state has
//     left the ring.
//   - A part that is not full takes every state that it is offered. D looks for cached ancestors
//     only when it is full, in its own part, and fewer than k backedges away: k is the shortest
//     distance between two cached states.
//   - Which of several states with the smallest H is replaced is left open: by a hash of the id
//     here, which comes closest.
class DescriptorCache {
 public:
  // REQUIRES: `backedges` and `budget` outlive the cache; capacity < 2^31.
  DescriptorCache(const CacheSpec& spec, std::uint64_t capacity, std::size_t width,
                  const BackedgeTable& backedges, std::uint64_t seed, MemoryBudget& budget);

  static std::uint64_t min_bytes(const CacheSpec& spec, std::uint64_t capacity, std::size_t width);
  [[nodiscard]] bool open();

  // The state's descriptor, or null. Valid until the next add() or expanded().
  const std::byte* find(StateId id) const {
    const std::uint64_t offset = id - ring_first_;  // huge where id is older
    if (offset < ring_size_) return ring_.data() + ring_slot(offset) * width_;
    return slots_.find(id);
  }

  // A state was put in the visited set. REQUIRES: ids come in order, from 0, none left out;
  // `depth` is its distance from the initial state along the backedges.
  void add(StateId id, const std::byte* descriptor, std::uint64_t depth);

  // All transitions of a state have been visited; `children` states have it as predecessor.
  // REQUIRES: once for a state.
  void expanded(StateId id, const std::byte* descriptor, std::uint64_t depth,
                std::uint64_t children);

  // Whether expanded() would change anything, for a caller who has to look for the descriptor.
  bool would_take(StateId id, std::uint64_t depth, std::uint64_t children) const {
    if (!ranks() || slots_.capacity() == 0) return false;
    return waits_in_ring(id) || outranks(depth, children);
  }

  std::uint64_t capacity() const { return ring_capacity_ + slots_.capacity(); }

 private:
  using Strategy = CacheSpec::Strategy;
  static constexpr std::uint32_t kFree = 0xffffffff;

  struct Ranked {
    double h = 0;
    std::uint32_t tie = 0;  // among equal h; a hash of the id
    std::uint32_t id = 0;
    std::uint32_t slot = 0;
  };
  struct LaterReplaced;

  // What is known of a state in the ring whose transitions have all been visited.
  struct Visit {
    static constexpr std::uint32_t kNotYet = 0xffffffff;
    std::uint32_t depth = 0;
    std::uint32_t children = kNotYet;
  };

  static std::uint64_t ring_capacity(const CacheSpec& spec, std::uint64_t capacity);
  // Of what is kept beside the descriptors.
  static std::uint64_t note_bytes(const CacheSpec& spec, std::uint64_t capacity);
  static bool ranks(const CacheSpec& spec) {
    return spec.strategy == Strategy::kHeuristic || spec.strategy == Strategy::kDistance;
  }
  bool ranks() const { return ranks(spec_); }
  // H(s).
  double value(std::uint64_t depth, std::uint64_t children) const {
    return static_cast<double>(depth * children) /
           std::sqrt(static_cast<double>(level_sizes_[depth]));
  }
  std::uint64_t ring_slot(std::uint64_t offset) const {
    const std::uint64_t slot = ring_start_ + offset;
    return slot >= ring_capacity_ ? slot - ring_capacity_ : slot;
  }
  // Whether the state must leave the ring before it is offered to the other part.
  bool waits_in_ring(StateId id) const {
    return spec_.handed_down && id - ring_first_ < ring_size_;
  }
  bool outranks(std::uint64_t depth, std::uint64_t children) const {
    return !slots_.full() || ranking_.front().h < value(depth, children);
  }
  void push_ring(StateId id, const std::byte* descriptor);
  void offer(StateId id, const std::byte* descriptor, std::uint64_t depth, std::uint64_t children);
  void add_random(StateId id, const std::byte* descriptor);
  void add_level(StateId id, const std::byte* descriptor, std::uint64_t depth);
  bool has_near_ancestor(StateId id) const;

  CacheSpec spec_;
  std::size_t width_;
  const BackedgeTable* backedges_;
  MemoryBudget* budget_;
  BudgetCharge charge_;

  std::uint64_t ring_capacity_;
  Mapping ring_;
  StateId ring_first_ = 0;        // the oldest id in the ring
  std::uint64_t ring_start_ = 0;  // its place
  std::uint64_t ring_size_ = 0;
  std::vector<Visit> ring_visits_;  // by place, where it is handed down

  SlotCache slots_;
  std::vector<Ranked> ranking_;             // H and D: a heap, the next to be replaced on top
  std::vector<std::uint32_t> slot_ids_;     // R and level: by slot
  std::vector<std::uint32_t> slot_depths_;  // level: by slot
  std::vector<std::uint32_t> free_slots_;   // level
  std::vector<std::uint64_t> level_sizes_;
  std::uint64_t level_step_ = 1;  // k of the level-k cache
  std::mt19937_64 random_;
};

}  // namespace comback

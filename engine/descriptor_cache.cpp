#include "engine/descriptor_cache.h"

#include <algorithm>
#include <utility>

namespace comback {

// Orders the heap of ranked states: the smallest H on top.
struct DescriptorCache::LaterReplaced {
  bool operator()(const Ranked& a, const Ranked& b) const {
    return a.h != b.h ? a.h > b.h : a.tie > b.tie;
  }
};

std::uint64_t DescriptorCache::ring_capacity(const CacheSpec& spec, std::uint64_t capacity) {
  switch (spec.strategy) {
    case Strategy::kFifo:
      return capacity;
    case Strategy::kHeuristic:
    case Strategy::kDistance:
      return capacity * spec.fifo_percent / 100;
    default:
      return 0;
  }
}

DescriptorCache::DescriptorCache(const CacheSpec& spec, std::uint64_t capacity, std::size_t width,
                                 const BackedgeTable& backedges, std::uint64_t seed,
                                 MemoryBudget& budget)
    : spec_(spec),
      width_(width),
      backedges_(&backedges),
      budget_(&budget),
      charge_(budget),
      ring_capacity_(ring_capacity(spec, capacity)),
      slots_(width, spec.strategy == Strategy::kNone ? 0 : capacity - ring_capacity_, budget),
      random_(seed) {}

std::uint64_t DescriptorCache::min_bytes(const CacheSpec& spec, std::uint64_t capacity,
                                         std::size_t width) {
  if (spec.strategy == Strategy::kNone) return 0;
  const std::uint64_t ring = ring_capacity(spec, capacity);
  return ring * width + kDescriptorSlack + Mapping::kPage +
         SlotCache::bytes_for(width, capacity - ring) + note_bytes(spec, capacity);
}

std::uint64_t DescriptorCache::note_bytes(const CacheSpec& spec, std::uint64_t capacity) {
  const std::uint64_t ring = ring_capacity(spec, capacity);
  return (capacity - ring) * (ranks(spec) ? sizeof(Ranked) : 3 * sizeof(std::uint32_t)) +
         (spec.handed_down ? ring * sizeof(Visit) : 0);
}

bool DescriptorCache::open() {
  if (!charge_.raise_to(note_bytes(spec_, capacity()))) return false;
  if (ring_capacity_ > 0) {
    ring_ = Mapping::allocate(ring_capacity_ * width_ + kDescriptorSlack, *budget_);
    if (!ring_) return false;
  }
  if (spec_.handed_down) ring_visits_.resize(ring_capacity_);
  if (!slots_.open()) return false;
  if (ranks()) {
    ranking_.reserve(slots_.capacity());
  } else {
    slot_ids_.reserve(slots_.capacity());
  }
  return true;
}

void DescriptorCache::add(StateId id, const std::byte* descriptor, std::uint64_t depth) {
  if (ranks()) {
    if (level_sizes_.size() <= depth) level_sizes_.resize(depth + 1);
    ++level_sizes_[depth];
  }
  if (ring_capacity_ > 0) push_ring(id, descriptor);
  if (slots_.capacity() == 0) return;
  if (spec_.strategy == Strategy::kRandom) add_random(id, descriptor);
  if (spec_.strategy == Strategy::kLevel) add_level(id, descriptor, depth);
}

void DescriptorCache::push_ring(StateId id, const std::byte* descriptor) {
  if (ring_size_ == ring_capacity_) {
    if (spec_.handed_down) {
      const Visit visit = std::exchange(ring_visits_[ring_start_], {});
      if (visit.children != Visit::kNotYet) {
        offer(ring_first_, ring_.data() + ring_start_ * width_, visit.depth, visit.children);
      }
    }
    ++ring_first_;
    --ring_size_;
    if (++ring_start_ == ring_capacity_) ring_start_ = 0;
  }
  if (ring_size_ == 0) ring_first_ = id;
  copy_bytes(ring_.data() + ring_slot(ring_size_) * width_, descriptor, width_);
  ++ring_size_;
}

void DescriptorCache::expanded(StateId id, const std::byte* descriptor, std::uint64_t depth,
                               std::uint64_t children) {
  if (!ranks() || slots_.capacity() == 0) return;
  if (waits_in_ring(id)) {
    ring_visits_[ring_slot(id - ring_first_)] = {static_cast<std::uint32_t>(depth),
                                                 static_cast<std::uint32_t>(children)};
  } else {
    offer(id, descriptor, depth, children);
  }
}

void DescriptorCache::offer(StateId id, const std::byte* descriptor, std::uint64_t depth,
                            std::uint64_t children) {
  if (slots_.capacity() == 0 || !outranks(depth, children)) return;
  if (slots_.full() && spec_.strategy == Strategy::kDistance && has_near_ancestor(id)) return;
  auto slot = static_cast<std::uint32_t>(ranking_.size());
  if (slots_.full()) {
    std::pop_heap(ranking_.begin(), ranking_.end(), LaterReplaced{});
    slot = ranking_.back().slot;
    slots_.remove(ranking_.back().id);
    ranking_.pop_back();
  }
  slots_.put(slot, id, descriptor);
  const auto id32 = static_cast<std::uint32_t>(id);
  ranking_.push_back({value(depth, children), id32 * 2654435761u, id32, slot});
  std::push_heap(ranking_.begin(), ranking_.end(), LaterReplaced{});
}

bool DescriptorCache::has_near_ancestor(StateId id) const {
  for (unsigned degree = 1; degree < spec_.distance && id != 0; ++degree) {
    id = backedges_->find(id).predecessor;
    if (slots_.find(id) != nullptr) return true;
  }
  return false;
}

void DescriptorCache::add_random(StateId id, const std::byte* descriptor) {
  if (!slots_.full()) {
    slots_.put(static_cast<std::uint32_t>(slot_ids_.size()), id, descriptor);
    slot_ids_.push_back(static_cast<std::uint32_t>(id));
    return;
  }
  if (!std::bernoulli_distribution(spec_.probability)(random_)) return;
  const auto slot = static_cast<std::uint32_t>(random_() % slots_.capacity());
  slots_.remove(slot_ids_[slot]);
  slots_.put(slot, id, descriptor);
  slot_ids_[slot] = static_cast<std::uint32_t>(id);
}

void DescriptorCache::add_level(StateId id, const std::byte* descriptor, std::uint64_t depth) {
  while (slots_.full() && depth % level_step_ == 0) {
    level_step_ *= 2;  // ends: above `depth` the step does not divide it
    for (std::uint32_t slot = 0; slot < slot_ids_.size(); ++slot) {
      if (slot_depths_[slot] == kFree || slot_depths_[slot] % level_step_ == 0) continue;
      slots_.remove(slot_ids_[slot]);
      slot_depths_[slot] = kFree;
      free_slots_.push_back(slot);
    }
  }
  if (slots_.full() || depth % level_step_ != 0) return;
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slot_ids_.size()));
    slot_ids_.push_back(0);
    slot_depths_.push_back(kFree);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_.put(slot, id, descriptor);
  slot_ids_[slot] = static_cast<std::uint32_t>(id);
  slot_depths_[slot] = static_cast<std::uint32_t>(depth);
}

}  // namespace comback

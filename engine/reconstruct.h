#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/descriptor_cache.h"
#include "engine/search.h"
#include "models/model.h"
#include "storage/backedge_table.h"

namespace comback {

// Recovers the descriptor of one state by executing events along its backedges, from the nearest
// ancestor that is cached, or else from the initial state [westergaard07].
class Reconstructor {
 public:
  // REQUIRES: all outlive it.
  Reconstructor(const Model& model, const BackedgeTable& backedges, const DescriptorCache& cache)
      : model_(model),
        backedges_(backedges),
        cache_(cache),
        width_(model.width()),
        initial_(width_ + kDescriptorSlack),
        state_(width_ + kDescriptorSlack) {
    model.initial(initial_.data());
  }

  // The descriptor of a state that is known without executing anything, or null.
  const std::byte* known(StateId id) const { return id == 0 ? initial_.data() : cache_.find(id); }

  // Valid until the next call, or the next change of the cache. REQUIRES: `id` has a backedge.
  const std::byte* reconstruct(StateId id);

  std::uint64_t events() const { return events_; }  // executed so far
  std::uint64_t count() const { return count_; }    // states that were not known

 private:
  const Model& model_;
  const BackedgeTable& backedges_;
  const DescriptorCache& cache_;
  std::size_t width_;
  std::vector<std::byte> initial_;
  std::vector<std::byte> state_;
  std::vector<Event> path_;  // the last event first
  std::uint64_t events_ = 0;
  std::uint64_t count_ = 0;
};

// The events that lead from the initial state to `id`, along its backedges.
std::vector<Event> path_to(const BackedgeTable& backedges, StateId id);

}  // namespace comback

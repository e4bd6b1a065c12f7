#include "engine/reconstruct.h"

#include <algorithm>

#include "storage/bytes.h"

namespace comback {

const std::byte* Reconstructor::reconstruct(StateId id) {
  const std::byte* from = known(id);
  if (from != nullptr) return from;
  path_.clear();
  while (from == nullptr) {
    const Backedge edge = backedges_.find(id);
    path_.push_back(edge.event);
    id = edge.predecessor;
    from = known(id);
  }
  copy_bytes(state_.data(), from, width_);
  for (auto event = path_.rbegin(); event != path_.rend(); ++event) {
    model_.execute(state_.data(), *event);
  }
  events_ += path_.size();
  ++count_;
  return state_.data();
}

std::vector<Event> path_to(const BackedgeTable& backedges, StateId id) {
  std::vector<Event> events;
  while (id != 0) {
    const Backedge edge = backedges.find(id);
    events.push_back(edge.event);
    id = edge.predecessor;
  }
  std::reverse(events.begin(), events.end());
  return events;
}

}  // namespace comback

#include "engine/stored_tree.h"

#include <fmt/format.h>

namespace comback {

std::uint64_t StoredTree::widest() const {
  std::uint64_t widest = 0;
  for (std::uint32_t level = 0; level < depth(); ++level) widest = std::max(widest, size(level));
  return widest;
}

Status StoredTree::check() const {
  if (first_ids.size() < 2 || first_ids[0] != 0 || first_ids[1] != 1 ||
      !std::is_sorted(first_ids.begin(), first_ids.end())) {
    return Error{Errc::kCorruption, "the run's level table is not one"};
  }
  if (states() > backedges->committed()) {
    return Error{Errc::kCorruption,
                 fmt::format("the run's levels have {} states, and its backedge table {}", states(),
                             backedges->committed())};
  }
  return Done{};
}

Result<std::vector<Event>> StoredTree::path_to(StateId id) const {
  DiskBackedges::Reader reader(*backedges);
  std::vector<Event> events;
  while (id != 0) {
    const Result<Backedge> edge = reader.find(id);
    if (!edge) return edge.error();
    events.push_back(edge->event);
    id = edge->predecessor;  // smaller than before (DiskBackedges, I2), so this loop ends
  }
  std::reverse(events.begin(), events.end());
  return events;
}

}  // namespace comback

#include "engine/state_archive.h"

namespace comback {

Status StateArchive::append_backedges(std::span<const Backedge> edges,
                                      const ForEachTask& for_each) {
  if (disk_backedges_ != nullptr) return disk_backedges_->append(edges, for_each);
  // Beyond what the records take, a block that is not full and a chunk that is not, either.
  constexpr std::uint64_t kAhead = std::uint64_t{512} << 10;
  if (budget_->left() < edges.size() * sizeof(Backedge) + kAhead) {
    return Error{Errc::kOutOfMemory, "no memory for backedges"};
  }
  for (const Backedge& edge : edges) {
    if (!backedges_.append(edge.predecessor, edge.event)) {
      return Error{Errc::kOutOfMemory, "no memory for backedges"};
    }
  }
  return Done{};
}

void StateArchive::forget() {
  log_.clear();
  first_ids_.clear();
  backedges_ = BackedgeTable(*budget_);
}

Status StateArchive::attach(LevelStore& store, DiskBackedges& backedges,
                            const ForEachTask& for_each) {
  constexpr std::uint64_t kGroup = 1 << 16;
  std::vector<Backedge> group;
  for (std::uint64_t id = backedges.size(); id < backedges_.size();) {
    group.clear();
    for (; id < backedges_.size() && group.size() < kGroup; ++id) {
      group.push_back(backedges_.find(id));
    }
    if (Status status = backedges.append(group, for_each); !status) return status;
  }
  backedges_ = BackedgeTable(*budget_);
  store_ = &store;
  disk_backedges_ = &backedges;
  return Done{};
}

}  // namespace comback

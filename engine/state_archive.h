#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/result.h"
#include "storage/backedge_table.h"
#include "storage/descriptor_log.h"
#include "storage/disk_backedges.h"
#include "storage/for_each_task.h"
#include "storage/level_store.h"

namespace comback {

// Everything a search by levels remembers of its states, wherever it is: the newest descriptors in
// memory, those of held levels on disk, and all backedges.
//
// Threads: many may read while nobody writes.
class StateArchive {
 public:
  // REQUIRES: `budget` outlives the archive.
  StateArchive(std::size_t width, MemoryBudget& budget)
      : log_(width, budget, DescriptorLog::kMaxWideSize), budget_(&budget), backedges_(budget) {}

  // From now on descriptors may be on disk only, and backedges are there: those known so far are
  // moved, but for those that `backedges` has from an earlier checkpoint of this search.
  // REQUIRES: both outlive it.
  Status attach(LevelStore& store, DiskBackedges& backedges, const ForEachTask& for_each);

  // Back to nothing.
  void forget();

  // --- levels ---
  void begin_level(std::uint64_t first_id) { first_ids_.push_back(first_id); }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(first_ids_.size()); }
  std::uint64_t first_id(std::uint32_t level) const { return first_ids_[level]; }
  std::uint32_t level_of(std::uint64_t id) const {
    return static_cast<std::uint32_t>(std::upper_bound(first_ids_.begin(), first_ids_.end(), id) -
                                      first_ids_.begin() - 1);
  }

  // --- descriptors ---
  DescriptorLog& log() { return log_; }
  const DescriptorLog& log() const { return log_; }
  const std::byte* in_memory(std::uint64_t id) const {
    return id >= log_.released_below() ? log_.get(id) : nullptr;
  }
  // REQUIRES: `level` is level_of(id).
  bool held(std::uint64_t id, std::uint32_t level) const {
    return id >= log_.released_below() ||
           (store_ != nullptr && id < store_->next_id() && store_->held(level));
  }
  const LevelStore& store() const { return *store_; }  // REQUIRES: attached
  // REQUIRES: held, and not in memory.
  std::optional<LevelStore::BlockRef> find_block(std::uint64_t id) const {
    return store_->find_block(id);
  }

  // --- backedges ---
  // Of the next ids: all of them, or none and kOutOfMemory where the budget does not allow it.
  Status append_backedges(std::span<const Backedge> edges, const ForEachTask& for_each);
  std::uint64_t size() const {
    return disk_backedges_ != nullptr ? disk_backedges_->size() : backedges_.size();
  }

  // Finds backedges; fast if ids rise or fall. For one thread, while nothing is appended.
  class BackedgeReader {
   public:
    explicit BackedgeReader(const StateArchive& archive) : archive_(&archive) {
      if (archive.disk_backedges_ != nullptr) disk_.emplace(*archive.disk_backedges_);
    }
    Result<Backedge> find(std::uint64_t id) {
      return disk_ ? disk_->find(id) : Result<Backedge>(archive_->backedges_.find(id));
    }

   private:
    const StateArchive* archive_;
    std::optional<DiskBackedges::Reader> disk_;
  };

 private:
  DescriptorLog log_;
  MemoryBudget* budget_;
  LevelStore* store_ = nullptr;
  std::vector<std::uint64_t> first_ids_;
  BackedgeTable backedges_;                  // all of them, or
  DiskBackedges* disk_backedges_ = nullptr;  // all of them
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/result.h"
#include "storage/backedge_block.h"
#include "storage/backedge_table.h"
#include "storage/commit.h"
#include "storage/for_each_task.h"
#include "storage/memory_budget.h"
#include "storage/run_database.h"

namespace comback {

// The backedge table of the ComBack method [westergaard07] on disk: id -> (predecessor, event).
//
// Ids come in blocks (storage/backedge_block.h); the family `backedges` has one value for each,
// under its first id, most significant byte first. A block is packed when it is full or at a
// commit, whichever comes first, and never changes: what is not committed is in memory packed, too,
// but for the last block.
//
// Invariants:
//   I1  Dense: exactly the ids 0 .. size()-1 have an entry.
//   I2  Descending: an entry's predecessor is smaller than its id, but for the initial state's (0,
//   0). I3  Write-once: an entry never changes. I4  A reopened table has what commits that finished
//   have staged, and nothing else.
// Where predecessors never decrease from id to id, as in canonical numbering, blocks are small;
// otherwise they are larger.
//
// Threads: const methods and readers of different threads, not beside other methods.
class DiskBackedges {
 public:
  struct Options {
    std::size_t block_ids = kMaxBackedges;  // of new blocks, at most that
    // For unpacked blocks that were used lately; never less than two.
    std::uint64_t cache_bytes = std::uint64_t{2} << 20;
  };
  // kOutOfMemory where the budget does not allow the cache.
  // REQUIRES: `database` and `budget` outlive the table.
  static Result<std::unique_ptr<DiskBackedges>> open(RunDatabase& database, const Options& options,
                                                     MemoryBudget& budget);
  ~DiskBackedges();

  // Adds the entries of the ids from size() on: all of them, or none and kOutOfMemory where the
  // budget does not allow it. REQUIRES: I2 holds for each.
  Status append(std::span<const Backedge> edges, const ForEachTask& for_each);

  // Prepares what is not committed for `commit`; when that finishes, it is committed. Nothing may
  // be appended in between.
  Status stage(Commit& commit);

  // REQUIRES: id < size()
  Result<Backedge> find(std::uint64_t id) const;

  class Reader;

  // Calls f(id, backedge) for the ids first .. end-1. REQUIRES: end <= size()
  template <class F>
  Status for_each(std::uint64_t first, std::uint64_t end, F&& f) const;

  std::uint64_t size() const { return open_first_ + open_.size(); }
  std::uint64_t committed() const { return committed_; }
  std::uint64_t uncommitted_bytes() const { return pending_bytes_; }
  std::uint64_t file_bytes() const;

 private:
  using BlockPointer = std::shared_ptr<const BackedgeBlock>;
  struct Pending {
    std::uint64_t first_id;
    std::string packed;
  };
  struct Cached {
    BlockPointer block;
    std::uint64_t last_use;
  };

  DiskBackedges(RunDatabase& database, Family& family, const Options& options,
                MemoryBudget& budget);

  std::unique_ptr<BackedgeEncoder> borrow_encoder();
  void give_back(std::unique_ptr<BackedgeEncoder> encoder);
  Status check_end() const;
  BlockPointer cached(std::uint64_t id) const;
  void cache(const BlockPointer& block) const;
  Result<BlockPointer> load(std::uint64_t id, std::optional<FamilyCursor>& cursor,
                            BackedgeDecoder& decoder) const;

  RunDatabase* database_;
  Family* family_;
  MemoryBudget* budget_;
  std::size_t block_ids_;
  std::uint64_t reserved_bytes_ = 0;  // taken from the budget for good
  std::uint64_t committed_ = 0;
  std::vector<Pending> pending_;
  std::uint64_t pending_bytes_ = 0;
  std::vector<Backedge> open_;  // the last block
  std::uint64_t open_first_ = 0;

  std::mutex encoders_mutex_;
  std::vector<std::unique_ptr<BackedgeEncoder>> encoders_;

  std::size_t cache_blocks_ = 2;
  mutable std::mutex cache_mutex_;
  mutable std::map<std::uint64_t, Cached> cache_;  // by first id
  mutable std::uint64_t cache_uses_ = 0;
};

// Finds backedges of ids that rise, or fall, from call to call, unpacking each block once. Any
// other order works, too, but costs more. For one thread; of the table as it is when the reader is
// made.
class DiskBackedges::Reader {
 public:
  // REQUIRES: the table outlives the reader and does not change.
  explicit Reader(const DiskBackedges& table) : table_(&table) {}

  // The unpacked block with that entry. REQUIRES: id < committed()
  Result<std::shared_ptr<const BackedgeBlock>> block(std::uint64_t id) {
    if (block_ == nullptr || !block_->contains(id)) {
      auto block = table_->load(id, cursor_, decoder_);
      if (!block) return block.error();
      block_ = std::move(*block);
    }
    return block_;
  }

  // REQUIRES: id < size()
  Result<Backedge> find(std::uint64_t id) {
    if (block_ == nullptr || !block_->contains(id)) {
      if (id >= table_->open_first_) return table_->open_[id - table_->open_first_];
      auto block = table_->load(id, cursor_, decoder_);
      if (!block) return block.error();
      block_ = std::move(*block);
    }
    return block_->at(id);
  }

 private:
  const DiskBackedges* table_;
  std::optional<FamilyCursor> cursor_;
  BackedgeDecoder decoder_;
  BlockPointer block_;
};

template <class F>
Status DiskBackedges::for_each(std::uint64_t first, std::uint64_t end, F&& f) const {
  Reader reader(*this);
  for (std::uint64_t id = first; id < end; ++id) {
    auto edge = reader.find(id);
    if (!edge) return edge.error();
    f(id, *edge);
  }
  return Done{};
}

}  // namespace comback

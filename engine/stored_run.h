#pragma once

#include <filesystem>
#include <memory>

#include "engine/run_record.h"
#include "engine/stored_tree.h"
#include "io/result.h"
#include "storage/disk_backedges.h"
#include "storage/level_store.h"
#include "storage/memory_budget.h"
#include "storage/run_database.h"

namespace comback {

// A run to be read, as of its last checkpoint; another process may go on with it meanwhile. Files
// that the other one deletes stay readable until the StoredRun goes.
class StoredRun {
 public:
  struct Options {
    std::size_t width = 0;  // of the model's descriptors
    std::uint64_t block_cache_bytes = std::uint64_t{8} << 20;
    std::uint64_t backedge_cache_bytes = std::uint64_t{8} << 20;
  };
  // kNotFound where no checkpoint was made yet. REQUIRES: `budget` outlives it.
  static Result<std::unique_ptr<StoredRun>> open(const std::filesystem::path& run_dir,
                                                 const Options& options, MemoryBudget& budget);

  const StoredTree& tree() const { return tree_; }
  const RunRecord& record() const { return record_; }
  const RunDatabase& database() const { return *database_; }

 private:
  StoredRun() = default;
  static Result<std::unique_ptr<StoredRun>> try_open(const std::filesystem::path& run_dir,
                                                     const Options& options, MemoryBudget& budget);

  // Order matters: members die bottom-up.
  std::unique_ptr<RunDatabase> database_;
  std::unique_ptr<DiskBackedges> backedges_;
  std::unique_ptr<LevelStore> levels_;
  RunRecord record_;
  StoredTree tree_;
};

// What the last checkpoint of a run says. kNotFound where there was none yet.
Result<RunRecord> read_record(const std::filesystem::path& run_dir);
Result<RunRecord> read_record(const RunDatabase& database);

}  // namespace comback

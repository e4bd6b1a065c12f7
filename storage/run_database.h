#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/result.h"
#include "storage/memory_budget.h"

namespace comback {

class Commit;
class FamilyCursor;
class SortedWriter;

// A column family of a RunDatabase: a sorted map of byte strings of its own. Its name says how it
// is kept: `states...` holds pages (storage/hash_page.h), which can be joined by
// SortedWriter::merge; others hold values of some KB that are written once.
struct Family;

// The RocksDB database of a run. It changes by Commits alone: files written beside it that it
// takes in as a whole. There is no write-ahead log.
//
// Invariants, between any two calls and after a crash and reopen:
//   I1  Atomic: it holds what some number of Commits wrote, all of each, in the order of their
//       finish() calls.
//   I2  Durable: a Commit whose finish() returned success is part of it.
//   I3  The block cache never holds more than block_cache_bytes(), which is taken from the budget.
//
// Threads: everything const, and cursors of different threads, at any time; one Commit at a time.
class RunDatabase {
 public:
  struct Options {
    std::uint64_t block_cache_bytes = kLeastBlockCacheBytes;
    // The database as of its last commit; another process may go on writing it.
    bool read_only = false;
    // False where nobody opens it again: nothing waits for the disk then, and I2 holds without a
    // power loss only.
    bool durable = true;
  };
  // The blocks that open cursors stand in have to fit.
  static constexpr std::uint64_t kLeastBlockCacheBytes = std::uint64_t{2} << 20;

  // Creates what does not exist, unless read-only. Files of commits that were not finished are
  // removed. REQUIRES: `budget` outlives the database.
  static Result<std::unique_ptr<RunDatabase>> open(const std::filesystem::path& folder,
                                                   const Options& options, MemoryBudget& budget);
  ~RunDatabase();

  bool read_only() const;

  // The value that Commit::put_meta gave `key`, if any.
  Result<std::optional<std::string>> meta(std::string_view key) const;

  // Families are created and dropped at once, not with a commit: a table names those in use in its
  // meta data, and drops others when it is opened. A family lives until it is dropped.
  Family* find_family(std::string_view name) const;  // null where there is none
  Result<Family*> create_family(std::string_view name);
  Status drop_family(Family& family);
  std::vector<Family*> families(std::string_view name_prefix) const;

  // The value of `key` into `value`. False where there is none.
  Result<bool> get(const Family& family, std::string_view key, std::string& value) const;
  // Values of many keys, read together: calls on_value(i, value) for those that exist, in rising
  // order. REQUIRES: `keys` rise.
  Status get_many(const Family& family, std::span<const std::string_view> keys,
                  const std::function<Status(std::size_t, std::string_view)>& on_value) const;

  // Waits until nothing is left to be compacted; with `all`, until each family is one sorted run.
  Status compact(bool all);

  // Reads everything and compares checksums.
  Status verify_checksums() const;
  // The same file by file, without stopping at damage: `on_damage` is told of every file in which
  // something is wrong. Returns how many files were read.
  Result<std::uint64_t> verify_files(const std::function<void(Error)>& on_damage) const;
  // The same for the tables of a database that cannot be opened, finished or not.
  static Result<std::uint64_t> verify_files_in(const std::filesystem::path& folder,
                                               const std::function<void(Error)>& on_damage);

  // Changes the block cache's limit. kOutOfMemory where the budget does not allow it.
  Status set_block_cache_bytes(std::uint64_t bytes);
  std::uint64_t block_cache_bytes() const;

  struct Statistics {
    std::uint64_t file_bytes = 0;          // of all tables
    std::uint64_t files = 0;               //
    std::uint64_t block_cache_used = 0;    // of block_cache_bytes()
    std::uint64_t table_reader_bytes = 0;  // what RocksDB keeps of open tables outside the cache
    std::uint64_t memtable_bytes = 0;
  };
  Statistics statistics() const;
  std::uint64_t file_bytes(const Family& family) const;

 private:
  friend class Commit;
  friend class FamilyCursor;
  friend class SortedWriter;
  struct Rocks;
  RunDatabase(std::unique_ptr<Rocks> rocks, std::filesystem::path folder, MemoryBudget& budget);

  std::unique_ptr<Rocks> rocks_;
  std::filesystem::path folder_;
  MemoryBudget* budget_;
  std::uint64_t block_cache_bytes_ = 0;
};

// Walks a family in key order, as it was when the cursor was made. For one thread.
class FamilyCursor {
 public:
  struct Options {
    // Read ahead of use, for long walks; 0 for few keys.
    std::size_t read_ahead_bytes = 0;
  };
  // REQUIRES: `database` and `family` outlive the cursor.
  FamilyCursor(const RunDatabase& database, const Family& family, const Options& options);
  FamilyCursor(FamilyCursor&&) noexcept;
  FamilyCursor& operator=(FamilyCursor&&) noexcept;
  ~FamilyCursor();

  void seek_to_first();
  void seek(std::string_view key);               // to the first key not smaller
  void seek_for_previous(std::string_view key);  // to the last key not larger
  void next();                                   // REQUIRES: valid()
  void previous();                               // REQUIRES: valid()

  // False past either end, and where reading failed: status() tells which.
  bool valid() const;
  Status status() const;

  // Until the cursor moves. REQUIRES: valid()
  std::string_view key() const;
  std::string_view value() const;

 private:
  struct Rocks;
  std::unique_ptr<Rocks> rocks_;
};

}  // namespace comback

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/result.h"
#include "storage/run_database.h"

namespace comback {

// Everything one checkpoint adds to the database, prepared in files of its own. A Commit that is
// not finished, or fails, leaves no trace.
class Commit {
 public:
  // REQUIRES: `database` is not read-only and outlives the commit.
  explicit Commit(RunDatabase& database);
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;
  ~Commit();

  void put_meta(std::string_view key, std::string_view value);

  // Called when the commit has become part of the database.
  void when_finished(std::function<void()> action) { actions_.push_back(std::move(action)); }

  // All or nothing (I1, I2). Every SortedWriter was finished or destroyed before.
  Status finish();

  // Of the files written so far.
  std::uint64_t bytes() const;

 private:
  friend class SortedWriter;
  std::filesystem::path next_file();  // any thread, as the writers' other calls

  RunDatabase* database_;
  std::map<std::string, std::string, std::less<>> meta_;
  std::vector<std::function<void()>> actions_;

  mutable std::mutex mutex_;
  std::map<const Family*, std::vector<std::string>> files_;
  std::uint64_t bytes_ = 0;
  std::uint64_t next_file_ = 0;
};

// Writes keys of one family for a commit. Several may work at the same time, each on one thread,
// on ranges of keys that do not overlap.
class SortedWriter {
 public:
  // REQUIRES: `commit` and `family` outlive the writer.
  SortedWriter(Commit& commit, Family& family);
  SortedWriter(SortedWriter&&) noexcept;
  ~SortedWriter();

  // REQUIRES: keys rise strictly from call to call.
  Status put(std::string_view key, std::string_view value);
  // Adds to the value that the key has, by joining. REQUIRES: the family holds pages.
  Status merge(std::string_view key, std::string_view value);

  // Without it, nothing that was written becomes part of the commit.
  Status finish();

 private:
  struct Rocks;
  Status make_room();
  Status close_file();

  Commit* commit_;
  Family* family_;
  std::unique_ptr<Rocks> rocks_;
};

}  // namespace comback

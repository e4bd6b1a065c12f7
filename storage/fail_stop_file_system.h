#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace comback {

// The file system that RocksDB works on: the real one until a change of it fails, then one that
// accepts every change and makes none. To the disk, the process died at the failure; the database
// opens again as after a crash. Whoever uses the database asks failure() before it believes that
// something was written.
//
// RocksDB is not told of the failure, because Debian's 7.8 has its assertions on and ends the
// process when it touches a file again that it failed to write. Nor could it be trusted to go on:
// it would delete old files in favour of new ones that are not there.
//
// Threads: any.
class FailStopFileSystem : public rocksdb::FileSystemWrapper {
 public:
  // Not `durable`: nothing is synced, as what is written is only for this process.
  explicit FailStopFileSystem(bool durable = true)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), durable_(durable) {}

  bool durable() const { return durable_; }

  // The first change that failed, or ok.
  rocksdb::Status failure() const;

  const char* Name() const override { return "FailStopFileSystem"; }
  using Options = rocksdb::IOOptions;
  using Debug = rocksdb::IODebugContext;
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    Debug* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       Debug* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const Options& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 Debug* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const Options& options,
                               Debug* debug) override;
  rocksdb::IOStatus Truncate(const std::string& name, std::size_t bytes, const Options& options,
                             Debug* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const Options& options, Debug* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to, const Options& options,
                             Debug* debug) override;

  // Makes a change, unless one has failed. What is no failure of the disk, such as a file that is
  // not there, is passed on.
  template <class Change>
  rocksdb::IOStatus make(Change&& change) {
    if (failed_.load(std::memory_order_acquire)) return rocksdb::IOStatus::OK();
    return seen(change());
  }

 private:
  rocksdb::IOStatus seen(rocksdb::IOStatus status);

  const bool durable_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  rocksdb::IOStatus failure_ = rocksdb::IOStatus::OK();
};

// RocksDB would write a log of its own into the database's directory.
std::shared_ptr<rocksdb::Logger> make_silent_logger();

}  // namespace comback

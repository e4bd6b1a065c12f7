#include "storage/fail_stop_file_system.h"

#include <utility>

namespace comback {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// A file being written. `file` is none where it could not even be created.
class FailStopFile : public rocksdb::FSWritableFile {
 public:
  FailStopFile(FailStopFileSystem& disk, std::unique_ptr<rocksdb::FSWritableFile> file)
      : disk_(disk), file_(std::move(file)) {}

  using rocksdb::FSWritableFile::Append;
  using rocksdb::FSWritableFile::PositionedAppend;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    size_ += data.size();
    return make([&] { return file_->Append(data, options, debug); });
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                            const IOOptions& options, IODebugContext* debug) override {
    size_ = std::max<std::uint64_t>(size_, offset + data.size());
    return make([&] { return file_->PositionedAppend(data, offset, options, debug); });
  }
  IOStatus Truncate(std::uint64_t bytes, const IOOptions& options, IODebugContext* debug) override {
    size_ = bytes;
    return make([&] { return file_->Truncate(bytes, options, debug); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return make([&] { return file_->Close(options, debug); });
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    return make([&] { return file_->Flush(options, debug); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return sync([&] { return file_->Sync(options, debug); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return sync([&] { return file_->Fsync(options, debug); });
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& options,
                     IODebugContext* debug) override {
    return sync([&] { return file_->RangeSync(offset, bytes, options, debug); });
  }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }

 private:
  template <class Change>
  IOStatus make(Change&& change) {
    return file_ == nullptr ? IOStatus::OK() : disk_.make(change);
  }
  template <class Sync>
  IOStatus sync(Sync&& sync) {
    return disk_.durable() ? make(sync) : IOStatus::OK();
  }

  FailStopFileSystem& disk_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;
  std::uint64_t size_ = 0;
};

class FailStopDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  FailStopDirectory(FailStopFileSystem& disk, std::unique_ptr<rocksdb::FSDirectory> directory)
      : FSDirectoryWrapper(std::move(directory)), disk_(disk) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    if (!disk_.durable()) return IOStatus::OK();
    return disk_.make([&] { return FSDirectoryWrapper::Fsync(options, debug); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& directory_options) override {
    if (!disk_.durable()) return IOStatus::OK();
    return disk_.make(
        [&] { return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, directory_options); });
  }

 private:
  FailStopFileSystem& disk_;
};

class SilentLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

}  // namespace

IOStatus FailStopFileSystem::seen(IOStatus status) {
  // Of a file system that cannot do something RocksDB does without.
  if (!status.IsIOError() || status.IsPathNotFound()) return status;
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) failure_ = std::move(status);
  failed_.store(true, std::memory_order_release);
  return IOStatus::OK();
}

rocksdb::Status FailStopFileSystem::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

IOStatus FailStopFileSystem::NewWritableFile(const std::string& name,
                                             const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* file,
                                             Debug* debug) {
  std::unique_ptr<rocksdb::FSWritableFile> made;
  IOStatus status = make([&] { return target()->NewWritableFile(name, options, &made, debug); });
  if (status.ok()) *file = std::make_unique<FailStopFile>(*this, std::move(made));
  return status;
}

IOStatus FailStopFileSystem::ReopenWritableFile(const std::string& name,
                                                const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                Debug* debug) {
  std::unique_ptr<rocksdb::FSWritableFile> made;
  IOStatus status = make([&] { return target()->ReopenWritableFile(name, options, &made, debug); });
  if (status.ok()) *file = std::make_unique<FailStopFile>(*this, std::move(made));
  return status;
}

IOStatus FailStopFileSystem::NewDirectory(const std::string& name, const Options& options,
                                          std::unique_ptr<rocksdb::FSDirectory>* directory,
                                          Debug* debug) {
  std::unique_ptr<rocksdb::FSDirectory> opened;
  IOStatus status = target()->NewDirectory(name, options, &opened, debug);
  if (status.ok()) *directory = std::make_unique<FailStopDirectory>(*this, std::move(opened));
  return status;
}

IOStatus FailStopFileSystem::DeleteFile(const std::string& name, const Options& options,
                                        Debug* debug) {
  return make([&] { return target()->DeleteFile(name, options, debug); });
}
IOStatus FailStopFileSystem::Truncate(const std::string& name, std::size_t bytes,
                                      const Options& options, Debug* debug) {
  return make([&] { return target()->Truncate(name, bytes, options, debug); });
}
IOStatus FailStopFileSystem::RenameFile(const std::string& from, const std::string& to,
                                        const Options& options, Debug* debug) {
  return make([&] { return target()->RenameFile(from, to, options, debug); });
}
IOStatus FailStopFileSystem::LinkFile(const std::string& from, const std::string& to,
                                      const Options& options, Debug* debug) {
  return make([&] { return target()->LinkFile(from, to, options, debug); });
}

std::shared_ptr<rocksdb::Logger> make_silent_logger() { return std::make_shared<SilentLogger>(); }

}  // namespace comback

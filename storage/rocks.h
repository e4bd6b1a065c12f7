#pragma once

// What the files that talk to RocksDB share. Nothing else includes this.

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/result.h"
#include "storage/fail_stop_file_system.h"
#include "storage/run_database.h"

namespace comback {

struct Family {
  std::string name;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::Options options;  // also for the files that commits prepare
};

inline rocksdb::Slice slice(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(const rocksdb::Slice& s) { return {s.data(), s.size()}; }

inline Error to_error(const rocksdb::Status& status, std::string_view operation) {
  Errc code = Errc::kIo;
  if (status.IsCorruption()) code = Errc::kCorruption;
  if (status.IsNoSpace()) code = Errc::kNoSpace;
  if (status.IsNotFound() || status.IsPathNotFound()) code = Errc::kNotFound;
  if (status.IsMemoryLimit()) code = Errc::kOutOfMemory;
  if (status.IsInvalidArgument()) code = Errc::kInvalidArgument;
  if (status.IsNotSupported()) code = Errc::kUnsupported;
  return {code, std::string(operation) + ": " + status.ToString()};
}

inline Error to_error(const std::error_code& error, std::string_view operation) {
  return {error == std::errc::no_space_on_device ? Errc::kNoSpace : Errc::kIo,
          std::string(operation) + ": " + error.message()};
}

// Where commits prepare their files: beside the database, so that they can be moved into it.
inline std::filesystem::path staging_folder(const std::filesystem::path& folder) {
  std::filesystem::path staging = folder;
  staging += ".staging";
  return staging;
}

struct RunDatabase::Rocks {
  explicit Rocks(bool durable) : files(std::make_shared<FailStopFileSystem>(durable)) {}

  bool read_only = false;
  std::shared_ptr<FailStopFileSystem> files;
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  std::shared_ptr<rocksdb::Cache> cache;
  // Order matters: members die bottom-up, and a handle must die before its database.
  std::unique_ptr<rocksdb::DB> db;
  std::vector<std::unique_ptr<Family>> families;
  Family* meta = nullptr;

  ~Rocks() {
    for (const std::unique_ptr<Family>& family : families) release(*family);
  }
  void release(Family& family) {
    db->DestroyColumnFamilyHandle(family.handle).PermitUncheckedError();
  }

  rocksdb::ReadOptions read_options() const {
    rocksdb::ReadOptions o;
    return o;
  }

  // What RocksDB says of an operation that changes the database, or what it does not know: that the
  // disk has failed.
  rocksdb::Status believed(rocksdb::Status said) const {
    rocksdb::Status failure = files->failure();
    return failure.ok() ? said : failure;
  }

  rocksdb::DBOptions database_options() const;
  Family* add(std::string name, rocksdb::ColumnFamilyHandle* handle,
              const rocksdb::ColumnFamilyOptions& options);
  rocksdb::Status open(const std::string& path);
};

}  // namespace comback

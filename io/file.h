#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/result.h"

namespace comback {

// An open file and its name. Every error names the operation, the file and, where there is one,
// the offset; a full disk or quota is Errc::kNoSpace.
//
// Threads: reads and write_at() of different places may run beside each other; append() is one
// thread's.
class File {
 public:
  static Result<File> open(const std::filesystem::path& path);  // for reading
  // For reading and writing, empty; an existing file loses its contents.
  static Result<File> create(const std::filesystem::path& path);

  File(File&& other) noexcept { *this = std::move(other); }
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(end_, other.end_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~File();

  // Fills `out`. A file that ends before is Errc::kCorruption.
  Status read_at(std::uint64_t offset, std::span<std::byte> out) const;
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Writes at end(). After a failure end() is where it was.
  Status append(std::span<const std::byte> bytes);

  // The contents survive a power loss once this succeeds; the name, once sync_directory() has.
  Status sync();
  // Starts to write what was written to this range, and does not wait for it. Only a hint.
  void start_writeback(std::uint64_t offset, std::uint64_t bytes);

  Result<std::uint64_t> size() const;
  // Behind the last byte: its size when it was opened, moved by append() and write_at().
  std::uint64_t end() const { return end_; }
  const std::string& path() const { return path_; }
  int descriptor() const { return fd_; }

 private:
  File() = default;

  int fd_ = -1;
  std::uint64_t end_ = 0;
  std::string path_;
};

// The error of a failed system call: "OPERATION FILE: REASON", or "OPERATION FILE at offset N:
// ...".
Error system_error(std::string_view operation, const std::string& path, int error_number);
Error system_error(std::string_view operation, const std::string& path, std::uint64_t offset,
                   int error_number);
// Of a read of `bytes` at `offset` in a file that ends after `bytes_read` of them.
Error ends_early(const std::string& path, std::uint64_t offset, std::size_t bytes,
                 std::size_t bytes_read);
// "FILE at offset N: " in front of what a decoder found wrong with the bytes there.
Error located(Error error, const std::string& path, std::uint64_t offset);

// Makes the names in a directory, new, renamed or removed, survive a power loss.
Status sync_directory(const std::filesystem::path& directory);
// Replaces `to` by `from`, atomically, and syncs the directory of `to`.
Status rename_and_sync(const std::filesystem::path& from, const std::filesystem::path& to);
// Cuts off what lies behind `bytes`.
Status truncate_file(const std::filesystem::path& path, std::uint64_t bytes);
Status remove_file(const std::filesystem::path& path);
Status make_directories(const std::filesystem::path& path);

}  // namespace comback

#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace comback {
namespace {

// The kernel transfers at most 2 GiB - 4 KiB at a time.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

Errc code_of(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return Errc::kNoSpace;
    case ENOENT:
      return Errc::kNotFound;
    case ENOMEM:
      return Errc::kOutOfMemory;
    default:
      return Errc::kIo;
  }
}

std::string reason(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

Result<int> open_descriptor(std::string_view operation, const std::string& path, int flags) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return system_error(operation, path, errno);
  return fd;
}

}  // namespace

Error system_error(std::string_view operation, const std::string& path, int error_number) {
  return {code_of(error_number), fmt::format("{} {}: {}", operation, path, reason(error_number))};
}

Error system_error(std::string_view operation, const std::string& path, std::uint64_t offset,
                   int error_number) {
  return {code_of(error_number),
          fmt::format("{} {} at offset {}: {}", operation, path, offset, reason(error_number))};
}

Error ends_early(const std::string& path, std::uint64_t offset, std::size_t bytes,
                 std::size_t bytes_read) {
  return {Errc::kCorruption, fmt::format("read {} at offset {}: the file ends {} bytes early at {}",
                                         path, offset, bytes - bytes_read, offset + bytes_read)};
}

Error located(Error error, const std::string& path, std::uint64_t offset) {
  error.what = fmt::format("{} at offset {}: {}", path, offset, error.what);
  return error;
}

Result<File> File::open(const std::filesystem::path& path) {
  File file;
  file.path_ = path.string();
  // A pipe or a device where a file should be would block, or never end.
  auto fd = open_descriptor("open", file.path_, O_RDONLY | O_NONBLOCK);
  if (!fd) return fd.error();
  file.fd_ = *fd;
  struct stat status {};
  if (::fstat(*fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return Error{Errc::kCorruption, fmt::format("open {}: it is a pipe or a device", file.path_)};
  }
  auto bytes = file.size();
  if (!bytes) return bytes.error();
  file.end_ = *bytes;
  return file;
}

Result<File> File::create(const std::filesystem::path& path) {
  File file;
  file.path_ = path.string();
  auto fd = open_descriptor("create", file.path_, O_RDWR | O_CREAT | O_TRUNC);
  if (!fd) return fd.error();
  file.fd_ = *fd;
  return file;
}

File::~File() {
  // What matters was synced; a failure to close loses nothing that was promised.
  if (fd_ >= 0) ::close(fd_);
}

Status File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t at = offset + done;
    const ssize_t n = ::pread(fd_, out.data() + done, std::min(out.size() - done, kMostAtOnce),
                              static_cast<off_t>(at));
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error("read", path_, at, errno);
    }
    if (n == 0) return ends_early(path_, offset, out.size(), done);
    done += static_cast<std::size_t>(n);
  }
  return Done{};
}

Status File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), std::min(bytes.size(), kMostAtOnce),
                               static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error("write", path_, offset, errno);
    }
    if (n == 0) return system_error("write", path_, offset, ENOSPC);
    offset += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  end_ = std::max(end_, offset);
  return Done{};
}

Status File::append(std::span<const std::byte> bytes) { return write_at(end_, bytes); }

Status File::sync() {
  // Not repeated after a failure: the kernel may have dropped the pages that it could not write.
  if (::fsync(fd_) != 0) return system_error("sync", path_, errno);
  return Done{};
}

void File::start_writeback(std::uint64_t offset, std::uint64_t bytes) {
  ::sync_file_range(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

Result<std::uint64_t> File::size() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) return system_error("get the size of", path_, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Status sync_directory(const std::filesystem::path& directory) {
  const std::string path = directory.empty() ? "." : directory.string();
  auto fd = open_descriptor("open directory", path, O_RDONLY | O_DIRECTORY);
  if (!fd) return fd.error();
  const int failed = ::fsync(*fd) != 0 ? errno : 0;
  ::close(*fd);
  if (failed != 0) return system_error("sync directory", path, failed);
  return Done{};
}

Status rename_and_sync(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return system_error("rename " + from.string() + " to", to.string(), errno);
  }
  return sync_directory(to.parent_path());
}

Status truncate_file(const std::filesystem::path& path, std::uint64_t bytes) {
  if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) {
    return system_error("truncate", path.string(), bytes, errno);
  }
  return Done{};
}

Status remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0) return system_error("remove", path.string(), errno);
  return Done{};
}

Status make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return system_error("create directory", path.string(), error.value());
  return Done{};
}

}  // namespace comback

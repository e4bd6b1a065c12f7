#include "tools/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace comback::tools {
namespace {

namespace fs = std::filesystem;

Error failed(std::string_view what, int error) {
  return {error == ENOSPC || error == EDQUOT ? Errc::kNoSpace : Errc::kIo,
          fmt::format("cannot {}: {}", what, std::strerror(error))};
}

// Returns errno, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Whether `path` exists and is not a regular file, which renaming would replace.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace

void StandardOutput::write(std::string_view text) {
  if (!status_) return;
  if (const int error = write_all(descriptor_, text); error != 0) {
    status_ = failed("write to standard output", error);
  }
}

void complain(std::string_view text) { write_all(STDERR_FILENO, text); }

Status ResultFile::check() const {
  if (is_standard_output()) return Done{};
  const std::string name = path_.string();
  if (name.empty()) return Error{Errc::kInvalidArgument, "a file name is needed, or -"};
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) {
    return Error{Errc::kInvalidArgument, fmt::format("{} is a directory", name)};
  }
  if (is_special(path_)) return Done{};
  const fs::path folder = folder_of(path_);
  if (!fs::is_directory(folder, ignored)) {
    return Error{Errc::kNotFound,
                 fmt::format("cannot write {}: there is no folder {}", name, folder.string())};
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return failed(fmt::format("write {} into its folder", name), errno);
  }
  return Done{};
}

Status ResultFile::write(std::string_view contents) const {
  StandardOutput nobody;
  Result<ResultStream> stream = ResultStream::open(path_, nobody);
  if (!stream) return stream.error();
  stream->write(contents);
  return stream->finish();
}

// --- ResultStream ---

Result<ResultStream> ResultStream::open(const fs::path& path, StandardOutput& out) {
  ResultStream stream(path);
  if (path == "-") {
    stream.out_ = &out;
    return stream;
  }
  const std::string name = path.string();
  stream.renames_ = !is_special(path);
  stream.target_ =
      stream.renames_ ? fmt::format("{}.{}.tmp", name, static_cast<long>(::getpid())) : name;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (stream.renames_ ? O_TRUNC : 0);
  stream.descriptor_ = ::open(stream.target_.c_str(), flags, 0666);
  if (stream.descriptor_ < 0) return failed(fmt::format("write {}", name), errno);
  return stream;
}

ResultStream::ResultStream(ResultStream&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      renames_(other.renames_),
      out_(other.out_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      status_(std::move(other.status_)) {}

ResultStream::~ResultStream() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (renames_) ::unlink(target_.c_str());
}

void ResultStream::flush() {
  if (out_ != nullptr) {
    out_->write(buffer_);
    status_ = out_->status();
  } else if (status_) {
    if (const int error = write_all(descriptor_, buffer_); error != 0) {
      status_ = failed(fmt::format("write {}", path_.string()), error);
    }
  }
  buffer_.clear();
}

Status ResultStream::finish() {
  flush();
  if (out_ != nullptr) return status_;
  int error = 0;
  if (status_ && renames_ && ::fsync(descriptor_) != 0) error = errno;
  if (::close(std::exchange(descriptor_, -1)) != 0 && error == 0) error = errno;
  if (status_ && error == 0 && renames_ && std::rename(target_.c_str(), path_.c_str()) != 0) {
    error = errno;
  }
  if (status_ && error != 0) status_ = failed(fmt::format("write {}", path_.string()), error);
  if (!status_ && renames_) ::unlink(target_.c_str());
  return status_;
}

void reserve_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is this one. Standard input is opened for writing and the others for
    // reading, so that using them fails.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    static_cast<void>(opened);
  }
}

}  // namespace comback::tools

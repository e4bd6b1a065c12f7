#include "tools/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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
  const std::string name = path_.string();
  const bool direct = is_special(path_);
  const std::string target =
      direct ? name : fmt::format("{}.{}.tmp", name, static_cast<long>(::getpid()));
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (direct ? 0 : O_TRUNC);
  const int descriptor = ::open(target.c_str(), flags, 0666);
  if (descriptor < 0) return failed(fmt::format("write {}", name), errno);
  int error = write_all(descriptor, contents);
  if (error == 0 && !direct && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && !direct && std::rename(target.c_str(), name.c_str()) != 0) error = errno;
  if (error != 0) {
    if (!direct) ::unlink(target.c_str());
    return failed(fmt::format("write {}", name), error);
  }
  return Done{};
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

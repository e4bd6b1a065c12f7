// Loaded before the C library (LD_PRELOAD): see tests/support/faulty_disk.h, which sets the
// environment that it reads. Takes the place of the calls that change files.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace {

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

enum class Kind { kName, kSpace, kWrite, kSync };

// What is known of a file since the process began to change it.
struct Changed {
  std::uint64_t synced_bytes = 0;
  bool name_synced = false;  // its directory was synced since it was created
};

class Disk {
 public:
  Disk()
      : below_(text("FAULTY_DISK_BELOW")),
        fault_(text("FAULTY_DISK_FAULT")),
        count_file_(text("FAULTY_DISK_COUNT")),
        at_(std::strtoull(text("FAULTY_DISK_AT").c_str(), nullptr, 10)) {}

  bool watches(const std::string& path) const {
    return !below_.empty() && path.size() >= below_.size() && path.starts_with(below_) &&
           (path.size() == below_.size() || path[below_.size()] == '/');
  }

  // Counts a call. The error number that it fails with, 0 to let it happen, or -1 for half of it.
  int call(Kind kind) {
    const std::uint64_t number = ++calls_;
    if (fault_ == "full" && number >= at_ && at_ > 0 && kind != Kind::kSync) return ENOSPC;
    if (number != at_) return 0;
    if (fault_ == "no-space") return ENOSPC;
    if (fault_ == "io-error") return EIO;
    if (fault_ == "short-write") return kind == Kind::kWrite ? -1 : 0;
    if (fault_ == "kill") die();
    if (fault_ == "power-loss") lose_power(false);
    if (fault_ == "torn-power-loss") lose_power(true);
    return 0;
  }

  void created(const std::string& path, bool is_new) {
    Changed& file = changed_[path];
    file = {};
    file.name_synced = !is_new;
  }
  void touched(const std::string& path, std::uint64_t bytes_before) {
    changed_.try_emplace(path, Changed{bytes_before, true});
  }
  void synced(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return;
    if (S_ISDIR(status.st_mode)) {
      for (auto& [name, file] : changed_) {
        if (name.substr(0, name.rfind('/')) == path) file.name_synced = true;
      }
    } else {
      const auto found = changed_.find(path);
      if (found != changed_.end()) {
        found->second.synced_bytes = static_cast<std::uint64_t>(status.st_size);
      }
    }
  }
  // Journalled file systems keep the order of names: a rename or link counts as made durable with
  // the file that it names, and so do the names that were made before it in that directory.
  void renamed(const std::string& from, const std::string& to) {
    const auto found = changed_.find(from);
    if (found == changed_.end()) return;
    Changed file = found->second;
    changed_.erase(found);
    file.name_synced = true;
    changed_[to] = file;
    names_before(to);
  }
  void linked(const std::string& from, const std::string& to) {
    const auto found = changed_.find(from);
    if (found == changed_.end()) return;
    changed_[to] = {found->second.synced_bytes, true};
    names_before(to);
  }
  void removed(const std::string& path) { changed_.erase(path); }

  void write_count() const {
    if (count_file_.empty()) return;
    if (std::FILE* const out = std::fopen(count_file_.c_str(), "w")) {
      std::fprintf(out, "%llu\n", static_cast<unsigned long long>(calls_));
      std::fclose(out);
    }
  }

  std::recursive_mutex mutex;

 private:
  void names_before(const std::string& path) {
    const std::string directory = path.substr(0, path.rfind('/'));
    for (auto& [name, file] : changed_) {
      if (name.substr(0, name.rfind('/')) == directory) file.name_synced = true;
    }
  }

  static std::string text(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  [[noreturn]] static void die() {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }

  [[noreturn]] void lose_power(bool torn) {
    std::uint64_t dice = at_ * 0x9e3779b97f4a7c15;
    for (const auto& [path, file] : changed_) {
      if (!file.name_synced) {
        next<int(const char*)>("unlink")(path.c_str());
        continue;
      }
      struct stat status;
      if (stat(path.c_str(), &status) != 0) continue;
      const auto bytes = static_cast<std::uint64_t>(status.st_size);
      if (bytes <= file.synced_bytes) continue;
      dice = dice * 6364136223846793005 + 1442695040888963407;
      const std::uint64_t extra = torn ? (dice >> 33) % (bytes - file.synced_bytes + 1) : 0;
      next<int(const char*, off_t)>("truncate")(path.c_str(),
                                                static_cast<off_t>(file.synced_bytes + extra));
    }
    die();
  }

  std::string below_;
  std::string fault_;
  std::string count_file_;
  std::uint64_t at_;
  std::uint64_t calls_ = 0;
  std::map<std::string, Changed> changed_;
};

// Never destroyed: other destructors may still write.
Disk& disk() {
  static Disk* const only = new Disk;
  return *only;
}

__attribute__((destructor)) void at_exit() { disk().write_count(); }

std::string path_of(int fd) {
  char target[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t bytes = readlink(link.c_str(), target, sizeof target);
  return bytes <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(bytes));
}

std::string absolute(int directory, const char* path) {
  if (path[0] == '/') return path;
  if (directory != AT_FDCWD) return path_of(directory) + "/" + path;
  char here[PATH_MAX];
  return getcwd(here, sizeof here) == nullptr ? path : std::string(here) + "/" + path;
}

std::uint64_t bytes_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// A call on an open file: counted, failed, or done. `half`: does it with half the work.
template <class Result, class Do, class Half>
Result on_file(int fd, Kind kind, Do&& call, Half&& half) {
  const std::string path = path_of(fd);
  if (!disk().watches(path)) return call();
  const std::lock_guard lock(disk().mutex);
  if (kind != Kind::kSync) disk().touched(path, bytes_of(fd));
  const int error = disk().call(kind);
  if (error > 0) {
    errno = error;
    return -1;
  }
  const Result result = error < 0 ? half() : call();
  if (kind == Kind::kSync && result == 0) disk().synced(path);
  return result;
}
template <class Result, class Do>
Result on_file(int fd, Kind kind, Do&& call) {
  return on_file<Result>(fd, kind, call, call);
}

// A call on names; `done` records what it did.
template <class Do, class Record>
int on_name(const std::string& path, Do&& call, Record&& done) {
  if (!disk().watches(path)) return call();
  const std::lock_guard lock(disk().mutex);
  const int error = disk().call(Kind::kName);
  if (error > 0) {
    errno = error;
    return -1;
  }
  const int result = call();
  if (result >= 0) done();
  return result;
}

template <class Open>
int open_file(int directory, const char* name, int flags, Open&& open_now) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0) return open_now();
  const std::string path = absolute(directory, name);
  const bool is_new = access(path.c_str(), F_OK) != 0;
  if (!is_new && (flags & O_TRUNC) == 0) return open_now();
  return on_name(path, open_now, [&] { disk().created(path, is_new); });
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

// glibc declares some of these with attributes and under several names; what counts is the symbol.
#pragma GCC visibility push(default)
extern "C" {

#define FAULTY_OPEN(symbol)                                                \
  int symbol(const char* name, int flags, ...) {                           \
    va_list arguments;                                                     \
    va_start(arguments, flags);                                            \
    const mode_t mode = mode_of(flags, arguments);                         \
    va_end(arguments);                                                     \
    return open_file(AT_FDCWD, name, flags, [&] {                          \
      return next<int(const char*, int, ...)>(#symbol)(name, flags, mode); \
    });                                                                    \
  }
#define FAULTY_OPENAT(symbol)                                                              \
  int symbol(int directory, const char* name, int flags, ...) {                            \
    va_list arguments;                                                                     \
    va_start(arguments, flags);                                                            \
    const mode_t mode = mode_of(flags, arguments);                                         \
    va_end(arguments);                                                                     \
    return open_file(directory, name, flags, [&] {                                         \
      return next<int(int, const char*, int, ...)>(#symbol)(directory, name, flags, mode); \
    });                                                                                    \
  }
FAULTY_OPEN(open)
FAULTY_OPEN(open64)
FAULTY_OPENAT(openat)
FAULTY_OPENAT(openat64)

#define FAULTY_FOPEN(symbol)                                                  \
  std::FILE* symbol(const char* name, const char* mode) {                     \
    const auto open_now = [&] {                                               \
      return next<std::FILE*(const char*, const char*)>(#symbol)(name, mode); \
    };                                                                        \
    if (mode[0] == 'r') return open_now();                                    \
    std::FILE* file = nullptr;                                                \
    open_file(AT_FDCWD, name, O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0), [&] { \
      file = open_now();                                                      \
      return file == nullptr ? -1 : 0;                                        \
    });                                                                       \
    return file;                                                              \
  }
FAULTY_FOPEN(fopen)
FAULTY_FOPEN(fopen64)

ssize_t write(int fd, const void* data, std::size_t bytes) {
  const auto call = [&](std::size_t count) {
    return next<ssize_t(int, const void*, std::size_t)>("write")(fd, data, count);
  };
  return on_file<ssize_t>(
      fd, Kind::kWrite, [&] { return call(bytes); }, [&] { return call(bytes / 2 + 1); });
}

#define FAULTY_PWRITE(symbol)                                                                \
  ssize_t symbol(int fd, const void* data, std::size_t bytes, off_t offset) {                \
    const auto call = [&](std::size_t count) {                                               \
      return next<ssize_t(int, const void*, std::size_t, off_t)>(#symbol)(fd, data, count,   \
                                                                          offset);           \
    };                                                                                       \
    return on_file<ssize_t>(                                                                 \
        fd, Kind::kWrite, [&] { return call(bytes); }, [&] { return call(bytes / 2 + 1); }); \
  }
FAULTY_PWRITE(pwrite)
FAULTY_PWRITE(pwrite64)

ssize_t writev(int fd, const struct iovec* parts, int count) {
  return on_file<ssize_t>(fd, Kind::kWrite, [&] {
    return next<ssize_t(int, const struct iovec*, int)>("writev")(fd, parts, count);
  });
}

#define FAULTY_FTRUNCATE(symbol)                                                    \
  int symbol(int fd, off_t bytes) noexcept {                                        \
    return on_file<int>(fd, Kind::kSpace,                                           \
                        [&] { return next<int(int, off_t)>(#symbol)(fd, bytes); }); \
  }
FAULTY_FTRUNCATE(ftruncate)
FAULTY_FTRUNCATE(ftruncate64)

#define FAULTY_TRUNCATE(symbol)                                                      \
  int symbol(const char* name, off_t bytes) noexcept {                               \
    return on_name(                                                                  \
        absolute(AT_FDCWD, name),                                                    \
        [&] { return next<int(const char*, off_t)>(#symbol)(name, bytes); }, [] {}); \
  }
FAULTY_TRUNCATE(truncate)
FAULTY_TRUNCATE(truncate64)

#define FAULTY_FALLOCATE(symbol)                                                  \
  int symbol(int fd, int mode, off_t offset, off_t bytes) {                       \
    return on_file<int>(fd, Kind::kSpace, [&] {                                   \
      return next<int(int, int, off_t, off_t)>(#symbol)(fd, mode, offset, bytes); \
    });                                                                           \
  }
FAULTY_FALLOCATE(fallocate)
FAULTY_FALLOCATE(fallocate64)

int fsync(int fd) {
  return on_file<int>(fd, Kind::kSync, [&] { return next<int(int)>("fsync")(fd); });
}
int fdatasync(int fd) {
  return on_file<int>(fd, Kind::kSync, [&] { return next<int(int)>("fdatasync")(fd); });
}

int rename(const char* from, const char* to) noexcept {
  const std::string source = absolute(AT_FDCWD, from);
  const std::string target = absolute(AT_FDCWD, to);
  return on_name(
      target, [&] { return next<int(const char*, const char*)>("rename")(from, to); },
      [&] { disk().renamed(source, target); });
}
int link(const char* from, const char* to) noexcept {
  const std::string source = absolute(AT_FDCWD, from);
  const std::string target = absolute(AT_FDCWD, to);
  return on_name(
      target, [&] { return next<int(const char*, const char*)>("link")(from, to); },
      [&] { disk().linked(source, target); });
}
int unlink(const char* name) noexcept {
  const std::string path = absolute(AT_FDCWD, name);
  return on_name(
      path, [&] { return next<int(const char*)>("unlink")(name); }, [&] { disk().removed(path); });
}
int rmdir(const char* name) noexcept {
  return on_name(
      absolute(AT_FDCWD, name), [&] { return next<int(const char*)>("rmdir")(name); }, [] {});
}
int mkdir(const char* name, mode_t mode) noexcept {
  return on_name(
      absolute(AT_FDCWD, name), [&] { return next<int(const char*, mode_t)>("mkdir")(name, mode); },
      [] {});
}

}  // extern "C"
#pragma GCC visibility pop

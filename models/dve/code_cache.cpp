#include "models/dve/code_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "models/dve/generator.h"

namespace comback::dve {
namespace {

namespace fs = std::filesystem;

// A compilation older than this is one that was killed.
constexpr auto kAbandoned = std::chrono::hours(1);
constexpr std::string_view kWorkspacePrefix = "build-";

// The end of every file. What loads libraries does not look behind the last section.
struct Footer {
  char magic[8];
  std::uint32_t abi;
  std::uint32_t zero;
  std::uint64_t length;    // of what stands before it
  std::uint64_t checksum;  // of that, and of the members above
};
constexpr char kMagic[9] = "CmbkCode";

Footer footer_of(std::string_view library) {
  Footer out{};
  std::memcpy(out.magic, kMagic, sizeof(out.magic));
  out.abi = kCodeAbi;
  out.length = library.size();
  const std::uint64_t seed = XXH3_64bits(&out, offsetof(Footer, checksum));
  out.checksum = XXH3_64bits_withSeed(library.data(), library.size(), seed);
  return out;
}

class File {
 public:
  File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool private_to_user(const struct stat& info) {
  return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// All of a regular file that only this user can write.
std::optional<std::string> read_own(const File& file) {
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || !private_to_user(info)) return std::nullopt;
  std::string out(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::read(file.get(), out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    done += static_cast<std::size_t>(n);
  }
  return out;
}

fs::path default_directory() {
  for (const auto& [variable, below] : {std::pair{"COMBACK_CACHE_DIR", ""},
                                        {"XDG_CACHE_HOME", "comback"},
                                        {"HOME", ".cache/comback"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0')
      return *below == '\0' ? fs::path(value) : fs::path(value) / below;
  }
  return {};
}

}  // namespace

std::variant<Workspace, std::string> Workspace::create(const fs::path& parent) {
  std::string name = (parent / (std::string(kWorkspacePrefix) + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    return fmt::format("{} cannot be written: {}", parent.string(), std::strerror(errno));
  }
  return Workspace(name);
}

Workspace::~Workspace() {
  std::error_code ignored;  // what is left goes with a later add()
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::variant<CodeCache, std::string> CodeCache::open(const fs::path& requested,
                                                     std::uint64_t limit_bytes) {
  std::error_code error;
  fs::path directory = requested.empty() ? default_directory() : requested;
  if (directory.empty()) {
    return "no directory for native code: none of $COMBACK_CACHE_DIR, $XDG_CACHE_HOME and $HOME is "
           "set";
  }
  directory = fs::absolute(directory, error);
  if (error) return fmt::format("{}: {}", directory.string(), error.message());
  if (!fs::exists(directory, error)) {
    fs::create_directories(directory.parent_path(), error);
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
      return fmt::format("the directory {} cannot be made: {}", directory.string(),
                         std::strerror(errno));
    }
  }
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) {
    return fmt::format("{}: {}", directory.string(), std::strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) return directory.string() + " is not a directory";
  if (!private_to_user(info)) {
    return fmt::format(
        "the directory {} is not safe to load code from: {}", directory.string(),
        info.st_uid != geteuid() ? "it belongs to another user" : "other users may write to it");
  }
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    return fmt::format("the directory {} cannot be written: {}", directory.string(),
                       std::strerror(errno));
  }
  return CodeCache(std::move(directory), limit_bytes);
}

std::string CodeCache::key(std::string_view source, std::string_view compiler) {
  const std::uint64_t seed =
      XXH3_64bits_withSeed(compiler.data(), compiler.size(), std::uint64_t{kCodeAbi});
  const XXH128_hash_t hash = XXH3_128bits_withSeed(source.data(), source.size(), seed);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::optional<fs::path> CodeCache::find(const std::string& key) const {
  const fs::path path = directory_ / (key + ".so");
  const File file(path, O_RDONLY | O_NOFOLLOW);
  const std::optional<std::string> bytes = read_own(file);
  if (!bytes || bytes->size() < sizeof(Footer)) return std::nullopt;
  const std::string_view library =
      std::string_view(*bytes).substr(0, bytes->size() - sizeof(Footer));
  const Footer expected = footer_of(library);
  if (std::memcmp(bytes->data() + library.size(), &expected, sizeof(expected)) != 0) {
    return std::nullopt;
  }
  futimens(file.get(), nullptr);  // the newest is kept longest
  return path;
}

std::variant<fs::path, std::string> CodeCache::add(const std::string& key,
                                                   const fs::path& library) const {
  const auto failed = [&](const char* what) {
    return fmt::format("{} {}: {}", what, library.string(), std::strerror(errno));
  };
  {
    const File file(library, O_RDWR | O_APPEND | O_NOFOLLOW);
    // A compiler leaves its output as the user's umask has it.
    if (!file || fchmod(file.get(), 0700) != 0) return failed("cannot open");
    const std::optional<std::string> bytes = read_own(file);
    if (!bytes) return failed("cannot read");
    const Footer footer = footer_of(*bytes);
    if (write(file.get(), &footer, sizeof(footer)) != ssize_t{sizeof(footer)}) {
      return failed("cannot write to");
    }
  }
  const fs::path path = directory_ / (key + ".so");
  if (rename(library.c_str(), path.c_str()) != 0) return failed("cannot move");
  shrink(path);
  return path;
}

void CodeCache::shrink(const fs::path& keep) const {
  std::vector<std::tuple<fs::file_time_type, std::uint64_t, fs::path>> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;  // another process may be faster
    const fs::path& path = it->path();
    const auto time = fs::last_write_time(path, gone);
    if (gone) continue;
    if (path.filename().string().rfind(kWorkspacePrefix, 0) == 0) {
      if (fs::file_time_type::clock::now() - time > kAbandoned) fs::remove_all(path, gone);
    } else if (path.extension() == ".so") {
      const std::uint64_t size = fs::file_size(path, gone);
      if (gone) continue;
      total += size;
      if (path != keep) files.emplace_back(time, size, path);
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& [time, size, path] : files) {
    if (total <= limit_bytes_) break;
    std::error_code gone;
    fs::remove(path, gone);
    total -= size;
  }
}

}  // namespace comback::dve

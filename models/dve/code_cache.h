#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace comback::dve {

// A folder of its own for one compilation, removed with all it holds when the object dies.
class Workspace {
 public:
  static std::variant<Workspace, std::string> create(const std::filesystem::path& parent);
  ~Workspace();
  Workspace(Workspace&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Workspace& operator=(Workspace&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit Workspace(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Libraries of native code by the hash of what they were made from, in a directory that only its
// owner can write. Several processes may use it at once.
//
// Invariants of a directory, also after a crash at any moment:
//   I1  A file KEY.so is whole and made by this user, or it is found out: it ends in a checksum of
//       all its bytes, and find() looks at that before anything is executed.
//   I2  What is not KEY.so belongs to a compilation that is under way, or goes with the next add().
class CodeCache {
 public:
  static constexpr std::uint64_t kDefaultLimitBytes = std::uint64_t{256} << 20;

  // `requested`, or $COMBACK_CACHE_DIR, $XDG_CACHE_HOME/comback, ~/.cache/comback; made where it
  // does not exist. Otherwise a text that says what is wrong with it.
  static std::variant<CodeCache, std::string> open(const std::filesystem::path& requested,
                                                   std::uint64_t limit_bytes = kDefaultLimitBytes);

  const std::filesystem::path& directory() const { return directory_; }

  // A name for what is made from these.
  static std::string key(std::string_view source, std::string_view compiler);

  // The library of that key, checked; nothing where there is none, or one that is damaged.
  std::optional<std::filesystem::path> find(const std::string& key) const;

  // Takes the file into the cache, in place of the old one where there was one, and removes those
  // that were not used for the longest time where all together are larger than the limit. Returns
  // its new path, or a text that says why not.
  std::variant<std::filesystem::path, std::string> add(const std::string& key,
                                                       const std::filesystem::path& library) const;

 private:
  CodeCache(std::filesystem::path directory, std::uint64_t limit_bytes)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}
  void shrink(const std::filesystem::path& keep) const;

  std::filesystem::path directory_;
  std::uint64_t limit_bytes_;
};

}  // namespace comback::dve

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace comback::test {

// A directory of its own for one test, under $TMPDIR or /tmp, removed with all it holds when the
// object dies, even where the test took away its permissions.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  // Writes a file below the directory, with the folders that it needs, and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view contents) const;

 private:
  std::filesystem::path path_;
};

// The whole file; empty where it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace comback::test

#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

namespace comback::test {
namespace {

namespace fs = std::filesystem;

TEST(TempDir, HoldsFilesAndIsGoneAfterwards) {
  fs::path path;
  {
    const TempDir dir;
    path = dir.path();
    EXPECT_EQ(read_file(dir.write("a/b.txt", "text")), "text");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, IsGoneEvenWithoutPermissionsInside) {
  fs::path path;
  {
    const TempDir dir;
    path = dir.path();
    dir.write("locked/file", "");
    fs::permissions(dir / "locked", fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, IsAnotherOneEachTime) { EXPECT_NE(TempDir().path(), TempDir().path()); }

}  // namespace
}  // namespace comback::test

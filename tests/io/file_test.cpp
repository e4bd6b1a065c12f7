#include "io/file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/bytes.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::as_bytes;
using test::Bytes;
using test::TempDir;

TEST(File, ReadsWhatWasWritten) {
  const TempDir dir;
  auto file = File::create(dir / "f");
  ASSERT_TRUE(file) << file.error().what;
  ASSERT_TRUE(file->append(as_bytes("hello ")));
  ASSERT_TRUE(file->append(as_bytes("world")));
  ASSERT_TRUE(file->write_at(0, as_bytes("J")));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(file->end(), 11u);
  EXPECT_EQ(*file->size(), 11u);
  EXPECT_EQ(test::read_file(dir / "f"), "Jello world");

  auto again = File::open(dir / "f");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->end(), 11u);
  Bytes five(5);
  ASSERT_TRUE(again->read_at(6, five));
  EXPECT_EQ(std::memcmp(five.data(), "world", 5), 0);
}

TEST(File, AShortReadIsCorruptionThatNamesFileAndOffset) {
  const TempDir dir;
  auto file = File::open(dir.write("short", "0123456789"));
  ASSERT_TRUE(file);
  Bytes out(8);
  for (std::uint64_t offset = 3; offset < 14; ++offset) {
    auto read = file->read_at(offset, out);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::kCorruption);
    EXPECT_NE(read.error().what.find((dir / "short").string()), std::string::npos);
    EXPECT_NE(read.error().what.find("offset " + std::to_string(offset)), std::string::npos)
        << read.error().what;
  }
  EXPECT_TRUE(file->read_at(2, out));
}

TEST(File, AFullDiskIsNoSpace) {
  auto full = File::create("/dev/full");
  if (!full) GTEST_SKIP() << full.error().what;
  auto written = full->append(as_bytes("x"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kNoSpace);
  EXPECT_EQ(written.error().what, "write /dev/full at offset 0: No space left on device");
  EXPECT_EQ(full->end(), 0u);
}

TEST(File, MissingFilesAreNotFound) {
  const TempDir dir;
  auto file = File::open(dir / "none");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::kNotFound);
  EXPECT_EQ(file.error().what, "open " + (dir / "none").string() + ": No such file or directory");
  EXPECT_FALSE(remove_file(dir / "none"));
  EXPECT_FALSE(rename_and_sync(dir / "none", dir / "some"));
  EXPECT_FALSE(sync_directory(dir / "none"));
  EXPECT_FALSE(File::create(dir / "none" / "file"));
}

TEST(File, RenamesReplaceTruncatesCutAndRemovesRemove) {
  const TempDir dir;
  dir.write("new", "new contents");
  dir.write("old", "old");
  ASSERT_TRUE(rename_and_sync(dir / "new", dir / "old"));
  EXPECT_EQ(test::read_file(dir / "old"), "new contents");
  ASSERT_TRUE(truncate_file(dir / "old", 3));
  EXPECT_EQ(test::read_file(dir / "old"), "new");
  ASSERT_TRUE(remove_file(dir / "old"));
  EXPECT_FALSE(std::filesystem::exists(dir / "old"));
  ASSERT_TRUE(make_directories(dir / "a/b/c"));
  EXPECT_TRUE(make_directories(dir / "a/b/c")) << "it may exist";
}

}  // namespace
}  // namespace comback

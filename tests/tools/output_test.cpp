#include "tools/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace comback::tools {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::TempDir;

TEST(StandardOutput, KeepsTheFirstFailure) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  StandardOutput out(full);
  EXPECT_TRUE(out.status());
  out.write("x");
  ASSERT_FALSE(out.status());
  EXPECT_EQ(out.status().error().code, Errc::kNoSpace);
  EXPECT_NE(out.status().error().what.find("standard output"), std::string::npos);
  ::close(full);
}

TEST(StandardOutput, WritesAllOfItIntoAPipe) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  StandardOutput out(pipe[1]);
  out.write("one ");
  out.write("two");
  char buffer[16] = {};
  EXPECT_EQ(::read(pipe[0], buffer, sizeof buffer), 7);
  EXPECT_STREQ(buffer, "one two");
  EXPECT_TRUE(out.status());
  ::signal(SIGPIPE, SIG_IGN);
  ::close(pipe[0]);
  out.write("three");
  EXPECT_FALSE(out.status());
  ::close(pipe[1]);
}

TEST(ResultFile, ReplacesAFileAsAWhole) {
  const TempDir dir;
  const fs::path path = dir.write("summary.json", "old");
  const ResultFile file(path);
  ASSERT_TRUE(file.check());
  ASSERT_TRUE(file.write("new"));
  EXPECT_EQ(read_file(path), "new");
  // Nothing stays beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()), 1);
}

TEST(ResultFile, IsCheckedBeforeHoursOfWork) {
  const TempDir dir;
  EXPECT_FALSE(ResultFile(dir / "no/such/folder.json").check());
  EXPECT_FALSE(ResultFile(dir.path()).check());
  EXPECT_FALSE(ResultFile("").check());
  EXPECT_TRUE(ResultFile("-").check());
  EXPECT_TRUE(ResultFile("-").is_standard_output());
  EXPECT_TRUE(ResultFile("/dev/full").check());
  EXPECT_TRUE(ResultFile("relative.json").check());
  if (::geteuid() != 0) {  // root may write anywhere
    fs::permissions(dir.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_FALSE(ResultFile(dir / "x.json").check());
  }
}

TEST(ResultFile, WritesToADeviceDirectlyAndSaysWhatFailed) {
  const Status status = ResultFile("/dev/full").write("x");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("/dev/full"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(ResultFile("/dev/null").write("x"));
}

TEST(ResultFile, SaysThatAFolderVanishedDuringTheSearch) {
  const TempDir dir;
  const fs::path path = dir.write("gone/summary.json", "old");
  const ResultFile file(path);
  ASSERT_TRUE(file.check());
  fs::remove_all(dir / "gone");
  EXPECT_FALSE(file.write("new"));
}

}  // namespace
}  // namespace comback::tools

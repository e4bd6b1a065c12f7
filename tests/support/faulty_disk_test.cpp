#include "tests/support/faulty_disk.h"

#include <gtest/gtest.h>

#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

using Fault = FaultyDisk::Fault;

// Writes disk/file with dd, which creates it, cuts it, writes five times and syncs.
CommandResult write_file(const TempDir& dir, Fault fault, std::uint64_t at) {
  const FaultyDisk disk{.below = dir / "disk", .fault = fault, .at = at};
  return run_command({"dd", "if=/dev/zero", "of=disk/file", "bs=1000", "count=5", "conv=fsync"},
                     {.directory = dir.path(), .environment = disk.environment(dir / "count")});
}

std::uint64_t calls(const TempDir& dir) {
  const std::optional<std::uint64_t> counted = calls_counted(dir / "count");
  EXPECT_TRUE(counted);
  return counted.value_or(0);
}

class FaultyDiskTest : public ::testing::Test {
 protected:
  FaultyDiskTest() { dir.write("disk/present", "kept"); }
  std::uint64_t bytes(const char* name) const { return read_file(dir / "disk" / name).size(); }
  const TempDir dir;
};

TEST_F(FaultyDiskTest, CountsTheCallsThatChangeFiles) {
  EXPECT_EQ(write_file(dir, Fault::kNone, 0).exit_code, 0);
  EXPECT_GE(calls(dir), 7u);
  EXPECT_LE(calls(dir), 9u);
  EXPECT_EQ(bytes("file"), 5000u);
}

TEST_F(FaultyDiskTest, FailsTheOneCall) {
  for (const auto& [fault, text] : {std::pair(Fault::kNoSpace, "No space left on device"),
                                    std::pair(Fault::kInputOutput, "Input/output error")}) {
    const CommandResult result = write_file(dir, fault, 4);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_LT(bytes("file"), 5000u);
  }
}

TEST_F(FaultyDiskTest, AShortWriteIsContinuedByItsCaller) {
  EXPECT_EQ(write_file(dir, Fault::kShortWrite, 4).exit_code, 0);
  EXPECT_EQ(bytes("file"), 5000u);
}

TEST_F(FaultyDiskTest, KillsBeforeTheCall) {
  EXPECT_EQ(write_file(dir, Fault::kKill, 5).exit_code, 128 + 9);
  EXPECT_GT(bytes("file"), 0u);
  EXPECT_LT(bytes("file"), 5000u);
  EXPECT_FALSE(calls_counted(dir / "count"));
}

TEST_F(FaultyDiskTest, PowerLossTakesWhatWasNotSynced) {
  EXPECT_EQ(write_file(dir, Fault::kPowerLoss, 5).exit_code, 128 + 9);
  EXPECT_FALSE(std::filesystem::exists(dir / "disk/file")) << "its name was never synced";
  EXPECT_EQ(read_file(dir / "disk/present"), "kept");
}

TEST_F(FaultyDiskTest, LeavesFilesElsewhereAlone) {
  const FaultyDisk disk{.below = dir / "other", .fault = Fault::kNoSpace, .at = 1};
  const CommandResult result =
      run_command({"dd", "if=/dev/zero", "of=disk/file", "bs=1000", "count=5", "status=none"},
                  {.directory = dir.path(), .environment = disk.environment(dir / "count")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(calls(dir), 0u);
}

}  // namespace
}  // namespace comback::test

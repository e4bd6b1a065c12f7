#include "tools/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "tests/support/temp_dir.h"

namespace comback::tools {
namespace {

using test::TempDir;

constexpr std::uint64_t kMiB = 1ull << 20;

// A kernel with control groups as the test writes them.
class FakeKernel {
 public:
  explicit FakeKernel(const std::string& groups) { dir_.write("proc/self/cgroup", groups); }
  void set(const std::string& file, const std::string& value) {
    dir_.write("cgroup/" + file, value + "\n");
  }
  KernelFiles files() const { return {.proc = dir_ / "proc", .cgroup = dir_ / "cgroup"}; }

 private:
  TempDir dir_;
};

TEST(GrantedMemory, IsTheMachinesWhereThereAreNoGroups) {
  const FakeKernel kernel("");
  EXPECT_GT(granted_memory(kernel.files()), 64 * kMiB);
  EXPECT_GE(granted_cores(kernel.files()), 1u);
}

TEST(GrantedMemory, IsTheSmallestLimitAboveAVersion2Group) {
  FakeKernel kernel("0::/user/session\n");
  kernel.set("memory.max", "max");
  kernel.set("user/memory.max", std::to_string(48 * kMiB));
  kernel.set("user/session/memory.max", std::to_string(50 * kMiB));
  EXPECT_EQ(granted_memory(kernel.files()), 48 * kMiB);
}

TEST(GrantedMemory, IsTheSmallestLimitAboveAVersion1Group) {
  FakeKernel kernel("5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  kernel.set("memory/memory.limit_in_bytes", "9223372036854771712");
  kernel.set("memory/a/memory.limit_in_bytes", std::to_string(40 * kMiB));
  EXPECT_EQ(granted_memory(kernel.files()), 40 * kMiB);
}

TEST(GrantedMemory, SeesTheContainersRootWhereItsOwnPathIsHidden) {
  FakeKernel kernel("4:memory:/docker/0123456789\n0::/docker/0123456789\n");
  kernel.set("memory/memory.limit_in_bytes", std::to_string(32 * kMiB));
  EXPECT_EQ(granted_memory(kernel.files()), 32 * kMiB);
}

TEST(GrantedMemory, FindsVersion2BesideVersion1) {
  FakeKernel kernel("0::/here\n");
  kernel.set("unified/here/memory.max", std::to_string(30 * kMiB));
  EXPECT_EQ(granted_memory(kernel.files()), 30 * kMiB);
}

TEST(GrantedCores, RoundsTheQuotaUp) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  const auto mine = static_cast<unsigned>(CPU_COUNT(&set));

  FakeKernel v2("0::/a\n");
  v2.set("a/cpu.max", "150000 100000");
  EXPECT_EQ(granted_cores(v2.files()), std::min(2u, mine));
  v2.set("a/cpu.max", "max 100000");
  EXPECT_EQ(granted_cores(v2.files()), mine);
  v2.set("a/cpu.max", "1000 100000");
  EXPECT_EQ(granted_cores(v2.files()), 1u);

  FakeKernel v1("3:cpu,cpuacct:/a\n");
  v1.set("cpu/a/cpu.cfs_quota_us", "50000");
  v1.set("cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(granted_cores(v1.files()), 1u);
  v1.set("cpu/a/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(granted_cores(v1.files()), mine);
}

TEST(PeakMemory, GrowsWithUse) {
  const std::uint64_t before = peak_memory();
  EXPECT_GT(before, kMiB);
  std::string block(64 * kMiB, 'x');
  EXPECT_EQ(std::count(block.begin(), block.end(), 'x'), 64 * static_cast<std::int64_t>(kMiB));
  EXPECT_GE(peak_memory(), before + 50 * kMiB);
}

}  // namespace
}  // namespace comback::tools

// A budget is behaviour: what the process takes stays within --memory plus 64 MiB, for the code,
// the stacks and what the libraries take beside the tables.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

class MemoryBudgetOfTheCommand : public ::testing::TestWithParam<std::vector<std::string>> {};

// 558,144 states of 20 bytes: in memory they would take 15 MiB and their index 5; what is on disk
// has to be read back for every level.
TEST_P(MemoryBudgetOfTheCommand, HoldsWithTablesOnDisk) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  std::vector<std::string> arguments = {"--memory", "64M"};
  arguments.insert(arguments.end(), GetParam().begin(), GetParam().end());
  const auto json = summary(sample("philosophers_medium"), arguments);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["states"], 558'144);
  EXPECT_EQ(json["transitions"], 4'198'064);
  EXPECT_GT(json["disk_bytes"], 0);
  EXPECT_LE(json["peak_memory_bytes"], (64 + 64) * kMiB);
}
INSTANTIATE_TEST_SUITE_P(
    Settings, MemoryBudgetOfTheCommand,
    ::testing::Values(
        std::vector<std::string>{"--tables", "disk", "--threads", "1"},
        std::vector<std::string>{"--tables", "disk", "--threads", "8", "--keep-levels", "none"},
        std::vector<std::string>{"--tables", "disk", "--threads", "2", "--keep-levels", "all",
                                 "--io", "pread", "--hash-bits", "24"}));

}  // namespace
}  // namespace comback::test

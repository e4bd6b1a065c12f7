// A run whose disk fails: whatever call it is, the command says so with an exit code of its own and
// does not crash.

#include <gtest/gtest.h>

#include "tests/end_to_end/cli.h"
#include "tests/support/faulty_disk.h"

namespace comback::test {
namespace {

using Fault = FaultyDisk::Fault;

class FaultyDiskRun : public ::testing::TestWithParam<Fault> {
 protected:
  CommandResult explore_on(const FaultyDisk& disk) const {
    return explore(sample("msi_bus"),
                   {"--run", (disk.below / "msi.run").string(), "--tables", "disk", "--memory",
                    "40M", "--json", "-"},
                   {.environment = disk.environment(dir / "count")});
  }
  std::uint64_t states(const CommandResult& result) const {
    const auto json = nlohmann::json::parse(result.out, nullptr, false);
    return json.is_discarded() ? 0 : json.value("states", std::uint64_t{0});
  }
  const TempDir dir;
};

TEST_P(FaultyDiskRun, EndsWithACodeThatSaysSo) {
  const CommandResult healthy = explore_on({.below = dir / "healthy"});
  ASSERT_EQ(healthy.exit_code, 0) << healthy.err;
  const std::uint64_t calls = calls_counted(dir / "count").value_or(0);
  ASSERT_GT(calls, 50u);

  constexpr std::uint64_t kTries = 24;
  for (std::uint64_t i = 0; i < kTries; ++i) {
    const std::uint64_t at = 1 + i * calls / kTries;
    SCOPED_TRACE("fails at call " + std::to_string(at) + " of " + std::to_string(calls));
    const FaultyDisk disk{dir / ("disk-" + std::to_string(at)), GetParam(), at};
    const CommandResult result = explore_on(disk);
    if (result.exit_code == 0) {
      // The call was one that nothing depends on.
      EXPECT_EQ(states(result), states(healthy));
    } else {
      EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 4) << result.exit_code;
      EXPECT_NE(result.err, "");
    }
    EXPECT_EQ(result.err.find("Assertion"), std::string::npos) << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyDiskRun,
                         ::testing::Values(Fault::kNoSpace, Fault::kInputOutput,
                                           Fault::kFullFromThere, Fault::kShortWrite));

}  // namespace
}  // namespace comback::test

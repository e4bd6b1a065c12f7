// The disk engine, through the command, finds the published counts of the BEEM instances with
// COMBACK_BEEM_FROM to COMBACK_BEEM_TO states within 64 MB, and stays within them.
//
// One case per instance. The models are not part of the project: where they are absent, there are
// no cases. $COMBACK_BEEM_MAX_STATES, where it is set, replaces COMBACK_BEEM_TO.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"
#include "tests/support/beem.h"

namespace comback::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t most_states() {
  const char* given = std::getenv("COMBACK_BEEM_MAX_STATES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : COMBACK_BEEM_TO;
}

class LevelBeem : public ::testing::TestWithParam<BeemInstance> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LevelBeem);

TEST_P(LevelBeem, HasItsPublishedCountsWithin64MegabytesOfMemory) {
  const BeemInstance& instance = GetParam();
  std::vector<std::string> arguments = {
      "explore",      (beem_dir() / (instance.name + ".dve")).string(),
      "--memory",     "64M",
      "--threads",    "2",
      "--successors", COMBACK_BEEM_SUCCESSORS,
      "--tables",     COMBACK_BEEM_TABLES,
      "--progress",   "none",
      "--json",       "-"};
  if (!instance.range_errors.empty()) {
    arguments.insert(arguments.end(), {"--range-errors", instance.range_errors});
  }
  const CommandResult result = comback(arguments, {.timeout = std::chrono::minutes(60)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded()) << result.out;
  EXPECT_EQ(json["verdict"], "complete");
  EXPECT_EQ(json["states"], instance.states);
  if (instance.transitions) {
    EXPECT_EQ(json["transitions"], *instance.transitions);
  }
  if (instance.deadlocks) {
    // The published counts leave the error state out, which has no successors with `terminal`.
    const bool terminal = instance.range_errors == "terminal";
    EXPECT_EQ(json["deadlocks"], *instance.deadlocks + (terminal ? 1 : 0));
  }
  if (instance.levels) {
    EXPECT_EQ(json["levels"], *instance.levels);
  }
  EXPECT_LE(json["peak_memory_bytes"], (64 + 64) * kMiB);
}

INSTANTIATE_TEST_SUITE_P(Instances, LevelBeem,
                         ::testing::ValuesIn(beem_instances(COMBACK_BEEM_FROM, most_states())),
                         [](const auto& test) { return test.param.identifier(); });

TEST(LevelBeemModels, AreThere) {
  if (!std::filesystem::exists(beem_dir())) GTEST_SKIP() << beem_dir() << " does not exist";
  EXPECT_FALSE(beem_instances(COMBACK_BEEM_FROM, most_states()).empty());
}

}  // namespace
}  // namespace comback::test

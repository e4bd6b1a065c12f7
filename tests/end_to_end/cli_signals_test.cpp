#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

using namespace std::chrono_literals;

class CliSignals : public ::testing::TestWithParam<int> {};

// The exploration takes many seconds; the signal comes when it is under way.
TEST_P(CliSignals, TheFirstStopsTheSearchWithItsSummary) {
  const CommandResult result = explore(sample("philosophers_big"), {"--json", "-"},
                                       {.signal = std::pair(1500ms, GetParam())});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << result.out;
  EXPECT_EQ(json["verdict"], "incomplete");
  EXPECT_EQ(json["stop_reason"], "interrupted");
  EXPECT_GT(json["states"], 1);
}
INSTANTIATE_TEST_SUITE_P(Both, CliSignals, ::testing::Values(SIGINT, SIGTERM));

TEST(CliSignal, IsAnnouncedOnStandardError) {
  const CommandResult result =
      comback({"explore", sample("philosophers_big"), "--successors", "interpreted"},
              {.signal = std::pair(1500ms, SIGINT)});
  EXPECT_EQ(result.exit_code, 3);
  expect_contains(result.err, "stopping; once more ends it at once");
  expect_contains(result.out, "philosophers_big.dve: incomplete: it was interrupted");
}

// The second signal arrives while the process is stopped, so that both are certain to be delivered
// before the search can react to the first.
TEST(CliSignal, TheSecondEndsItAtOnce) {
  const std::string script =
      "\"$0\" explore " + sample("philosophers_big") +
      " --successors interpreted --progress none & child=$!; sleep 1.5; kill -STOP $child; "
      "kill -TERM $child; kill -INT $child; kill -CONT $child; wait $child; exit $?";
  const CommandResult result = run_command({"/bin/sh", "-c", script, binary().string()});
  EXPECT_TRUE(result.exit_code == 128 + SIGINT || result.exit_code == 128 + SIGTERM)
      << result.exit_code;
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace comback::test

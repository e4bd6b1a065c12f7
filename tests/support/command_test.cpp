#include "tests/support/command.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

using namespace std::chrono_literals;

CommandResult shell(const std::string& script, const CommandOptions& options = {}) {
  return run_command({"sh", "-c", script}, options);
}

TEST(RunCommand, KeepsTheTwoOutputsAndTheExitCodeApart) {
  const CommandResult result = shell("echo one; echo two >&2; exit 3");
  EXPECT_EQ(result.out, "one\n");
  EXPECT_EQ(result.err, "two\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunCommand, ReadsOutputLargerThanAPipe) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").out.size(), 1'000'000u);
}

TEST(RunCommand, FeedsInputLargerThanAPipe) {
  EXPECT_EQ(shell("wc -c", {.input = std::string(1'000'000, 'x')}).out, "1000000\n");
}

TEST(RunCommand, SurvivesACommandThatIgnoresItsInput) {
  EXPECT_EQ(shell("exit 0", {.input = std::string(1'000'000, 'x')}).exit_code, 0);
}

TEST(RunCommand, KillsWhatOutlivesTheTimeout) {
  const CommandResult result = shell("echo before; sleep 60", {.timeout = 200ms});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.out, "before\n");
  EXPECT_LT(result.seconds, 30);
}

TEST(RunCommand, SendsTheSignalItWasAskedToSend) {
  const CommandResult result = shell("trap 'exit 7' INT; while :; do sleep 0.05; done",
                                     {.signal = std::pair{300ms, SIGINT}});
  EXPECT_EQ(result.exit_code, 7);
}

TEST(RunCommand, SetsAndRemovesVariables) {
  ::setenv("COMBACK_TEST_GONE", "here", 1);
  const CommandResult result =
      shell("echo ${COMBACK_TEST_GONE-gone} $COMBACK_TEST_SET",
            {.environment = {{"COMBACK_TEST_GONE", std::nullopt}, {"COMBACK_TEST_SET", "set"}}});
  EXPECT_EQ(result.out, "gone set\n");
}

TEST(RunCommand, RunsInTheGivenDirectory) {
  const TempDir dir;
  EXPECT_EQ(shell("pwd -P", {.directory = dir.path()}).out,
            std::filesystem::canonical(dir.path()).string() + "\n");
}

TEST(RunCommand, ReportsACommandThatDoesNotExist) {
  const CommandResult result = run_command({"/no/such/command"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_NE(result.err, "");
}

}  // namespace
}  // namespace comback::test

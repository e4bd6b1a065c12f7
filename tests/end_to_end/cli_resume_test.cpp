// Runs that survive: whatever ends a session, the next one goes on, and all of them together find
// what one would have found.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/end_to_end/kept_run.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using Strings = std::vector<std::string>;

Strings with(Strings a, const Strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Strings kMemory = {"--memory", "64M"};
const Strings kDisk = {"--memory", "40M", "--tables", "disk"};

struct Campaign {
  const char* model;
  Strings options;
  std::chrono::milliseconds most;
};

class KilledRun : public ::testing::TestWithParam<std::tuple<Campaign, int>> {};

TEST_P(KilledRun, FindsWhatAnUninterruptedOneFinds) {
  const auto& [campaign, seed] = GetParam();
  const TempDir dir;
  const CommandResult whole =
      explore(sample(campaign.model), with(campaign.options, {"--json", "-"}));
  ASSERT_NE(whole.out, "") << whole.err;

  KeptRun run{sample(campaign.model), with(campaign.options, {"--checkpoint", "10ms"}),
              (dir / "a.run").string()};
  std::mt19937 random(static_cast<unsigned>(seed));
  const Interruptions result = explore_with_kills(run, random, 4, campaign.most);
  EXPECT_EQ(result.last.exit_code, whole.exit_code) << result.last.err;
  ASSERT_NE(result.last.out, "") << result.last.err;
  expect_same_findings(parsed(whole), parsed(result.last));
}

// Depth 13 has some 100,000 states.
INSTANTIATE_TEST_SUITE_P(
    Moments, KilledRun,
    ::testing::Combine(::testing::Values(Campaign{"msi_bus", kMemory, 150ms},
                                         Campaign{"msi_bus", kDisk, 400ms},
                                         Campaign{"philosophers_big",
                                                  with(kMemory, {"--max-states", "200K"}), 800ms},
                                         Campaign{"philosophers_big",
                                                  with(kDisk, {"--max-states", "100K"}), 1500ms}),
                       ::testing::Range(0, 2)));

class StoppedRun : public ::testing::TestWithParam<const Strings*> {};

TEST_P(StoppedRun, GoesOnFromItsLimit) {
  const TempDir dir;
  const auto whole = summary(sample("msi_bus"), *GetParam());
  const KeptRun run{sample("msi_bus"), with(*GetParam(), {"--max-states", "1000"}),
                    (dir / "a.run").string()};
  const CommandResult first = run.explore();
  EXPECT_EQ(first.exit_code, 3);
  EXPECT_EQ(parsed(first)["states"], 1000);
  expect_contains(first.err, "comback resume " + run.dir + " --max-states N");
  for (const std::uint64_t limit : {1001u, 1002u, 1500u, 4000u}) {
    const std::string text = std::to_string(limit);
    const CommandResult next = run.resume({"--max-states", text});
    EXPECT_EQ(next.exit_code, 3) << next.err;
    // As if the limit had been this one from the beginning.
    expect_same_findings(summary(sample("msi_bus"), with(*GetParam(), {"--max-states", text}), 3),
                         parsed(next));
  }
  // A limit that was reached holds no longer.
  const CommandResult last = run.resume();
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_same_findings(whole, parsed(last));
  // Complete: it says so again.
  const CommandResult again = run.resume();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  expect_same_findings(whole, parsed(again));
}

TEST_P(StoppedRun, GoesOnFromItsDepth) {
  const TempDir dir;
  const auto whole = summary(sample("msi_bus"), *GetParam());
  const KeptRun run{sample("msi_bus"), with(*GetParam(), {"--max-depth", "7"}),
                    (dir / "a.run").string()};
  EXPECT_EQ(run.explore().exit_code, 3);
  EXPECT_EQ(run.resume({"--max-depth", "15"}).exit_code, 3);
  const CommandResult last = run.resume();
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_same_findings(whole, parsed(last));
}

// Only the limit that was reached is forgotten.
TEST_P(StoppedRun, KeepsTheOtherLimits) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"),
                    with(*GetParam(), {"--max-depth", "3", "--max-states", "1000"}),
                    (dir / "a.run").string()};
  EXPECT_EQ(parsed(run.explore())["stop_reason"], "max-depth");
  EXPECT_EQ(parsed(run.resume())["stop_reason"], "max-states");
  EXPECT_EQ(run.resume().exit_code, 0);
}

TEST_P(StoppedRun, GoesOnAfterASignal) {
  const TempDir dir;
  const Strings options = with(*GetParam(), {"--max-states", "150K"});
  const CommandResult whole = explore(sample("philosophers_big"), with(options, {"--json", "-"}));
  const KeptRun run{sample("philosophers_big"), options, (dir / "a.run").string()};
  CommandResult result = run.explore({.signal = std::pair(300ms, SIGTERM)});
  const auto interrupted = [&] { return parsed(result)["stop_reason"] == "interrupted"; };
  for (int i = 0; i < 4 && interrupted(); ++i) {
    EXPECT_NE(result.err, "");
    result = run.resume({}, {.signal = std::pair(400ms, i % 2 == 0 ? SIGINT : SIGHUP)});
  }
  if (interrupted()) result = run.resume();
  EXPECT_EQ(result.exit_code, whole.exit_code) << result.err;
  expect_same_findings(parsed(whole), parsed(result));
}

// From memory to disk, and with another budget.
TEST_P(StoppedRun, GoesOnOnDisk) {
  const TempDir dir;
  const auto whole = summary(sample("msi_bus"));
  const KeptRun run{sample("msi_bus"), with(*GetParam(), {"--max-states", "3000"}),
                    (dir / "a.run").string()};
  EXPECT_EQ(run.explore().exit_code, 3);
  const CommandResult last =
      run.resume({"--no-limits", "--tables", "disk", "--memory", "48M", "--threads", "1"});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_same_findings(whole, parsed(last));
}

INSTANTIATE_TEST_SUITE_P(Tables, StoppedRun, ::testing::Values(&kMemory, &kDisk));

TEST(CliResume, ReportsItsViolationAgain) {
  const TempDir dir;
  const KeptRun run{sample("philosophers_deadlock"), {"--deadlock"}, (dir / "a.run").string()};
  const CommandResult first = run.explore();
  EXPECT_EQ(first.exit_code, 1);
  const CommandResult again = run.resume();
  EXPECT_EQ(again.exit_code, 1) << again.err;
  expect_same_findings(parsed(first), parsed(again));
  EXPECT_FALSE(parsed(again)["violations"][0]["trace"].empty());
}

TEST(CliResume, RefusesWhatWouldExploreSomethingElse) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"), {"--max-states", "100"}, (dir / "a.run").string()};
  ASSERT_EQ(run.explore().exit_code, 3);
  for (const Strings& change :
       {Strings{"--deadlock"}, Strings{"--range-errors", "wrap"}, Strings{"--invariant", "1"}}) {
    const CommandResult result = run.resume(change);
    EXPECT_EQ(result.exit_code, 2);
    expect_contains(result.err, change[0] + " cannot be changed");
  }
}

TEST(CliResume, IsWhatExploreSuggestsForADirectoryWithARun) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"), {}, (dir / "a.run").string()};
  ASSERT_EQ(run.explore().exit_code, 0);
  const CommandResult again = run.explore();
  EXPECT_EQ(again.exit_code, 2);
  expect_contains(again.err, "comback resume " + run.dir);
}

TEST(CliResume, RefusesAModelThatIsNotTheRuns) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"), {"--max-states", "100"}, (dir / "a.run").string()};
  ASSERT_EQ(run.explore().exit_code, 3);
  std::ofstream(run.dir + "/model.dve", std::ios::app) << "\n";
  const CommandResult result = run.resume();
  EXPECT_EQ(result.exit_code, 4);
  expect_contains(result.err, "is not the model that the run was made with");
}

TEST(CliResume, RefusesALaterFormat) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"), {"--max-states", "100"}, (dir / "a.run").string()};
  ASSERT_EQ(run.explore().exit_code, 3);
  nlohmann::json header = nlohmann::json::parse(std::ifstream(run.dir + "/run.json"));
  header["format"] = 99;
  std::ofstream(run.dir + "/run.json") << header;
  const CommandResult result = run.resume();
  EXPECT_EQ(result.exit_code, 2);
  expect_contains(result.err, "has format 99");
}

TEST(CliResume, SaysWhoExploresTheRun) {
  const TempDir dir;
  const std::string run = (dir / "a.run").string();
  const std::string script = "\"$0\" explore " + sample("philosophers_big") + " --run " + run +
                             " --successors interpreted --progress none >/dev/null 2>&1 & "
                             "child=$!; while [ ! -s " +
                             run +
                             "/lock ]; do sleep 0.05; done; "
                             "\"$0\" resume " +
                             run +
                             "; code=$?; "
                             "\"$0\" status " +
                             run +
                             "; kill -9 $child; wait $child; "
                             "\"$0\" status " +
                             run + "; exit $code";
  const CommandResult result = run_command({"/bin/sh", "-c", script, binary().string()});
  EXPECT_EQ(result.exit_code, 2);
  expect_contains(result.err, "is being explored by process ");
  expect_contains(result.out, "being explored by process ");
  expect_contains(result.out, "nothing is stored yet; start it by comback resume");
}

TEST(CliResume, TellsThatThereIsNoRun) {
  const TempDir dir;
  for (const char* command : {"resume", "status"}) {
    const CommandResult missing = comback({command, (dir / "none").string()});
    EXPECT_EQ(missing.exit_code, 2);
    expect_contains(missing.err, "there is no run");
    const CommandResult empty = comback({command, dir.path().string()});
    EXPECT_EQ(empty.exit_code, 2);
    expect_contains(empty.err, "is not a run");
  }
}

TEST(CliStatus, TellsHowFarARunGot) {
  const TempDir dir;
  const KeptRun run{sample("msi_bus"), {"--max-states", "100"}, (dir / "a.run").string()};
  ASSERT_EQ(run.explore().exit_code, 3);
  const auto status = [&] { return parsed(comback({"status", run.dir, "--json", "-"})); };
  EXPECT_EQ(status()["status"], "stopped");
  EXPECT_EQ(status()["resumable"], true);
  EXPECT_EQ(status()["states"], 100);
  EXPECT_EQ(status()["checkpoint"]["stop_reason"], "max-states");
  ASSERT_EQ(run.resume({"--no-limits"}).exit_code, 0);
  EXPECT_EQ(status()["status"], "complete");
  EXPECT_EQ(status()["complete"], true);
  EXPECT_EQ(status()["states"], 6357);
}

TEST(CliDisk, StopsBeforeTheRunTakesMore) {
  const TempDir dir;
  const KeptRun run{sample("philosophers_big"), with(kDisk, {"--disk", "6M"}),
                    (dir / "a.run").string()};
  const CommandResult result = run.explore();
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(parsed(result)["stop_reason"], "disk");
  EXPECT_LT(parsed(result)["disk_bytes"], 6 << 20);
  expect_contains(result.err, "--disk SIZE");
}

}  // namespace
}  // namespace comback::test

// Runs whose disk fails at one of the calls that change files, or loses power there: the command
// says so, and a resumed run ends as if nothing had happened. The short version tries some calls,
// the long one all of them.

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/end_to_end/survival.h"

#ifndef COMBACK_FAULTS
#error "at how many calls of each run a disk fails; 0: at each"
#endif

namespace comback::test {
namespace {

using Fault = FaultyDisk::Fault;

const CampaignRun kRuns[] = {
    {"msi_bus", {"--tables", "disk", "--memory", "40M"}},
    {"producer_consumer", {"--tables", "memory"}},
#ifdef COMBACK_LONG
    {"bank_transfer_bug", {"--continue", "--tables", "disk", "--memory", "40M"}},
    {"go_back_n", {"--tables", "disk", "--memory", "40M", "--keep-levels", "none"}},
#endif
};
const std::pair<Fault, const char*> kFaults[] = {
    {Fault::kNoSpace, "NoSpace"},     {Fault::kInputOutput, "InputOutput"},
    {Fault::kFullFromThere, "Full"},  {Fault::kShortWrite, "ShortWrite"},
    {Fault::kPowerLoss, "PowerLoss"}, {Fault::kTornPowerLoss, "TornPowerLoss"},
};

class DiskCampaign
    : public ::testing::TestWithParam<std::tuple<CampaignRun, std::pair<Fault, const char*>>> {
 protected:
  const CampaignRun& run() const { return std::get<0>(GetParam()); }
  Fault fault() const { return std::get<1>(GetParam()).first; }
  bool loses_power() const {
    return fault() == Fault::kPowerLoss || fault() == Fault::kTornPowerLoss;
  }
  // What the command may say of a disk that failed.
  void expect_told(const CommandResult& result, const nlohmann::json& expected) const {
    if (loses_power() && result.exit_code == 128 + SIGKILL) return;
    expect_no_crash(result);
    if (result.exit_code == expected["exit code"]) {
      // Nothing depends on that call, or it was not reached.
      EXPECT_EQ(outcome_of(result), expected) << result.err;
    } else {
      EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 4)
          << result.exit_code << ": " << result.err;
      EXPECT_NE(result.err, "");
    }
  }
  const TempDir dir;
};

TEST_P(DiskCampaign, SaysSoAndGoesOnAsIfNothingHadHappened) {
  const FaultyDisk counting{dir / "healthy"};
  const CommandResult healthy = explore_run(run(), dir / "healthy" / "run",
                                            {.environment = counting.environment(dir / "count")});
  ASSERT_LT(healthy.exit_code, 2) << healthy.err;
  const std::uint64_t calls = calls_counted(dir / "count").value_or(0);
  ASSERT_GT(calls, 20u);
  const nlohmann::json expected = outcome_of(healthy);

  const std::uint64_t tries = COMBACK_FAULTS == 0 ? calls : COMBACK_FAULTS;
  int told = 0, unneeded = 0;
  for (std::uint64_t i = 0; i < tries && !HasFailure(); ++i) {
    const std::uint64_t at = 1 + i * calls / tries;
    SCOPED_TRACE("fails at call " + std::to_string(at) + " of " + std::to_string(calls));
    const std::filesystem::path disk = dir / ("disk-" + std::to_string(at));
    std::filesystem::create_directories(disk);
    const CommandResult failed = explore_run(
        run(), disk / "run", {.environment = FaultyDisk{disk, fault(), at}.environment()});
    expect_told(failed, expected);
    ++(failed.exit_code == expected["exit code"] ? unneeded : told);
    // Every third time it happens to the resumed run as well.
    if (i % 3 == 0 && std::filesystem::exists(disk / "run" / "run.json")) {
      const CommandResult again = resume_run(
          disk / "run", {.environment = FaultyDisk{disk, fault(), 1 + at % 37}.environment()});
      expect_told(again, expected);
    }
    const CommandResult result = finish_run(run(), disk / "run");
    EXPECT_EQ(outcome_of(result), expected) << result.err;
    if (i % 8 == 0) {
      const CommandResult verified = comback({"verify", (disk / "run").string(), "--full",
                                              "--progress", "none", "--successors", "interpreted"});
      EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    }
    if (!HasFailure()) std::filesystem::remove_all(disk);
  }
  std::printf(
      "[ campaign ] %s, %s: %llu calls tried of %llu, %d ended the run, %d did not matter\n",
      name_of(run()).c_str(), std::get<1>(GetParam()).second,
      static_cast<unsigned long long>(tries), static_cast<unsigned long long>(calls), told,
      unneeded);
}

INSTANTIATE_TEST_SUITE_P(Faults, DiskCampaign,
                         ::testing::Combine(::testing::ValuesIn(kRuns),
                                            ::testing::ValuesIn(kFaults)),
                         [](const auto& parameter) {
                           return name_of(std::get<0>(parameter.param)) + "_" +
                                  std::get<1>(parameter.param).second;
                         });

}  // namespace
}  // namespace comback::test

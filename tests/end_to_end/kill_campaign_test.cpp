// Runs that are killed, again and again, and resumed: they end as if nothing had happened. How
// many kills is a matter of patience; the long version makes more than 500.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

#include "tests/end_to_end/survival.h"

#ifndef COMBACK_KILLED_RUNS
#error "how many runs of each kind are killed"
#endif

namespace comback::test {
namespace {

using Fault = FaultyDisk::Fault;

const CampaignRun kRuns[] = {
    {"msi_bus", {"--tables", "disk", "--memory", "40M"}},
    {"msi_bus", {"--tables", "memory"}},
    {"go_back_n", {"--tables", "disk", "--memory", "40M", "--threads", "2"}},
    {"go_back_n", {"--threads", "1"}},
    {"producer_consumer", {"--tables", "disk", "--memory", "40M", "--keep-levels", "none"}},
    {"producer_consumer", {"--tables", "disk", "--memory", "40M", "--keep-levels", "all"}},
    {"bank_transfer_bug", {"--continue", "--tables", "disk", "--memory", "40M"}},
    {"philosophers_deadlock", {"--deadlock", "--tables", "disk", "--memory", "40M"}},
#ifdef COMBACK_LONG
    {"philosophers_medium", {"--tables", "disk", "--memory", "40M"}},
    {"philosophers_medium", {"--memory", "40M"}},
    {"philosophers_medium", {"--tables", "memory"}},
#endif
};

class KillCampaign : public ::testing::TestWithParam<CampaignRun> {
 protected:
  const TempDir dir;
};

// At random moments, half of them anywhere in time, half of them at a call that changes files.
TEST_P(KillCampaign, EndsAsIfNothingHadHappened) {
  const FaultyDisk counting{dir / "healthy"};
  const CommandResult healthy = explore_run(GetParam(), dir / "healthy" / "run",
                                            {.environment = counting.environment(dir / "count")});
  ASSERT_LT(healthy.exit_code, 2) << healthy.err;
  const std::uint64_t calls = calls_counted(dir / "count").value_or(0);
  ASSERT_GT(calls, 20u);
  const nlohmann::json expected = outcome_of(healthy);

  std::mt19937_64 random(std::hash<std::string>()(name_of(GetParam())));
  int kills = 0, begun_again = 0;
  for (int i = 0; i < COMBACK_KILLED_RUNS; ++i) {
    SCOPED_TRACE("killed run " + std::to_string(i));
    const std::filesystem::path disk = dir / ("disk-" + std::to_string(i));
    const std::filesystem::path run = disk / "run";
    std::filesystem::create_directories(disk);
    const auto killing = [&] {
      CommandOptions options;
      if (random() % 2 == 0) {
        const auto most = static_cast<std::uint64_t>(healthy.seconds * 1000) + 20;
        options.signal = std::pair(std::chrono::milliseconds(random() % most), SIGKILL);
      } else {
        options.environment = FaultyDisk{disk, Fault::kKill, 1 + random() % calls}.environment({});
      }
      return options;
    };
    CommandResult result = explore_run(GetParam(), run, killing());
    for (int again = 0; again < 3 && result.exit_code == 128 + SIGKILL; ++again) {
      ++kills;
      if (random() % 2 == 0) break;
      result = resume_run(run, killing());
      if (result.exit_code == 2) break;  // there was no run yet
    }
    if (result.exit_code == 128 + SIGKILL || result.exit_code == 2) {
      begun_again += std::filesystem::exists(run / "run.json") ? 0 : 1;
      result = finish_run(GetParam(), run);
    }
    EXPECT_EQ(outcome_of(result), expected) << result.err;
    if (i % 4 == 0) {
      const CommandResult verified = comback(
          {"verify", run.string(), "--full", "--progress", "none", "--successors", "interpreted"});
      EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    }
    if (!HasFailure()) std::filesystem::remove_all(disk);
    if (HasFailure()) break;
  }
  std::printf("[ campaign ] %s: %d runs, %d kills, %d of them before there was a run\n",
              name_of(GetParam()).c_str(), COMBACK_KILLED_RUNS, kills, begun_again);
}

INSTANTIATE_TEST_SUITE_P(Runs, KillCampaign, ::testing::ValuesIn(kRuns),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace comback::test

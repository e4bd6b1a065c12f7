#include "engine/thread_team.h"

#include <gtest/gtest.h>

#include <numeric>

namespace comback {
namespace {

class ThreadTeamSize : public ::testing::TestWithParam<unsigned> {};

TEST_P(ThreadTeamSize, DoesEveryTaskOnceAndWhatOneBulkWroteTheNextReads) {
  ThreadTeam team(GetParam());
  EXPECT_EQ(team.size(), GetParam());
  std::vector<std::uint64_t> values(1000, 0);
  std::vector<std::uint64_t> before(values.size(), 0);
  std::vector<std::uint64_t> by_thread(team.size() * 8, 0);  // a cache line each
  for (std::uint64_t bulk = 0; bulk < 2000; ++bulk) {
    const std::size_t tasks = bulk % 7 == 0 ? bulk % 3 : values.size();
    team.for_each(tasks, [&](unsigned thread, std::size_t task) {
      values[task] = before[values.size() - 1 - task] + 1;
      ++by_thread[thread * 8];
    });
    before = values;
  }
  std::uint64_t done = 0;
  std::vector<std::uint64_t> expected(values.size(), 0);
  for (std::uint64_t bulk = 0; bulk < 2000; ++bulk) {
    const std::size_t tasks = bulk % 7 == 0 ? bulk % 3 : values.size();
    const std::vector<std::uint64_t> old = expected;
    for (std::size_t t = 0; t < tasks; ++t) expected[t] = old[old.size() - 1 - t] + 1;
    done += tasks;
  }
  EXPECT_EQ(values, expected);
  EXPECT_EQ(std::accumulate(by_thread.begin(), by_thread.end(), std::uint64_t{0}), done);
}
INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeamSize, ::testing::Values(1u, 2u, 3u, 8u));

}  // namespace
}  // namespace comback

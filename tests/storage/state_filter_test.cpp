#include "storage/state_filter.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace comback {
namespace {

struct Rate {
  unsigned bits_per_state;
  double at_most;  // of wrong answers
};

class StateFilterRates : public ::testing::TestWithParam<Rate> {};

TEST_P(StateFilterRates, AnswersForMostOfWhatIsNotThere) {
  constexpr std::uint64_t kEntries = 200000;
  MemoryBudget budget;
  StateFilter filter =
      StateFilter::allocate(kEntries * GetParam().bits_per_state / 8, kEntries, 40, budget);
  ASSERT_TRUE(filter);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    hashes.push_back(random());
    filter.insert(hashes.back());
  }
  for (const std::uint64_t hash : hashes) ASSERT_TRUE(filter.may_contain(hash));
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kEntries; ++i) wrong += filter.may_contain(random()) ? 1 : 0;
  const double rate = static_cast<double>(wrong) / kEntries;
  EXPECT_LT(rate, GetParam().at_most);
  EXPECT_GT(rate, GetParam().at_most / 3);
  RecordProperty("false_positive_rate", std::to_string(rate));
}

INSTANTIATE_TEST_SUITE_P(Rates, StateFilterRates,
                         ::testing::Values(Rate{4, 0.19}, Rate{8, 0.035}, Rate{12, 0.01}));

// Of hashes that agree in the bits that are kept, the filter says the same.
TEST(StateFilter, SeesOnlyTheBitsThatAreKept) {
  MemoryBudget budget;
  for (const unsigned bits : {8u, 20u, 34u, 64u}) {
    StateFilter filter = StateFilter::allocate(1 << 16, 1000, bits, budget);
    std::mt19937_64 random(bits);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t hash = random();
      filter.insert(hash);
      const std::uint64_t rest = bits == 64 ? 0 : random() >> bits;
      EXPECT_TRUE(filter.may_contain(hash ^ rest));
    }
  }
}

TEST(StateFilter, ThreadsInsertIntoPartitionsOfTheirOwn) {
  MemoryBudget budget;
  StateFilter filter = StateFilter::allocate(1 << 16, 40000, 64, budget);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint64_t>> hashes(4);
  for (std::uint64_t t = 0; t < 4; ++t) {
    std::mt19937_64 random(t);
    for (int i = 0; i < 10000; ++i) hashes[t].push_back(random() >> 2 | t << 62);
    threads.emplace_back([&, t] {
      for (const std::uint64_t hash : hashes[t]) filter.insert(hash);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& part : hashes) {
    for (const std::uint64_t hash : part) ASSERT_TRUE(filter.may_contain(hash));
  }
}

TEST(StateFilter, WithoutMemoryItAnswersForNothing) {
  MemoryBudget budget(1000);
  const StateFilter filter = StateFilter::allocate(1 << 20, 1000, 40, budget);
  EXPECT_FALSE(filter);
  EXPECT_TRUE(filter.may_contain(123));
  EXPECT_EQ(filter.bytes(), 0u);
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace comback

#include "storage/state_delta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace comback {
namespace {

void on_two_threads(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::thread other([&] {
    for (std::size_t i = 1; i < tasks; i += 2) task(i);
  });
  for (std::size_t i = 0; i < tasks; i += 2) task(i);
  other.join();
}

class StateDeltaBits : public ::testing::TestWithParam<unsigned> {};

// Whatever batches it is inserted in, every id is found under the hash bits that are kept.
TEST_P(StateDeltaBits, AgreesWithAMultimap) {
  const unsigned bits = GetParam();
  MemoryBudget budget;
  std::mt19937_64 random(bits);
  StateDelta delta(bits, budget);
  const std::uint64_t first_id = 1000;
  delta.clear(first_id);
  std::multimap<std::uint64_t, std::uint64_t> oracle;
  std::uint64_t id = first_id;
  std::vector<std::uint64_t> known;
  for (const std::size_t count : {1, 10, 3, 0, 5000, 200, 1, 1, 20000, 300, 7}) {
    std::vector<StateEntry> batch;
    for (std::size_t i = 0; i < count; ++i) {
      batch.push_back(
          {known.empty() || random() % 10 != 0 ? random() : known[random() % known.size()], id++});
      known.push_back(batch.back().hash);
      oracle.emplace(batch.back().hash >> (64 - bits), batch.back().id);
    }
    std::shuffle(batch.begin(), batch.end(), random);
    std::sort(batch.begin(), batch.end(),
              [](const auto& a, const auto& b) { return a.hash < b.hash; });
    ASSERT_TRUE(delta.insert(batch, on_two_threads));
    ASSERT_EQ(delta.size(), oracle.size());

    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 500; ++i) {
      hashes.push_back(known.empty() || i % 2 == 0 ? random() : known[random() % known.size()]);
    }
    std::sort(hashes.begin(), hashes.end());
    std::vector<StateMatch> expected;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto [from, to] = oracle.equal_range(hashes[i] >> (64 - bits));
      const std::size_t before = expected.size();
      for (auto it = from; it != to; ++it) expected.push_back({i, it->second});
      std::sort(expected.begin() + static_cast<std::ptrdiff_t>(before), expected.end());
    }
    std::vector<StateMatch> found;
    delta.lookup(hashes, found);
    ASSERT_EQ(found, expected);
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> walked;
  for (std::size_t share = 0; share < delta.shares(); ++share) {
    delta.for_each_entry(share, [&](std::uint64_t h, std::uint64_t i) {
      walked.push_back({h, i});
    });
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all(oracle.begin(), oracle.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(walked, all);

  EXPECT_EQ(budget.used(), delta.bytes());
  delta.clear(id);
  EXPECT_EQ(budget.used(), 0u);
  std::vector<StateMatch> found;
  delta.lookup(known, found);
  EXPECT_TRUE(found.empty());
}

INSTANTIATE_TEST_SUITE_P(Bits, StateDeltaBits, ::testing::Values(1, 8, 10, 20, 34, 42, 43, 64));

std::vector<StateEntry> random_batch(std::size_t count, std::uint64_t first_id,
                                     std::mt19937_64& random) {
  std::vector<StateEntry> batch;
  for (std::size_t i = 0; i < count; ++i) batch.push_back({random(), first_id + i});
  std::sort(batch.begin(), batch.end(),
            [](const auto& a, const auto& b) { return a.hash < b.hash; });
  return batch;
}

TEST(StateDelta, TakesAtMostTenBytesForAnEntry) {
  MemoryBudget budget;
  StateDelta delta(40, budget);
  std::mt19937_64 random(1);
  for (std::uint64_t id = 0; id < 3000000; id += 100000) {
    ASSERT_TRUE(delta.insert(random_batch(100000, id, random), one_after_the_other));
    if (id >= 500000) {
      EXPECT_LE(delta.bytes(), 10 * delta.size());
    }
  }
}

TEST(StateDelta, ABatchThatTheBudgetRefusesLeavesNoTrace) {
  MemoryBudget budget(std::uint64_t{1} << 20);
  StateDelta delta(40, budget);
  std::mt19937_64 random(2);
  std::uint64_t inserted = 0;
  while (true) {
    const auto batch = random_batch(5000, inserted, random);
    if (!delta.insert(batch, one_after_the_other)) break;
    inserted += batch.size();
    ASSERT_LT(inserted, 200000u);
  }
  EXPECT_GT(inserted, 80000u);
  EXPECT_EQ(delta.size(), inserted);
  std::uint64_t walked = 0;
  for (std::size_t share = 0; share < delta.shares(); ++share) {
    delta.for_each_entry(share, [&](std::uint64_t, std::uint64_t) { ++walked; });
  }
  EXPECT_EQ(walked, inserted);
}

}  // namespace
}  // namespace comback

#include "storage/state_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace comback {
namespace {

class StateTableBits : public ::testing::TestWithParam<unsigned> {};

TEST_P(StateTableBits, IsAMapFromLeadingBitsToIdsInOrder) {
  const unsigned bits = GetParam();
  MemoryBudget budget;
  StateTable table(bits, budget);
  ASSERT_TRUE(table.open());
  std::map<std::uint64_t, std::vector<std::uint64_t>> expected;
  std::vector<std::uint64_t> hashes;
  std::mt19937_64 random(bits);
  for (std::uint64_t id = 0; id < 40'000; ++id) {
    // A fifth of them come again, or differ only in the last bits.
    std::uint64_t hash = random();
    if (id > 0 && id % 5 == 0) hash = hashes[random() % id] ^ (random() % 3);
    hashes.push_back(hash);
    expected[truncate_hash(hash, bits)].push_back(id);
    ASSERT_EQ(table.insert(hash, id), Insertion::kNew);
  }
  EXPECT_EQ(table.size(), hashes.size());
  EXPECT_EQ(table.bytes(), budget.used());
  const auto check = [&](std::uint64_t hash) {
    const auto it = expected.find(truncate_hash(hash, bits));
    const StateTable::Ids ids = table.find(hash);
    if (it == expected.end()) {
      ASSERT_TRUE(ids.empty());
      return;
    }
    ASSERT_EQ(ids.size(), it->second.size());
    for (std::uint64_t i = 0; i < ids.size(); i += 1 + ids.size() / 8) {
      ASSERT_EQ(ids[i], it->second[i]);
    }
  };
  for (const std::uint64_t hash : hashes) check(hash);
  for (int i = 0; i < 10'000; ++i) check(random());
}
INSTANTIATE_TEST_SUITE_P(Bits, StateTableBits, ::testing::Values(8, 9, 12, 14, 16, 22, 32, 63, 64));

// All states under one hash, which lies at the end of its partition.
TEST(StateTable, TakesAListThatIsAllThereIs) {
  MemoryBudget budget;
  StateTable table(8, budget);
  ASSERT_TRUE(table.open());
  for (std::uint64_t id = 0; id < 5000; ++id) {
    ASSERT_EQ(table.insert(~std::uint64_t{0}, id), Insertion::kNew);
  }
  const StateTable::Ids ids = table.find(~std::uint64_t{0});
  ASSERT_EQ(ids.size(), 5000u);
  for (std::uint64_t i = 0; i < 5000; ++i) EXPECT_EQ(ids[i], i);
  EXPECT_TRUE(table.find(0).empty());
}

TEST(StateTable, StaysWholeWhereTheBudgetEnds) {
  MemoryBudget budget(700 << 10);
  StateTable table(64, budget);
  ASSERT_TRUE(table.open());
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes;
  while (true) {
    const std::uint64_t hash = random();
    if (table.insert(hash, hashes.size()) == Insertion::kNoMemory) break;
    hashes.push_back(hash);
  }
  EXPECT_GT(hashes.size(), 20'000u);
  EXPECT_EQ(table.size(), hashes.size());
  for (std::uint64_t id = 0; id < hashes.size(); ++id) {
    ASSERT_EQ(table.find(hashes[id]).size(), 1u);
    ASSERT_EQ(table.find(hashes[id])[0], id);
  }
}

// The promise of docs/design.md: with backedges of at most 3.4 bytes, 20 bytes per state.
TEST(StateTable, AStateTakesAtMostSeventeenBytes) {
  MemoryBudget budget;
  StateTable table(64, budget);
  ASSERT_TRUE(table.open());
  std::mt19937_64 random(2);
  for (std::uint64_t id = 0; id < 1'000'000; ++id) {
    ASSERT_EQ(table.insert(random(), id), Insertion::kNew);
    if (id > 100'000 && id % 10'000 == 0) {
      ASSERT_LE(static_cast<double>(table.bytes()) / static_cast<double>(id), 17.0) << id;
    }
  }
}

}  // namespace
}  // namespace comback

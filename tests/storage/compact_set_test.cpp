#include "storage/compact_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "storage/packed_slots.h"
#include "storage/probed_set.h"
#include "storage/record_stack.h"

namespace comback {
namespace {

class EveryWidth : public ::testing::TestWithParam<unsigned> {};

TEST_P(EveryWidth, PackedSlotsKeepTheirNeighbours) {
  const unsigned bits = GetParam();
  MemoryBudget budget;
  PackedSlots slots = PackedSlots::allocate(1001, bits, budget);
  ASSERT_TRUE(slots);
  std::mt19937_64 random(bits);
  std::vector<std::uint64_t> values(1001);
  for (std::uint64_t& v : values) v = random() >> (64 - bits);
  for (std::size_t i = 0; i < values.size(); i += 2) slots.set(i, values[i]);
  for (std::size_t i = 1; i < values.size(); i += 2) slots.set(i, values[i]);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(slots.get(i), values[i]) << i;
}

TEST_P(EveryWidth, CompactSetIsTheSetOfLeadingBits) {
  const unsigned bits = GetParam();
  if (bits < CompactSet::kMinBits) GTEST_SKIP();
  MemoryBudget budget;
  CompactSet set(bits, budget);
  ASSERT_TRUE(set.open());
  std::set<std::uint64_t> expected;
  std::mt19937_64 random(bits);
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t hash = random() & ~(std::uint64_t{3} << 50);  // so that some come again
    const std::uint64_t key = set.key_of(hash);
    const bool added = expected.insert(truncate_hash(hash, bits)).second;
    ASSERT_EQ(set.contains(key), !added);
    ASSERT_EQ(set.insert(key), added ? Insertion::kNew : Insertion::kKnown);
    ASSERT_TRUE(set.contains(key));
  }
  EXPECT_EQ(set.size(), expected.size());
  EXPECT_EQ(set.bytes(), budget.used());
}
INSTANTIATE_TEST_SUITE_P(Bits, EveryWidth,
                         ::testing::Values(1, 3, 8, 9, 13, 16, 27, 57, 58, 61, 64));

TEST(CompactSet, StaysWholeWhereTheBudgetEnds) {
  MemoryBudget budget(600 << 10);
  CompactSet set(40, budget);
  ASSERT_TRUE(set.open());
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys;
  while (true) {
    const std::uint64_t key = set.key_of(random());
    const Insertion result = set.insert(key);
    if (result == Insertion::kNoMemory) {
      EXPECT_FALSE(set.contains(key));
      break;
    }
    keys.push_back(key);
  }
  EXPECT_GT(keys.size(), 50'000u);
  for (const std::uint64_t key : keys) ASSERT_TRUE(set.contains(key));
}

TEST(ProbedSet, FillsToTheLastSlot) {
  MemoryBudget budget;
  ProbedSet set(48, 1000, budget);
  ASSERT_TRUE(set.open());
  ASSERT_EQ(set.slots(), 997u) << "the largest prime up to 1000";
  std::mt19937_64 random(2);
  std::vector<ProbedSet::Key> keys;
  while (set.size() < set.slots()) {
    keys.push_back(set.key_of({random(), random()}));
    ASSERT_EQ(set.insert(keys.back()), Insertion::kNew);
  }
  for (const auto& key : keys) EXPECT_EQ(set.insert(key), Insertion::kKnown);
  EXPECT_EQ(set.insert(set.key_of({random(), random()})), Insertion::kFull);
}

// The same value at another place of the table is no reason to omit a state.
TEST(ProbedSet, ComparesOnlyAlongTheProbeSequence) {
  MemoryBudget budget;
  ProbedSet set(8, 100'003, budget);
  ASSERT_TRUE(set.open());
  std::mt19937_64 random(3);
  std::uint64_t added = 0;
  for (int i = 0; i < 10'000; ++i) {
    added += set.insert(set.key_of({random(), random()})) == Insertion::kNew;
  }
  EXPECT_GT(added, 9'990u);  // about 500 comparisons, of which one in 255 goes wrong
}

TEST(RecordStack, KeepsRecordsInPlaceAndGivesMemoryBack) {
  MemoryBudget budget;
  {
    RecordStack stack(24, budget);
    std::vector<std::byte*> places;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      places.push_back(stack.push());
      std::memcpy(places.back(), &i, sizeof i);
    }
    for (std::uint64_t i = 20'000; i-- > 0;) {
      std::uint64_t held;
      std::memcpy(&held, stack.top(), sizeof held);
      ASSERT_EQ(held, i);
      ASSERT_EQ(stack.top(), places[i]);
      ASSERT_EQ(stack.at(i), places[i]);
      stack.pop();
    }
    EXPECT_LE(budget.used(), 2 * RecordStack::min_bytes(24));
    EXPECT_GT(budget.peak(), 20'000u * 24);
  }
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace comback

#include "storage/descriptor_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace comback {
namespace {

std::uint64_t hash_8_bits(const std::byte* data, std::size_t bytes) {
  return hash_bytes(data, bytes) & 0xff00000000000000ull;
}
std::uint64_t hash_low_bits(const std::byte* data, std::size_t bytes) {
  return hash_bytes(data, bytes) & 0xff;
}
std::uint64_t hash_constant(const std::byte*, std::size_t) { return ~0ull; }

// Descriptors that differ in their first bytes.
struct Numbers {
  explicit Numbers(std::size_t width) : bytes(width + 8) {}
  const std::byte* operator()(std::uint64_t x) {
    std::memcpy(bytes.data(), &x, 8);
    return bytes.data();
  }
  std::vector<std::byte> bytes;
};

class DescriptorTableHash : public ::testing::TestWithParam<DescriptorTable::Hash> {};

TEST_P(DescriptorTableHash, AgreesWithASetWhateverTheHash) {
  MemoryBudget budget;
  DescriptorLog log(11, budget);
  DescriptorTable table(log, budget, GetParam());
  ASSERT_TRUE(table.open());
  std::mt19937_64 random(1);
  std::set<std::uint64_t> oracle;
  std::vector<std::uint64_t> order;
  Numbers number(11);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t x = random() % 12000;
    const std::byte* const d = number(x);
    const std::uint64_t hash = table.hash_of(d);
    table.prefetch(hash);
    table.prefetch_match(hash);
    ASSERT_EQ(table.contains(hash, d), oracle.count(x) != 0);
    ASSERT_TRUE(log.reserve(1));
    const bool added = oracle.insert(x).second;
    if (added) order.push_back(x);
    ASSERT_EQ(table.insert(hash, d), added ? Insertion::kNew : Insertion::kKnown);
    ASSERT_EQ(table.size(), oracle.size());
  }
  for (std::uint64_t id = 0; id < order.size(); ++id) {
    ASSERT_TRUE(equal_bytes(log.get(id), number(order[id]), 11)) << "id " << id;
  }
  for (std::uint64_t x = 0; x < 12000; ++x) {
    ASSERT_EQ(table.contains(table.hash_of(number(x)), number(x)), oracle.count(x) != 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Hashes, DescriptorTableHash,
                         ::testing::Values(nullptr, &hash_8_bits, &hash_low_bits, &hash_constant));

// The promise of --visited full: width + 8 bytes per state beyond a small constant, at every
// moment. The budget's peak sees the moments inside a growth.
TEST(DescriptorTable, HoldsAtMostEightBytesPerStateBesideTheDescriptorsAtEveryMoment) {
  constexpr std::size_t kWidth = 20;
  constexpr std::uint64_t kConstant = (std::uint64_t{2} << 20) + (std::uint64_t{512} << 10);
  MemoryBudget budget;
  DescriptorLog log(kWidth, budget);
  DescriptorTable table(log, budget);
  ASSERT_TRUE(table.open());
  Numbers number(kWidth);
  double worst = 0;
  for (std::uint64_t x = 0; x < 3000000; ++x) {
    ASSERT_TRUE(log.reserve(1));
    const std::byte* const d = number(x);
    ASSERT_EQ(table.insert(table.hash_of(d), d), Insertion::kNew);
    ASSERT_LE(budget.peak(), kConstant + (kWidth + 8) * (x + 1)) << "with " << x + 1 << " states";
    ASSERT_EQ(budget.used(), log.bytes() + table.bytes());
    if (x > 500000) worst = std::max(worst, double(table.bytes()) / double(x + 1));
  }
  EXPECT_LT(worst, 7.95);
  EXPECT_GT(worst, 7.0) << "the test did not meet the moment after a growth";
}

TEST(DescriptorTable, RefusesToGrowBeyondItsBudgetAndStaysIntact) {
  MemoryBudget budget((std::uint64_t{2} << 20) + (std::uint64_t{600} << 10));
  DescriptorLog log(4, budget);
  DescriptorTable table(log, budget);
  ASSERT_TRUE(table.open());
  Numbers number(4);
  std::uint64_t x = 0;
  for (; x < 500000; ++x) {
    ASSERT_TRUE(log.reserve(1));
    if (table.insert(table.hash_of(number(x)), number(x)) != Insertion::kNew) break;
  }
  ASSERT_LT(x, 500000u);
  EXPECT_EQ(table.insert(table.hash_of(number(x)), number(x)), Insertion::kNoMemory);
  EXPECT_GT(x, 50000u);
  EXPECT_LE(budget.peak(), budget.limit());
  EXPECT_EQ(table.size(), x);
  for (std::uint64_t y = 0; y < x; ++y) {
    ASSERT_TRUE(table.contains(table.hash_of(number(y)), number(y)));
  }
  EXPECT_FALSE(table.contains(table.hash_of(number(x)), number(x)));
}

}  // namespace
}  // namespace comback

#include "storage/erasable_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace comback {
namespace {

constexpr std::size_t kWidth = 12;

std::vector<std::byte> descriptor(std::uint32_t number) {
  std::vector<std::byte> bytes(kWidth, std::byte{7});
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

class ErasableTableProperty : public ::testing::TestWithParam<unsigned> {};

// Full all the time, which is how a cache uses it. Hashes of few values make long runs of entries
// that collide and wrap around the end of the index.
TEST_P(ErasableTableProperty, IsAMap) {
  MemoryBudget budget;
  std::mt19937 random(GetParam());
  const std::uint64_t slots = 1 + random() % 60;
  const std::uint64_t hashes = 1 + random() % 50;
  ErasableTable table(kWidth, slots, budget);
  ASSERT_TRUE(table.open());
  const auto hash_of = [&](std::uint32_t number) {
    return (number % hashes) * (~std::uint64_t{0} / hashes) + ~std::uint64_t{0} / hashes / 2;
  };
  std::map<std::uint32_t, std::uint32_t> oracle;  // number -> slot
  for (int step = 0; step < 3000; ++step) {
    const auto number = static_cast<std::uint32_t>(random() % 200);
    const std::uint32_t found = table.find(hash_of(number), descriptor(number).data());
    const auto expected = oracle.find(number);
    ASSERT_EQ(found, expected == oracle.end() ? ErasableTable::kNone : expected->second);
    if (found == ErasableTable::kNone) {
      if (oracle.size() == slots) {
        const auto victim = std::next(oracle.begin(), random() % oracle.size());
        table.erase(victim->second);
        oracle.erase(victim);
      }
      oracle[number] = table.insert(hash_of(number), descriptor(number).data());
    } else if (random() % 4 == 0) {
      table.erase(found);
      oracle.erase(expected);
    }
    ASSERT_EQ(table.size(), oracle.size());
  }
  for (const auto& [number, slot] : oracle) {
    EXPECT_EQ(table.find(hash_of(number), descriptor(number).data()), slot);
    EXPECT_EQ(std::memcmp(table.get(slot), descriptor(number).data(), kWidth), 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ErasableTableProperty, ::testing::Range(0u, 20u));

TEST(ErasableTable, TakesFromTheBudgetWhatItSays) {
  const std::uint64_t bytes = ErasableTable::bytes_for(kWidth, 1000);
  MemoryBudget enough(bytes);
  ErasableTable table(kWidth, 1000, enough);
  EXPECT_TRUE(table.open());
  EXPECT_EQ(enough.used(), bytes);
  EXPECT_EQ(table.bytes(), bytes);
  MemoryBudget scarce(bytes - 1);
  EXPECT_FALSE(ErasableTable(kWidth, 1000, scarce).open());
}

}  // namespace
}  // namespace comback

#include "storage/limited_set.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/stack_index.h"
#include "storage/tabulation_hash.h"

namespace comback {
namespace {

LimitedSet::Key random_key(const LimitedSet& set, std::mt19937_64& random) {
  return set.key_of({random(), random()});
}

class ProbeLimits : public ::testing::TestWithParam<unsigned> {};

// What was just inserted is there, however full the table is; what is not, was replaced.
TEST_P(ProbeLimits, IsNeverFullAndForgetsOnlyWhatIsReplaced) {
  MemoryBudget budget;
  LimitedSet set(60, 1000, GetParam(), 7, budget);
  ASSERT_TRUE(set.open());
  ASSERT_EQ(set.slots(), 997u);
  std::mt19937_64 random(GetParam());
  std::vector<LimitedSet::Key> keys;
  for (int i = 0; i < 20'000; ++i) {
    keys.push_back(random_key(set, random));
    ASSERT_FALSE(set.contains(keys.back()));
    ASSERT_EQ(set.insert(keys.back()), Insertion::kNew);
    ASSERT_TRUE(set.contains(keys.back()));
    ASSERT_EQ(set.insert(keys.back()), Insertion::kKnown);
  }
  EXPECT_EQ(set.inserted(), keys.size());
  EXPECT_EQ(set.occupied() + set.replacements(), keys.size());
  std::uint64_t held = 0;
  for (const auto& key : keys) held += set.contains(key);
  EXPECT_EQ(held, set.occupied()) << "one value of sixty bits per slot";
  EXPECT_LE(set.occupied(), set.slots());
}
INSTANTIATE_TEST_SUITE_P(Probes, ProbeLimits, ::testing::Values(1, 2, 3, 10, 5000));

// With t probes the load x grows by 1 - x^t an insertion, in m steps to tanh(1), or 1 - 1/e.
TEST(LimitedSet, ReplacesBeforeItIsFull) {
  for (const auto& [probes, load] :
       {std::pair{1u, 1 - std::exp(-1)}, std::pair{2u, std::tanh(1)}}) {
    MemoryBudget budget;
    LimitedSet set(60, 100'003, probes, 1, budget);
    ASSERT_TRUE(set.open());
    std::mt19937_64 random(probes);
    for (std::uint64_t i = 0; i < set.slots(); ++i) set.insert(random_key(set, random));
    EXPECT_NEAR(static_cast<double>(set.occupied()) / static_cast<double>(set.slots()), load, 0.01);
  }
}

// Each of the probed slots is the victim about equally often: of t keys with one probe sequence, a
// further one replaces each with probability 1/t.
TEST(LimitedSet, ReplacesEachOfTheProbedSlots) {
  constexpr unsigned kProbes = 4;
  constexpr int kRounds = 4000;
  std::array<int, kProbes> replaced{};
  for (int round = 0; round < kRounds; ++round) {
    MemoryBudget budget;
    LimitedSet set(40, 11, kProbes, static_cast<std::uint64_t>(round), budget);
    ASSERT_TRUE(set.open());
    LimitedSet::Key key{.start = 3, .step = 5, .value = 1};
    for (key.value = 1; key.value <= kProbes + 1; ++key.value) set.insert(key);
    for (key.value = 1; key.value <= kProbes; ++key.value) {
      replaced[key.value - 1] += !set.contains(key);
    }
  }
  int sum = 0;
  for (const int count : replaced) {
    EXPECT_NEAR(count, kRounds / kProbes, 150);  // five standard deviations
    sum += count;
  }
  EXPECT_EQ(sum, kRounds);
}

TEST(PackedSlots, ReplaceLeavesTheNeighbours) {
  for (const unsigned bits : {1u, 8u, 13u, 27u, 57u, 58u, 61u, 64u}) {
    MemoryBudget budget;
    PackedSlots slots = PackedSlots::allocate(501, bits, budget);
    ASSERT_TRUE(slots);
    std::mt19937_64 random(bits);
    std::vector<std::uint64_t> values(501);
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t slot = random() % values.size();
      values[slot] = random() >> (64 - bits);
      slots.replace(slot, values[slot]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(slots.get(i), values[i]) << bits;
  }
}

// Over seeds, any bit of either hash differs for half of the functions, whatever the descriptors;
// and the first hash says nothing of the second.
TEST(TabulationHash, IsUniformOverSeedsAndItsHashesAreIndependent) {
  constexpr std::size_t kWidth = 11;
  constexpr int kSeeds = 2000;
  std::array<std::byte, kWidth> a{};
  std::array<std::byte, kWidth> b{};
  b[10] = std::byte{1};
  std::array<int, 64> first{};
  std::array<int, 64> second{};
  std::array<int, 64> both{};
  for (int seed = 0; seed < kSeeds; ++seed) {
    const TabulationHash hash(kWidth, static_cast<std::uint64_t>(seed));
    const HashPair x = hash(a.data());
    const HashPair y = hash(b.data());
    for (unsigned bit = 0; bit < 64; ++bit) {
      const auto differs_first = static_cast<int>((x.first ^ y.first) >> bit & 1);
      const auto differs_second = static_cast<int>((x.second ^ y.second) >> bit & 1);
      first[bit] += differs_first;
      second[bit] += differs_second;
      both[bit] += differs_first & differs_second;
    }
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_NEAR(first[bit], kSeeds / 2, 112) << bit;  // five standard deviations
    EXPECT_NEAR(second[bit], kSeeds / 2, 112) << bit;
    EXPECT_NEAR(both[bit], kSeeds / 4, 97) << bit;
  }
}

TEST(TabulationHash, ASeedIsAFunction) {
  std::array<std::byte, 5> state{std::byte{1}, std::byte{2}, std::byte{250}, std::byte{0},
                                 std::byte{9}};
  const HashPair x = TabulationHash(5, 42)(state.data());
  const HashPair y = TabulationHash(5, 42)(state.data());
  EXPECT_EQ(x.first, y.first);
  EXPECT_EQ(x.second, y.second);
  EXPECT_NE(x.first, TabulationHash(5, 43)(state.data()).first);
}

// Against a multiset, through growth and a stack that rises and falls; the same descriptor may lie
// on it more than once.
TEST(StackIndex, KnowsWhatIsOnTheStack) {
  constexpr std::size_t kWidth = 6;
  constexpr std::size_t kOffset = 4;
  MemoryBudget budget;
  RecordStack stack(kOffset + kWidth, budget);
  StackIndex index(stack, kOffset, kWidth, budget);
  ASSERT_TRUE(index.open());
  std::mt19937_64 random(5);
  std::multiset<std::string> expected;
  const auto descriptor = [&](std::uint64_t value) {
    std::array<std::byte, 64> bytes{};
    std::memcpy(bytes.data(), &value, kWidth);
    return bytes;
  };
  const auto text = [](const std::byte* bytes) {
    return std::string(reinterpret_cast<const char*>(bytes), kWidth);
  };
  for (int i = 0; i < 200'000; ++i) {
    const bool rising = i / 20'000 % 2 == 0;
    const auto bytes = descriptor(random() % 50'000);
    ASSERT_EQ(index.contains(bytes.data()), expected.count(text(bytes.data())) != 0);
    if (stack.empty() || random() % 4 < (rising ? 3u : 1u)) {
      std::memcpy(stack.push() + kOffset, bytes.data(), kWidth);
      ASSERT_TRUE(index.push());
      expected.insert(text(bytes.data()));
    } else {
      expected.erase(expected.find(text(stack.top() + kOffset)));
      index.pop();
      stack.pop();
    }
    ASSERT_EQ(index.size(), expected.size());
  }
}

TEST(StackIndex, SaysWhereTheBudgetEnds) {
  MemoryBudget budget(1 << 20);
  RecordStack stack(12, budget);
  StackIndex index(stack, 4, 8, budget);
  ASSERT_TRUE(index.open());
  std::uint64_t pushed = 0;
  while (std::byte* const record = stack.push()) {
    std::memcpy(record + 4, &pushed, 8);
    if (!index.push()) break;
    ++pushed;
  }
  EXPECT_GT(pushed, 20'000u);
  EXPECT_EQ(index.size(), pushed);
  std::array<std::byte, 64> first{};
  EXPECT_TRUE(index.contains(first.data()));
}

}  // namespace
}  // namespace comback

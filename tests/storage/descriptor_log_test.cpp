#include "storage/descriptor_log.h"

#include <gtest/gtest.h>

#include <vector>

namespace comback {
namespace {

std::vector<std::byte> descriptor(std::size_t width, std::uint64_t i) {
  std::vector<std::byte> d(width);
  std::uint64_t x = i + 1;
  for (std::byte& b : d) b = std::byte((x = x * 0x9e3779b97f4a7c15ull + i) >> 56);
  return d;
}

class DescriptorLogWidth : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DescriptorLogWidth, GivesBackWhatWasAppended) {
  const std::size_t width = GetParam();
  MemoryBudget budget;
  DescriptorLog log(width, budget);
  const std::uint64_t n = 3 * DescriptorLog::chunk_bytes(width) / width / (width < 8 ? 20 : 1);
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(log.reserve(1));
    log.append(descriptor(width, i).data());
  }
  ASSERT_EQ(log.size(), n);
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(equal_bytes(log.get(i), descriptor(width, i).data(), width)) << "id " << i;
  }
  EXPECT_EQ(budget.used(), log.bytes());
  EXPECT_LE(log.bytes(),
            n * width + DescriptorLog::chunk_bytes(width) + n * width / (width < 2000 ? 1000 : 8));
}
INSTANTIATE_TEST_SUITE_P(Widths, DescriptorLogWidth,
                         ::testing::Values(1, 3, 8, 20, 33, 1000, 300001));

TEST(DescriptorLog, GivesReleasedMemoryBackAndKeepsTheRest) {
  MemoryBudget budget;
  DescriptorLog log(100, budget);
  const std::uint64_t n = 100000;
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(log.reserve(1));
    log.append(descriptor(100, i).data());
    if (i < 1000) continue;
    log.release_below(i - 1000);
    most = std::max(most, budget.used());
    ASSERT_TRUE(equal_bytes(log.get(i - 1000), descriptor(100, i - 1000).data(), 100));
  }
  EXPECT_EQ(most, 2 * DescriptorLog::chunk_bytes(100)) << "a queue of 1000 spans two chunks";
  EXPECT_EQ(budget.used(), log.bytes());
}

// A search on disk keeps the newest of more states than 32 bits can number.
TEST(DescriptorLog, FindsDescriptorsWhoseIdsExceed32Bits) {
  MemoryBudget budget;
  constexpr std::size_t kWidth = 16;
  DescriptorLog log(kWidth, budget, DescriptorLog::kMaxWideSize);
  const std::uint64_t step = DescriptorLog::chunk_bytes(kWidth) / kWidth;
  while (log.size() < (std::uint64_t{5} << 32)) {
    ASSERT_TRUE(log.reserve(step));
    log.append_unwritten(step);
    log.release_below(log.size() - 1);
  }
  const std::uint64_t first = log.size();
  for (std::uint64_t id = first; id < first + 100000; ++id) {
    ASSERT_TRUE(log.reserve(1));
    log.append(descriptor(kWidth, id).data());
  }
  for (std::uint64_t id = first; id < first + 100000; ++id) {
    ASSERT_TRUE(equal_bytes(log.get(id), descriptor(kWidth, id).data(), kWidth)) << "id " << id;
  }
}

TEST(DescriptorLog, ReservesAcrossChunksAndRefusesBeyondItsBudget) {
  MemoryBudget budget(std::uint64_t{7} << 20);
  DescriptorLog log(20, budget);
  EXPECT_TRUE(log.reserve(300000));
  EXPECT_EQ(log.bytes(), std::uint64_t{6} << 20);
  EXPECT_FALSE(log.reserve(400000));
  for (std::uint64_t i = 0; i < 300000; ++i) log.append(descriptor(20, i).data());
  for (std::uint64_t i = 0; i < 300000; i += 1000) {
    ASSERT_TRUE(equal_bytes(log.get(i), descriptor(20, i).data(), 20));
  }
}

TEST(DescriptorLog, RefusesMoreIdsThanThereAre) {
  MemoryBudget budget;
  DescriptorLog log(20, budget);
  EXPECT_FALSE(log.reserve(DescriptorLog::kMaxSize + 1));
  EXPECT_EQ(log.bytes(), 0u);
}

}  // namespace
}  // namespace comback

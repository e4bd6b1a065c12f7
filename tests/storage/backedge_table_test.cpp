#include "storage/backedge_table.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace comback {
namespace {

std::vector<Backedge> breadth_first_edges(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Backedge> edges{{0, 0}};
  std::uint64_t predecessor = 0;
  while (edges.size() < n) {
    predecessor = std::min<std::uint64_t>(predecessor + random() % 3, edges.size() - 1);
    edges.push_back({predecessor, static_cast<std::uint32_t>(random() % 60)});
  }
  return edges;
}

std::vector<Backedge> wild_edges(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Backedge> edges{{0, 0}};
  while (edges.size() < n) {
    edges.push_back({(random() >> (8 + random() % 56)), static_cast<std::uint32_t>(random())});
  }
  return edges;
}

void expect_stored(const std::vector<Backedge>& edges) {
  MemoryBudget budget;
  BackedgeTable table(budget);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(table.size(), i);
    ASSERT_TRUE(table.append(edges[i].predecessor, edges[i].event));
    ASSERT_EQ(table.find(i), edges[i]) << "entry " << i << " just after it was added";
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(table.find(i), edges[i]) << "entry " << i << " of " << edges.size();
  }
}

TEST(BackedgeTable, FindsWhatWasAppendedAtEverySizeAroundABlock) {
  for (const std::size_t n : {1, 2, 2047, 2048, 2049, 4096, 4097, 50000}) {
    expect_stored(breadth_first_edges(n, n));
    expect_stored(wild_edges(n, n));
  }
}

TEST(BackedgeTable, PacksBlocksOfEqualEntriesInNoBits) {
  expect_stored(std::vector<Backedge>(10000, Backedge{7, 3}));
}

TEST(BackedgeTable, TakesAboutThreeBytesPerStateInBreadthFirstOrder) {
  MemoryBudget budget;
  BackedgeTable table(budget);
  const auto edges = breadth_first_edges(1000000, 1);
  for (const Backedge& e : edges) ASSERT_TRUE(table.append(e.predecessor, e.event));
  EXPECT_LT(table.bytes(), 3 * edges.size());
  EXPECT_LE(budget.used(), table.bytes());
}

TEST(BackedgeTable, TakesAtMostSevenBytesPerStateForAnyPredecessorOf32BitsAndEventOf18) {
  MemoryBudget budget;
  BackedgeTable table(budget);
  std::mt19937_64 random(3);
  const std::size_t n = 1000000;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(table.append(random() >> 32, static_cast<std::uint32_t>(random() >> 46)));
  }
  EXPECT_LT(table.bytes(), 7 * n);
}

TEST(BackedgeTable, RefusesToExceedItsBudgetAndKeepsWhatItHas) {
  MemoryBudget budget(std::uint64_t{1} << 20);
  BackedgeTable table(budget);
  const auto edges = breadth_first_edges(1000000, 5);
  std::size_t n = 0;
  while (n < edges.size() && table.append(edges[n].predecessor, edges[n].event)) ++n;
  ASSERT_LT(n, edges.size());
  EXPECT_GT(n, 300000u);
  EXPECT_LE(budget.peak(), budget.limit());
  ASSERT_EQ(table.size(), n);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(table.find(i), edges[i]);
}

}  // namespace
}  // namespace comback

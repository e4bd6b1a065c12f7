#include "storage/disk_backedges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::TempDir;
using Edges = std::vector<Backedge>;

// Appends `count` edges as breadth-first search makes them, or any others.
void extend(Edges& edges, std::size_t count, bool monotone, std::mt19937_64& random) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t id = edges.size();
    std::uint64_t predecessor = id == 0 ? 0 : random() % id;
    if (monotone && id > 0) {
      predecessor = std::min(id - 1, edges.back().predecessor + random() % 2);
    }
    edges.push_back({predecessor, static_cast<std::uint32_t>(random() % 30)});
  }
}

class DiskBackedgesOrder : public ::testing::TestWithParam<bool> {};

// Through appending, committing and reopening, every entry is found, in any order.
TEST_P(DiskBackedgesOrder, AgreesWithAVector) {
  const TempDir dir;
  MemoryBudget budget;
  std::mt19937_64 random(1);
  Edges edges;
  std::size_t committed = 0;
  for (int life = 0; life < 3; ++life) {
    auto database = RunDatabase::open(dir / "db", {}, budget);
    ASSERT_TRUE(database) << database.error().what;
    auto opened = DiskBackedges::open(**database, {.block_ids = 20000}, budget);
    ASSERT_TRUE(opened) << opened.error().what;
    DiskBackedges& table = **opened;
    ASSERT_EQ(table.size(), committed) << "I4";
    edges.resize(committed);
    for (const std::size_t count : {1u, 100u, 0u, 40000u, 7u, 100000u, 30000u}) {
      const std::size_t before = edges.size();
      extend(edges, count, GetParam(), random);
      const auto s =
          table.append(std::span<const Backedge>(edges).subspan(before), one_after_the_other);
      ASSERT_TRUE(s) << s.error().what;
      ASSERT_EQ(table.size(), edges.size()) << "I1";
      if (count == 100u || count == 30000u || count == 7u) {
        if (life == 1 && count == 30000u) continue;  // some is never committed
        Commit commit(**database);
        ASSERT_TRUE(table.stage(commit));
        ASSERT_TRUE(commit.finish());
        committed = edges.size();
      }
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t id = random() % edges.size();
        const auto found = table.find(id);
        ASSERT_TRUE(found) << found.error().what;
        ASSERT_EQ(*found, edges[id]) << id;
      }
    }
    DiskBackedges::Reader up(table);
    for (std::uint64_t id = edges.size(); id > 0;
         id -= std::min<std::uint64_t>(id, 1 + random() % 9)) {
      const auto found = up.find(id - 1);
      ASSERT_TRUE(found) << found.error().what;
      ASSERT_EQ(*found, edges[id - 1]) << id - 1;
    }
    std::uint64_t next = 0;
    ASSERT_TRUE(table.for_each(0, edges.size(), [&](std::uint64_t id, const Backedge& edge) {
      EXPECT_EQ(id, next++);
      if (edge != edges[id]) FAIL() << id;
    }));
    EXPECT_EQ(next, edges.size());
  }
  EXPECT_EQ(budget.used(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Order, DiskBackedgesOrder, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "Monotone" : "Any"; });

TEST(DiskBackedges, ACommitThatIsNotFinishedChangesNothing) {
  const TempDir dir;
  MemoryBudget budget;
  std::mt19937_64 random(2);
  auto database = RunDatabase::open(dir / "db", {}, budget);
  ASSERT_TRUE(database);
  auto table = DiskBackedges::open(**database, {}, budget);
  ASSERT_TRUE(table);
  Edges edges;
  extend(edges, 70000, true, random);
  ASSERT_TRUE((*table)->append(edges, one_after_the_other));
  {
    Commit commit(**database);
    ASSERT_TRUE((*table)->stage(commit));
  }
  EXPECT_EQ((*table)->committed(), 0u);
  const std::size_t before = edges.size();
  extend(edges, 100, true, random);
  ASSERT_TRUE(
      (*table)->append(std::span<const Backedge>(edges).subspan(before), one_after_the_other));
  Commit commit(**database);
  ASSERT_TRUE((*table)->stage(commit));
  ASSERT_TRUE(commit.finish());
  EXPECT_EQ((*table)->committed(), edges.size());
  EXPECT_EQ((*table)->uncommitted_bytes(), 0u);
  ASSERT_TRUE((*table)->for_each(0, edges.size(), [&](std::uint64_t id, const Backedge& edge) {
    if (edge != edges[id]) FAIL() << id;
  }));
}

TEST(DiskBackedges, WhatTheBudgetRefusesIsNotAppended) {
  const TempDir dir;
  MemoryBudget budget(std::uint64_t{5} << 20);
  std::mt19937_64 random(3);
  auto database = RunDatabase::open(dir / "db", {}, budget);
  ASSERT_TRUE(database);
  auto table = DiskBackedges::open(**database, {.block_ids = 30000, .cache_bytes = 0}, budget);
  ASSERT_TRUE(table) << table.error().what;
  Edges edges;
  extend(edges, 1000000, false, random);
  const std::span<const Backedge> all(edges);
  ASSERT_TRUE((*table)->append(all.first(100000), one_after_the_other));
  const auto s = (*table)->append(all.subspan(100000), one_after_the_other);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Errc::kOutOfMemory);
  EXPECT_EQ((*table)->size(), 100000u);
  for (const std::uint64_t id : {0u, 32768u, 99999u}) EXPECT_EQ(*(*table)->find(id), edges[id]);
}

TEST(DiskBackedges, ReadersOfSeveralThreadsShareUnpackedBlocks) {
  const TempDir dir;
  MemoryBudget budget;
  std::mt19937_64 random(4);
  auto database = RunDatabase::open(dir / "db", {}, budget);
  ASSERT_TRUE(database);
  auto table = DiskBackedges::open(**database, {}, budget);
  ASSERT_TRUE(table);
  Edges edges;
  extend(edges, 300000, true, random);
  ASSERT_TRUE(
      (*table)->append(std::span<const Backedge>(edges).first(200000), one_after_the_other));
  Commit commit(**database);
  ASSERT_TRUE((*table)->stage(commit));
  ASSERT_TRUE(commit.finish());
  ASSERT_TRUE(
      (*table)->append(std::span<const Backedge>(edges).subspan(200000), one_after_the_other));
  std::vector<std::uint64_t> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      DiskBackedges::Reader reader(**table);
      for (std::uint64_t i = 0; i < edges.size(); i += 3) {
        const std::uint64_t id = t % 2 == 0 ? i : edges.size() - 1 - i;
        const auto found = reader.find(id);
        if (!found || *found != edges[id]) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t n : wrong) EXPECT_EQ(n, 0u);
}

// Values that RocksDB's checksums agree with, but no table of ours has written.
TEST(DiskBackedges, ADoctoredTableIsAnError) {
  const TempDir dir;
  MemoryBudget budget;
  const std::string key(8, '\0');
  for (const std::string& value : {std::string("nonsense"), std::string()}) {
    const TempDir folder;
    auto database = RunDatabase::open(folder / "db", {}, budget);
    ASSERT_TRUE(database);
    {
      auto table = DiskBackedges::open(**database, {}, budget);
      ASSERT_TRUE(table);
      ASSERT_TRUE((*table)->append(Edges{{0, 0}, {0, 1}, {1, 1}}, one_after_the_other));
      Commit commit(**database);
      ASSERT_TRUE((*table)->stage(commit));
      ASSERT_TRUE(commit.finish());
    }
    EXPECT_TRUE(DiskBackedges::open(**database, {}, budget));
    Commit commit(**database);
    SortedWriter writer(commit, *(*database)->find_family("backedges"));
    ASSERT_TRUE(writer.put(key, value));
    ASSERT_TRUE(writer.finish());
    ASSERT_TRUE(commit.finish());
    const auto table = DiskBackedges::open(**database, {}, budget);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().code, Errc::kCorruption);
  }
}

}  // namespace
}  // namespace comback

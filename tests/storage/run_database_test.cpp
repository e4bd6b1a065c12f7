#include "storage/run_database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "storage/commit.h"
#include "storage/hash_page.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::unique_ptr<RunDatabase> open(const fs::path& folder, MemoryBudget& budget,
                                  RunDatabase::Options options = {}) {
  auto database = RunDatabase::open(folder, options, budget);
  EXPECT_TRUE(database) << database.error().what;
  return database ? std::move(*database) : nullptr;
}

std::string key(int i) {
  std::string k = std::to_string(i);
  return std::string(8 - k.size(), '0') + k;
}

std::string get(const RunDatabase& database, std::string_view family, int i) {
  std::string value;
  const auto found = database.get(*database.find_family(family), key(i), value);
  EXPECT_TRUE(found) << found.error().what;
  return found && *found ? value : "none";
}

TEST(RunDatabase, ACommitChangesAllFamiliesAndLasts) {
  const TempDir dir;
  MemoryBudget budget;
  {
    auto database = open(dir / "db", budget);
    ASSERT_TRUE(database->create_family("a"));
    ASSERT_TRUE(database->create_family("b"));
    Commit commit(*database);
    SortedWriter a(commit, *database->find_family("a"));
    SortedWriter b(commit, *database->find_family("b"));
    std::thread other([&] {
      for (int i = 0; i < 1000; ++i) ASSERT_TRUE(b.put(key(i), key(i) + "b"));
      ASSERT_TRUE(b.finish());
    });
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(a.put(key(i), key(i) + "a"));
    ASSERT_TRUE(a.finish());
    other.join();
    commit.put_meta("what", "first");
    bool told = false;
    commit.when_finished([&] { told = true; });
    EXPECT_EQ(get(*database, "a", 7), "none");
    const auto s = commit.finish();
    ASSERT_TRUE(s) << s.error().what;
    EXPECT_TRUE(told);
    EXPECT_EQ(get(*database, "a", 7), key(7) + "a");
  }
  EXPECT_EQ(budget.used(), 0u);
  auto database = open(dir / "db", budget);
  EXPECT_EQ(get(*database, "b", 999), key(999) + "b");
  const auto what = database->meta("what");
  ASSERT_TRUE(what);
  EXPECT_EQ(**what, "first");
  EXPECT_FALSE(*database->meta("whatever"));
  EXPECT_FALSE(fs::exists(dir / "db.staging"));
}

TEST(RunDatabase, ACommitThatIsNotFinishedLeavesNoTrace) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = open(dir / "db", budget);
  ASSERT_TRUE(database->create_family("a"));
  {
    Commit commit(*database);
    SortedWriter writer(commit, *database->find_family("a"));
    ASSERT_TRUE(writer.put(key(1), "one"));
    ASSERT_TRUE(writer.finish());
    commit.put_meta("what", "lost");
    commit.when_finished([] { FAIL(); });
    EXPECT_TRUE(fs::exists(dir / "db.staging"));
  }
  EXPECT_FALSE(fs::exists(dir / "db.staging"));
  EXPECT_EQ(get(*database, "a", 1), "none");
  EXPECT_FALSE(*database->meta("what"));
}

TEST(RunDatabase, FilesOfACommitThatACrashLeftAreRemoved) {
  const TempDir dir;
  MemoryBudget budget;
  dir.write("db.staging/0.sst", "half a file");
  auto database = open(dir / "db", budget);
  EXPECT_FALSE(fs::exists(dir / "db.staging"));
}

// One file of several cannot be read: none becomes part of the database.
TEST(RunDatabase, ACommitThatFailsIsNotThereInPart) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = open(dir / "db", budget);
  ASSERT_TRUE(database->create_family("a"));
  ASSERT_TRUE(database->create_family("b"));
  Commit commit(*database);
  for (const char* name : {"a", "b"}) {
    SortedWriter writer(commit, *database->find_family(name));
    ASSERT_TRUE(writer.put(key(1), "one"));
    ASSERT_TRUE(writer.finish());
  }
  fs::resize_file(dir / "db.staging" / "1.sst", 100);
  commit.when_finished([] { FAIL(); });
  EXPECT_FALSE(commit.finish());
  EXPECT_EQ(get(*database, "a", 1), "none");
  EXPECT_EQ(get(*database, "b", 1), "none");
}

TEST(RunDatabase, PagesAreJoined) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = open(dir / "db", budget);
  Family* const pages = *database->create_family("states.x");
  std::vector<PageEntry> all;
  for (std::uint64_t round = 0; round < 30; ++round) {
    Commit commit(*database);
    SortedWriter writer(commit, *pages);
    std::string run;
    const std::vector<PageEntry> entries = {{round * 7 % 30, round}};
    append_run(entries, 10, run);
    ASSERT_TRUE(writer.merge(key(1), run));
    ASSERT_TRUE(writer.finish());
    ASSERT_TRUE(commit.finish());
    all.push_back(entries[0]);
  }
  std::sort(all.begin(), all.end());
  std::string page;
  ASSERT_TRUE(*database->get(*pages, key(1), page));
  std::vector<PageEntry> decoded;
  ASSERT_TRUE(decode_page(page, 10, decoded));
  EXPECT_EQ(decoded, all);
  const auto s = database->compact(true);
  ASSERT_TRUE(s) << s.error().what;
  ASSERT_TRUE(*database->get(*pages, key(1), page));
  EXPECT_EQ(count_runs(page), 1u);
  ASSERT_TRUE(decode_page(page, 10, decoded));
  EXPECT_EQ(decoded, all);
  EXPECT_LE(database->statistics().files, 2u);
}

TEST(RunDatabase, CursorsWalkBothWays) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = open(dir / "db", budget);
  Family* const family = *database->create_family("a");
  Commit commit(*database);
  SortedWriter writer(commit, *family);
  for (int i = 0; i < 100; i += 10) ASSERT_TRUE(writer.put(key(i), std::to_string(i)));
  ASSERT_TRUE(writer.finish());
  ASSERT_TRUE(commit.finish());

  FamilyCursor cursor(*database, *family, {});
  cursor.seek(key(15));
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.value(), "20");
  cursor.previous();
  EXPECT_EQ(cursor.value(), "10");
  cursor.seek_for_previous(key(45));
  EXPECT_EQ(cursor.key(), key(40));
  cursor.next();
  EXPECT_EQ(cursor.key(), key(50));
  cursor.seek(key(95));
  EXPECT_FALSE(cursor.valid());
  EXPECT_TRUE(cursor.status());

  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.push_back(key(i));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<std::size_t> found;
  ASSERT_TRUE(database->get_many(*family, views, [&](std::size_t i, std::string_view value) {
    EXPECT_EQ(value, std::to_string(i));
    found.push_back(i);
    return Status(Done{});
  }));
  EXPECT_EQ(found, (std::vector<std::size_t>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}));
}

TEST(RunDatabase, TheBlockCacheStaysWithinItsLimit) {
  const TempDir dir;
  MemoryBudget budget(std::uint64_t{8} << 20);
  auto database = open(dir / "db", budget, {.block_cache_bytes = 3 << 20});
  EXPECT_EQ(budget.used(), std::uint64_t{3} << 20);
  Family* const family = *database->create_family("a");
  {
    Commit commit(*database);
    SortedWriter writer(commit, *family);
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(writer.put(key(i), std::string(5000, 'x')));
    ASSERT_TRUE(writer.finish());
    ASSERT_TRUE(commit.finish());
  }
  std::string value;
  for (const std::uint64_t limit : {3, 6, 2}) {
    ASSERT_TRUE(database->set_block_cache_bytes(limit << 20));
    EXPECT_EQ(budget.used(), limit << 20);
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(*database->get(*family, key(i), value));
    const auto used = database->statistics().block_cache_used;
    EXPECT_LE(used, limit << 20) << "I3";
    EXPECT_GT(used, limit << 19);
  }
  EXPECT_FALSE(database->set_block_cache_bytes(std::uint64_t{9} << 20));
  EXPECT_EQ(database->block_cache_bytes(), std::uint64_t{2} << 20);
  EXPECT_LT(database->statistics().table_reader_bytes + database->statistics().memtable_bytes,
            std::uint64_t{1} << 20);
}

TEST(RunDatabase, DamageIsReported) {
  const TempDir dir;
  MemoryBudget budget;
  {
    auto database = open(dir / "db", budget);
    Family* const family = *database->create_family("a");
    Commit commit(*database);
    SortedWriter writer(commit, *family);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer.put(key(i), std::string(1000, 'x')));
    ASSERT_TRUE(writer.finish());
    ASSERT_TRUE(commit.finish());
    EXPECT_TRUE(database->verify_checksums());
  }
  for (const auto& entry : fs::directory_iterator(dir / "db")) {
    if (entry.path().extension() != ".sst") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20000);
    file << "damage";
  }
  auto database = open(dir / "db", budget);
  const auto s = database->verify_checksums();
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Errc::kCorruption);
}

TEST(RunDatabase, WhatDoesNotExistCannotBeRead) {
  const TempDir dir;
  MemoryBudget budget;
  const auto database = RunDatabase::open(dir / "db", {.read_only = true}, budget);
  EXPECT_FALSE(database);
  EXPECT_FALSE(fs::exists(dir / "db"));
}

TEST(RunDatabase, HasOneWriter) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = open(dir / "db", budget);
  EXPECT_FALSE(RunDatabase::open(dir / "db", {}, budget));
  EXPECT_TRUE(RunDatabase::open(dir / "db", {.read_only = true}, budget));
}

}  // namespace
}  // namespace comback

#include "storage/disk_state_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::TempDir;
using Part = DiskStateTable::Part;

void on_two_threads(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::thread other([&] {
    for (std::size_t i = 1; i < tasks; i += 2) task(i);
  });
  for (std::size_t i = 0; i < tasks; i += 2) task(i);
  other.join();
}

// A table, and a multimap of what should be in it.
class Subject {
 public:
  Subject(const std::filesystem::path& folder, DiskStateTable::Options options)
      : folder_(folder), options_(options) {
    reopen();
  }

  void reopen() {
    table_.reset();
    database_.reset();
    auto database = RunDatabase::open(folder_, {}, budget_);
    ASSERT_TRUE(database) << database.error().what;
    database_ = std::move(*database);
    auto table = DiskStateTable::open(*database_, options_, budget_);
    ASSERT_TRUE(table) << table.error().what;
    table_ = std::move(*table);
    ASSERT_EQ(table_->committed(), committed_.size());
    oracle_ = committed_;
  }

  void insert(std::size_t count, std::mt19937_64& random) {
    std::vector<StateEntry> batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back({random(), table_->size() + i});
    for (const StateEntry& e : batch) oracle_.emplace(kept(e.hash), e.id);
    std::sort(batch.begin(), batch.end(),
              [](const auto& a, const auto& b) { return a.hash < b.hash; });
    ASSERT_TRUE(table_->insert(batch, on_two_threads));
  }

  void commit() {
    Commit commit(*database_);
    auto s = table_->stage(commit, on_two_threads);
    ASSERT_TRUE(s) << s.error().what;
    s = commit.finish();
    ASSERT_TRUE(s) << s.error().what;
    committed_ = oracle_;
    ASSERT_EQ(table_->committed(), oracle_.size());
    ASSERT_EQ(table_->delta().size(), 0u);
  }

  // Looks up `count` hashes, half of which are known, and a few equal ones.
  void check(std::size_t count, std::mt19937_64& random) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t hash = random();
      if (i % 2 == 0 && !oracle_.empty()) {
        const auto it = oracle_.lower_bound(kept(hash));
        if (it != oracle_.end()) hash = it->first << (64 - bits()) | (hash & low());
      }
      hashes.push_back(hash);
      if (i % 7 == 0) hashes.push_back(hash);
    }
    std::sort(hashes.begin(), hashes.end());
    std::vector<StateMatch> expected;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto [from, to] = oracle_.equal_range(kept(hashes[i]));
      const std::size_t before = expected.size();
      for (auto it = from; it != to; ++it) expected.push_back({i, it->second});
      std::sort(expected.begin() + static_cast<std::ptrdiff_t>(before), expected.end());
    }
    auto s = table_->lookup(hashes, Part::kAll, matches_);
    ASSERT_TRUE(s) << s.error().what;
    ASSERT_EQ(matches_.found, expected) << "I1";
    // The two parts are what all is made of.
    std::vector<StateMatch> parts;
    for (const Part part : {Part::kCommitted, Part::kUncommitted}) {
      ASSERT_TRUE(table_->lookup(hashes, part, matches_));
      parts.insert(parts.end(), matches_.found.begin(), matches_.found.end());
    }
    std::sort(parts.begin(), parts.end());
    ASSERT_EQ(parts, expected);
  }

  DiskStateTable& table() { return *table_; }
  RunDatabase& database() { return *database_; }
  MemoryBudget& budget() { return budget_; }
  const auto& oracle() const { return oracle_; }

 private:
  unsigned bits() const { return options_.hash_bits; }
  std::uint64_t low() const { return bits() == 64 ? 0 : ~std::uint64_t{0} >> bits(); }
  std::uint64_t kept(std::uint64_t hash) const { return hash >> (64 - bits()); }

  std::filesystem::path folder_;
  DiskStateTable::Options options_;
  MemoryBudget budget_;
  std::unique_ptr<RunDatabase> database_;
  std::unique_ptr<DiskStateTable> table_;
  std::multimap<std::uint64_t, std::uint64_t> oracle_;
  std::multimap<std::uint64_t, std::uint64_t> committed_;
  DiskStateTable::Matches matches_;
};

struct Case {
  unsigned hash_bits;
  std::uint64_t page_entries;
  std::size_t batch;
  std::uint64_t filter_bytes;
};

class DiskStateTableProperty : public ::testing::TestWithParam<Case> {};

// Through splits, many commits, compaction, filters and reopening, lookups agree with a multimap.
TEST_P(DiskStateTableProperty, AgreesWithAMultimap) {
  const Case c = GetParam();
  const TempDir dir;
  std::mt19937_64 random(c.hash_bits);
  Subject subject(dir / "db", {.hash_bits = c.hash_bits, .page_entries = c.page_entries});
  ASSERT_TRUE(subject.table().resize_filter(c.filter_bytes, on_two_threads));
  for (int round = 0; round < 16; ++round) {
    SCOPED_TRACE(round);
    subject.insert(c.batch, random);
    subject.insert(random() % 20, random);
    subject.check(300, random);
    if (round % 5 == 3) continue;
    subject.commit();
    subject.check(round % 2 == 0 ? 5 : 400, random);
    if (round % 6 == 5) {
      subject.reopen();
      subject.check(300, random);
      ASSERT_TRUE(subject.table().resize_filter(c.filter_bytes * 2, on_two_threads));
    }
    if (round == 10) {
      ASSERT_TRUE(subject.database().compact(true));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  subject.commit();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> walked;
  ASSERT_TRUE(subject.table().for_each_committed([&](std::uint64_t hash, std::uint64_t id) {
    walked.push_back({hash, id});
  }));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all(subject.oracle().begin(),
                                                           subject.oracle().end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(walked, all);
  const auto counters = subject.table().counters();
  EXPECT_GT(counters.pages_read + counters.pages_walked, 0u);
  if (c.filter_bytes > 0 && c.hash_bits > 8) {  // every hash of 8 bits is there
    EXPECT_GT(counters.filtered, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DiskStateTableProperty,
                         ::testing::Values(Case{8, 64, 100, 0}, Case{8, 4, 100, 4096},
                                           Case{34, 4, 300, 0}, Case{34, 8, 1000, 16384},
                                           Case{20, 2048, 3000, 0}, Case{40, 100, 10, 4096},
                                           Case{64, 16, 500, 0}, Case{12, 1, 200, 4096}));

TEST(DiskStateTable, PagesAreSplitAsTheTableGrows) {
  const TempDir dir;
  std::mt19937_64 random(3);
  Subject subject(dir / "db", {.hash_bits = 34, .page_entries = 16});
  std::vector<unsigned> page_bits;
  for (int round = 0; round < 12; ++round) {
    subject.insert(std::size_t{10} << round / 2 * 2, random);
    subject.commit();
    page_bits.push_back(subject.table().page_bits());
    EXPECT_LT(subject.table().size() >> page_bits.back(), 16u);
    EXPECT_EQ(subject.database().families("states.").size(), 1u) << "the old one is dropped";
  }
  EXPECT_GE(page_bits.back(), page_bits.front() + 8);
  subject.check(1000, random);
}

TEST(DiskStateTable, ACommitThatIsNotFinishedLeavesNoTrace) {
  const TempDir dir;
  std::mt19937_64 random(4);
  Subject subject(dir / "db", {.hash_bits = 34, .page_entries = 64});
  subject.insert(1000, random);
  subject.commit();
  subject.insert(3000, random);
  {
    Commit commit(subject.database());
    ASSERT_TRUE(subject.table().stage(commit, on_two_threads));
  }
  subject.check(300, random);  // still there, uncommitted
  subject.reopen();            // expects what was committed, and no more (I2)
  subject.check(300, random);
  subject.insert(5000, random);
  subject.commit();
  subject.check(300, random);
}

TEST(DiskStateTable, AFewHashesAreLookedUpOneByOneAndManyInOneWalk) {
  const TempDir dir;
  std::mt19937_64 random(5);
  Subject subject(dir / "db", {.hash_bits = 34, .page_entries = 32});
  subject.insert(200000, random);
  subject.commit();
  const std::uint64_t pages = std::uint64_t{1} << subject.table().page_bits();

  DiskStateTable::Matches matches;
  std::vector<std::uint64_t> hashes;
  const auto look_up = [&](std::size_t count) {
    hashes.clear();
    for (std::size_t i = 0; i < count; ++i) hashes.push_back(random());
    std::sort(hashes.begin(), hashes.end());
    const auto before = subject.table().counters();
    ASSERT_TRUE(subject.table().lookup(hashes, Part::kCommitted, matches));
    const auto after = subject.table().counters();
    if (count <= 10) {
      EXPECT_EQ(after.pages_read - before.pages_read, count);
      EXPECT_EQ(after.pages_walked, before.pages_walked);
    } else {
      EXPECT_GT(after.pages_walked - before.pages_walked, pages / 2);
    }
  };
  look_up(10);
  look_up(200000);
  look_up(3);
}

// Several threads ask at the same time, each for hashes of its own.
TEST(DiskStateTable, ThreadsLookUpAtTheSameTime) {
  const TempDir dir;
  std::mt19937_64 random(6);
  Subject subject(dir / "db", {.hash_bits = 34, .page_entries = 64});
  subject.insert(20000, random);
  subject.commit();
  subject.insert(20000, random);
  ASSERT_TRUE(subject.table().resize_filter(1 << 16, on_two_threads));
  std::vector<std::uint64_t> hashes;
  for (const auto& [hash, id] : subject.oracle()) hashes.push_back(hash << 30);
  std::vector<std::size_t> found(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      const std::span<const std::uint64_t> all = hashes;
      DiskStateTable::Matches matches;
      const auto s = subject.table().lookup(all.subspan(t * hashes.size() / 4, hashes.size() / 4),
                                            Part::kAll, matches);
      if (s) found[t] = matches.found.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t n : found) EXPECT_GE(n, hashes.size() / 4);
}

TEST(DiskStateTable, ReadersOfAnotherProcessSeeTheLastCommit) {
  const TempDir dir;
  std::mt19937_64 random(7);
  Subject subject(dir / "db", {.hash_bits = 34, .page_entries = 64});
  subject.insert(1000, random);
  subject.commit();
  subject.insert(1000, random);

  MemoryBudget budget;
  auto database = RunDatabase::open(dir / "db", {.read_only = true}, budget);
  ASSERT_TRUE(database) << database.error().what;
  auto table = DiskStateTable::open(**database, {}, budget);
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ((*table)->size(), 1000u);
  EXPECT_EQ((*table)->hash_bits(), 34u);
  subject.commit();  // drops the pages that the reader reads
  std::uint64_t walked = 0;
  ASSERT_TRUE((*table)->for_each_committed([&](std::uint64_t, std::uint64_t) { ++walked; }));
  EXPECT_EQ(walked, 1000u);
}

TEST(DiskStateTable, HashesOfImpossibleWidthAreRefused) {
  const TempDir dir;
  MemoryBudget budget;
  auto database = RunDatabase::open(dir / "db", {}, budget);
  ASSERT_TRUE(database);
  for (const unsigned bits : {0u, 7u, 65u}) {
    const auto table = DiskStateTable::open(**database, {.hash_bits = bits}, budget);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().code, Errc::kInvalidArgument);
  }
}

}  // namespace
}  // namespace comback

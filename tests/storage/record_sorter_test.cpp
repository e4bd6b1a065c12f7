#include "storage/record_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/support/bytes.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::TempDir;

struct Records {
  std::size_t payload_bytes = 0;
  std::vector<std::uint64_t> keys;
  Bytes payloads;

  void add(std::uint64_t key, std::span<const std::byte> payload) {
    keys.push_back(key);
    payloads.insert(payloads.end(), payload.begin(), payload.end());
  }
  std::span<const std::byte> payload(std::size_t i) const {
    return {payloads.data() + i * payload_bytes, payload_bytes};
  }
  Records sorted() const {
    std::vector<std::size_t> order(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (keys[a] != keys[b]) return keys[a] < keys[b];
      return payload_bytes > 0 &&
             std::memcmp(payload(a).data(), payload(b).data(), payload_bytes) < 0;
    });
    Records result;
    result.payload_bytes = payload_bytes;
    for (const std::size_t i : order) result.add(keys[i], payload(i));
    return result;
  }
};

enum class Keys { kHashes, kSmall, kFew, kEqual, kSkewed };

Records make(std::size_t n, std::size_t payload_bytes, Keys kind, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Records records;
  records.payload_bytes = payload_bytes;
  Bytes payload(payload_bytes);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t key = random();
    switch (kind) {
      case Keys::kHashes:
        break;
      case Keys::kSmall:
        key = 1000000 + key % 5000;
        break;
      case Keys::kFew:
        key = key % 7 * 0x2000000000000001;
        break;
      case Keys::kEqual:
        key = ~std::uint64_t{0};
        break;
      case Keys::kSkewed:
        key >>= random() % 64;
        break;
    }
    for (std::byte& b : payload) b = static_cast<std::byte>(random() % 3);
    records.add(key, payload);
  }
  return records;
}

// All slices, one behind the other. Checks that no key is in two of them.
Records read_all(const RecordSorter& sorter, std::size_t payload_bytes) {
  Records all;
  all.payload_bytes = payload_bytes;
  SliceBuffer slice;
  for (std::size_t i = 0; i < sorter.slice_count(); ++i) {
    auto read = sorter.read_slice(i, slice);
    EXPECT_TRUE(read) << read.error().what;
    if (!read) return all;
    if (slice.size() > 0 && !all.keys.empty()) {
      EXPECT_LT(all.keys.back(), slice.keys()[0]);
    }
    for (std::size_t r = 0; r < slice.size(); ++r) {
      all.add(slice.keys()[r], {slice.payloads() + r * payload_bytes, payload_bytes});
    }
  }
  return all;
}

void expect_equal(const Records& got, const Records& expected) {
  ASSERT_EQ(got.keys.size(), expected.keys.size());
  EXPECT_TRUE(got.keys == expected.keys);
  EXPECT_TRUE(got.payloads == expected.payloads);
}

class RecordSorterProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(RecordSorterProperty, AgreesWithStdSort) {
  std::mt19937_64 random(GetParam());
  const TempDir dir;
  RecordSorter::Options options;
  const std::size_t widths[] = {0, 1, 8, 23, 100};
  const std::uint64_t shares[] = {5000, 40000, 400000, std::uint64_t{16} << 20};
  options.payload_bytes = widths[random() % 5];
  options.share_bytes = shares[random() % 4];
  options.lanes = 1 + random() % 3;
  options.readers = 1 + random() % 2;
  options.dir = dir / "spill";
  options.io = random() % 2 == 0 ? IoKind::kPread : IoKind::kAuto;
  MemoryBudget budget;
  {
    RecordSorter sorter(options, budget);
    for (int round = 0; round < 3; ++round) {  // reused after clear()
      const auto kind = static_cast<Keys>(random() % 5);
      SCOPED_TRACE("keys " + std::to_string(static_cast<int>(kind)) + " share " +
                   std::to_string(options.share_bytes) + " width " +
                   std::to_string(options.payload_bytes));
      const std::size_t most = options.share_bytes < 10000 ? 3000 : 20000;
      const Records records = make(random() % most, options.payload_bytes, kind, random());
      if (random() % 2 == 0) {
        sorter.expect_keys(900000, 1100000);
      } else {
        sorter.expect_keys(0, ~std::uint64_t{0});
      }
      for (std::size_t i = 0; i < records.keys.size();) {
        const std::size_t n = std::min<std::size_t>(random() % 100, records.keys.size() - i);
        ASSERT_TRUE(sorter.add(random() % options.lanes, std::span(records.keys).subspan(i, n),
                               records.payloads.data() + i * options.payload_bytes));
        i += n;
      }
      ASSERT_EQ(sorter.size(), records.keys.size());
      ASSERT_TRUE(sorter.finish());
      ASSERT_NO_FATAL_FAILURE(
          expect_equal(read_all(sorter, options.payload_bytes), records.sorted()));
      sorter.clear();
      EXPECT_EQ(sorter.size(), 0u);
      EXPECT_TRUE(!fs::exists(options.dir) || fs::is_empty(options.dir));
    }
  }
  EXPECT_EQ(budget.used(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RecordSorterProperty, ::testing::Range(0u, 60u));

RecordSorter::Options tiny(const TempDir& dir, std::size_t payload_bytes = 24) {
  RecordSorter::Options options;
  options.payload_bytes = payload_bytes;
  options.share_bytes = 64 << 10;
  options.dir = dir.path();
  return options;
}

Status add_all(RecordSorter& sorter, const Records& records) {
  return sorter.add(0, records.keys, records.payloads.data());
}

TEST(RecordSorter, WritesNothingWhileRecordsFit) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter::Options options = tiny(dir);
  options.share_bytes = 1 << 20;
  RecordSorter sorter(options, budget);
  const Records records = make(20000, 24, Keys::kHashes, 1);
  ASSERT_TRUE(add_all(sorter, records));
  ASSERT_TRUE(sorter.finish());
  EXPECT_GT(sorter.slice_count(), 4u);
  EXPECT_EQ(sorter.runs(), 0u);
  EXPECT_EQ(sorter.spilled_bytes(), 0u);
  EXPECT_TRUE(fs::is_empty(dir.path()));
  expect_equal(read_all(sorter, 24), records.sorted());
}

TEST(RecordSorter, NoRecordsAreNoSlices) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter sorter(tiny(dir), budget);
  ASSERT_TRUE(sorter.add(0, {}, nullptr));
  ASSERT_TRUE(sorter.finish());
  EXPECT_EQ(sorter.slice_count(), 0u);
}

TEST(RecordSorter, EqualKeysStayTogetherHoweverMany) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter sorter(tiny(dir), budget);
  const Records records = make(30000, 24, Keys::kEqual, 1);
  ASSERT_TRUE(add_all(sorter, records));
  ASSERT_TRUE(sorter.finish());
  EXPECT_GT(sorter.runs(), 5u);
  EXPECT_EQ(sorter.slice_count(), 1u);
  expect_equal(read_all(sorter, 24), records.sorted());
}

// Memory does not grow with the number of records: runs and slices do.
TEST(RecordSorter, StaysWithinItsShareWhateverIsAdded) {
  const TempDir dir;
  const std::uint64_t share = 1 << 20;
  for (const std::size_t n : {100000, 400000}) {
    MemoryBudget budget;
    RecordSorter::Options options = tiny(dir);
    options.share_bytes = share;
    RecordSorter sorter(options, budget);
    std::mt19937_64 random(5);
    Bytes payload(24);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t key = random();
      std::memcpy(payload.data(), &i, sizeof i);
      ASSERT_TRUE(sorter.add(0, {&key, 1}, payload.data()));
      ASSERT_LE(sorter.memory_bytes(), share + (2 << 20)) << "two MiB for zstd and buffers";
    }
    ASSERT_TRUE(sorter.finish());
    EXPECT_EQ(sorter.size(), n);
    EXPECT_GT(sorter.runs(), n / 40000);
    SliceBuffer slice;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sorter.slice_count(); ++i) {
      ASSERT_TRUE(sorter.read_slice(i, slice));
      EXPECT_LE(slice.memory_bytes(), share + (share >> 1)) << "slice " << i;
      sum += slice.size();
    }
    EXPECT_EQ(sum, n);
    EXPECT_LE(budget.peak(), share + (share >> 1));
  }
}

TEST(RecordSorter, SpillsEarlyWhereTheBudgetIsUsedUp) {
  const TempDir dir;
  MemoryBudget budget(std::uint64_t{5} << 20);
  RecordSorter::Options options = tiny(dir);
  options.share_bytes = std::uint64_t{64} << 20;
  RecordSorter sorter(options, budget);
  const Records records = make(300000, 24, Keys::kHashes, 1);
  ASSERT_TRUE(add_all(sorter, records));
  EXPECT_GT(sorter.runs(), 1u);
  ASSERT_TRUE(sorter.finish());
  expect_equal(read_all(sorter, 24), records.sorted());

  MemoryBudget none(1000);
  RecordSorter starved(options, none);
  auto added = add_all(starved, records);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::kOutOfMemory);
}

// at.4 and bakery.5 failed within 64 MB: the window of newest states had all that was left.
TEST(RecordSorter, SortsWithItsOwnMemoryWhereOthersLeaveNone) {
  const TempDir dir;
  MemoryBudget budget(std::uint64_t{5} << 20);
  RecordSorter::Options options = tiny(dir);
  options.share_bytes = 3 << 20;
  RecordSorter sorter(options, budget);
  ASSERT_TRUE(budget.take(budget.left()));
  const Records records = make(50000, 24, Keys::kHashes, 6);
  for (int round = 0; round < 2; ++round) {
    const Status added = sorter.add(0, records.keys, records.payloads.data());
    ASSERT_TRUE(added) << added.error().what;
    ASSERT_TRUE(sorter.finish());
    EXPECT_GT(sorter.runs(), 1u);
    expect_equal(read_all(sorter, 24), records.sorted());
    sorter.clear();
    sorter.release_memory();  // not its own
  }
  budget.give(budget.limit() - sorter.memory_bytes());
}

TEST(RecordSorter, LanesAndReadersWorkInParallel) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter::Options options = tiny(dir);
  options.share_bytes = 256 << 10;
  options.lanes = 3;
  options.readers = 3;
  RecordSorter sorter(options, budget);
  Records all;
  all.payload_bytes = 24;
  std::vector<Records> parts;
  for (unsigned lane = 0; lane < 3; ++lane) {
    parts.push_back(make(20000, 24, Keys::kHashes, lane));
    for (std::size_t i = 0; i < 20000; ++i) all.add(parts[lane].keys[i], parts[lane].payload(i));
  }
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < 3; ++lane) {
    threads.emplace_back([&, lane] {
      EXPECT_TRUE(sorter.add(lane, parts[lane].keys, parts[lane].payloads.data()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(sorter.finish());
  ASSERT_GT(sorter.slice_count(), 10u);
  std::vector<Records> slices(sorter.slice_count());
  threads.clear();
  for (unsigned reader = 0; reader < 3; ++reader) {
    threads.emplace_back([&, reader] {
      SliceBuffer slice;
      for (std::size_t i = reader; i < slices.size(); i += 3) {
        ASSERT_TRUE(sorter.read_slice(i, slice));
        slices[i].keys.assign(slice.keys().begin(), slice.keys().end());
        slices[i].payloads.assign(slice.payloads(), slice.payloads() + slice.size() * 24);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Records got;
  for (const Records& slice : slices) {
    got.keys.insert(got.keys.end(), slice.keys.begin(), slice.keys.end());
    got.payloads.insert(got.payloads.end(), slice.payloads.begin(), slice.payloads.end());
  }
  expect_equal(got, all.sorted());
}

TEST(RecordSorter, DamagedRunsAreErrorsThatNameFileAndOffset) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter sorter(tiny(dir), budget);
  ASSERT_TRUE(add_all(sorter, make(5000, 24, Keys::kHashes, 1)));
  ASSERT_TRUE(sorter.finish());
  const fs::path file = dir / "sort-000";
  const std::uint64_t bytes = fs::file_size(file);
  ASSERT_EQ(bytes, sorter.spilled_bytes());
  SliceBuffer slice;
  const auto first_error = [&]() -> std::optional<Error> {
    for (std::size_t i = 0; i < sorter.slice_count(); ++i) {
      if (auto read = sorter.read_slice(i, slice); !read) return read.error();
    }
    return std::nullopt;
  };
  const auto expect_named = [&](const std::optional<Error>& error) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, Errc::kCorruption);
    EXPECT_NE(error->what.find(file.string()), std::string::npos) << error->what;
    EXPECT_NE(error->what.find("offset"), std::string::npos) << error->what;
  };
  for (std::uint64_t at = 0; at < bytes; at += 997) {
    SCOPED_TRACE("byte " + std::to_string(at));
    test::flip_byte(file, at);
    ASSERT_NO_FATAL_FAILURE(expect_named(first_error()));
    test::flip_byte(file, at);
  }
  ASSERT_FALSE(first_error());
  for (std::uint64_t n = bytes - 1;; n -= n / 20 + 1) {
    SCOPED_TRACE(std::to_string(n) + " bytes");
    fs::resize_file(file, n);
    ASSERT_NO_FATAL_FAILURE(expect_named(first_error()));
    if (n == 0) break;
  }
}

TEST(RecordSorter, AFailedSpillIsAnErrorAndClearStartsAnew) {
  const TempDir dir;
  MemoryBudget budget;
  RecordSorter::Options options = tiny(dir);
  options.dir = dir.write("not-a-directory", "") / "spill";
  RecordSorter sorter(options, budget);
  auto added = add_all(sorter, make(5000, 24, Keys::kHashes, 1));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what.find("not-a-directory"), std::string::npos);
  sorter.clear();
  const Records few = make(100, 24, Keys::kHashes, 2);
  ASSERT_TRUE(add_all(sorter, few));
  ASSERT_TRUE(sorter.finish());
  expect_equal(read_all(sorter, 24), few.sorted());
}

TEST(RadixSort, SortsKeysOfEveryDistribution) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = random() % (round % 10 == 0 ? 20000 : 300);
    const Records records = make(n, 4, static_cast<Keys>(round % 5), random());
    std::vector<SortItem> items(n);
    std::vector<SortItem> scratch(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = {records.keys[i], records.payload(i).data()};
    sort_items(items, scratch.data(), 4);
    const Records expected = records.sorted();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(items[i].key, expected.keys[i]);
      ASSERT_EQ(std::memcmp(items[i].payload, expected.payload(i).data(), 4), 0);
    }
  }
}

}  // namespace
}  // namespace comback

#include "storage/hash_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace comback {
namespace {

using Entries = std::vector<PageEntry>;

std::uint64_t low_mask(unsigned bits) {
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

struct Shape {
  std::size_t count;
  unsigned suffix_bits;
  unsigned id_bits;
};

Entries random_entries(const Shape& shape, std::mt19937_64& random) {
  Entries entries;
  const std::uint64_t base = shape.id_bits == 64 ? 0 : random() % 1000;
  for (std::size_t i = 0; i < shape.count; ++i) {
    entries.push_back(
        {random() & low_mask(shape.suffix_bits), base + (random() & low_mask(shape.id_bits))});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string packed(const Entries& entries, unsigned suffix_bits) {
  std::string page;
  append_run(entries, suffix_bits, page);
  return page;
}

// The ids under a suffix, as a page's runs give them; sorted.
std::vector<std::uint64_t> ids_of(std::string_view page, std::uint64_t suffix, bool& corrupt) {
  std::vector<std::uint64_t> ids;
  while (!page.empty() && !corrupt) {
    const auto run = PageRun::take(page);
    corrupt = !run || !PageRun::Cursor(*run).find(suffix, [&](auto id) { ids.push_back(id); });
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

class HashPageShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(HashPageShapes, GivesBackWhatWasPacked) {
  std::mt19937_64 random(7);
  const Shape shape = GetParam();
  const Entries entries = random_entries(shape, random);
  const std::string page = packed(entries, shape.suffix_bits);

  Entries decoded;
  ASSERT_TRUE(decode_page(page, shape.suffix_bits, decoded));
  EXPECT_EQ(decoded, entries);
  EXPECT_FALSE(decode_page(page, shape.suffix_bits ^ 1, decoded)) << "other suffix bits";
}

TEST_P(HashPageShapes, FindsTheIdsOfEverySuffixInOneWalk) {
  std::mt19937_64 random(8);
  const Shape shape = GetParam();
  const Entries entries = random_entries(shape, random);
  const std::string page = packed(entries, shape.suffix_bits);

  std::multimap<std::uint64_t, std::uint64_t> oracle;
  std::vector<std::uint64_t> questions = {0, low_mask(shape.suffix_bits)};
  for (const PageEntry& e : entries) {
    oracle.emplace(e.suffix, e.id);
    questions.push_back(e.suffix);
    questions.push_back((e.suffix + 1) & low_mask(shape.suffix_bits));
    questions.push_back(random() & low_mask(shape.suffix_bits));
  }
  std::sort(questions.begin(), questions.end());
  std::string_view rest = page;
  const auto run = PageRun::take(rest);
  ASSERT_TRUE(run);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(run->size(), entries.size());
  PageRun::Cursor cursor(*run);
  for (const std::uint64_t suffix : questions) {
    std::vector<std::uint64_t> found;
    ASSERT_TRUE(cursor.find(suffix, [&](std::uint64_t id) { found.push_back(id); }));
    std::vector<std::uint64_t> expected;
    const auto [from, to] = oracle.equal_range(suffix);
    for (auto it = from; it != to; ++it) expected.push_back(it->second);
    ASSERT_EQ(found, expected) << "suffix " << suffix;
    bool corrupt = false;
    ASSERT_EQ(ids_of(page, suffix, corrupt), expected) << "on its own";
  }
}

TEST_P(HashPageShapes, AnEntryTakesThreeBitsMoreThanItsInformation) {
  std::mt19937_64 random(9);
  const Shape shape = GetParam();
  const Entries entries = random_entries(shape, random);
  const double suffix =
      std::max(0.0, shape.suffix_bits - std::log2(static_cast<double>(shape.count)));
  const double bits = static_cast<double>(shape.count) * (suffix + 3 + shape.id_bits);
  EXPECT_LE(static_cast<double>(packed(entries, shape.suffix_bits).size()), bits / 8 + 24);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HashPageShapes,
                         ::testing::Values(Shape{1, 0, 0}, Shape{1, 64, 64}, Shape{3, 64, 64},
                                           Shape{1, 20, 30}, Shape{2, 1, 1}, Shape{100, 0, 20},
                                           Shape{100, 3, 20}, Shape{1000, 20, 24},
                                           Shape{1024, 21, 30}, Shape{2047, 33, 40},
                                           Shape{5000, 57, 57}, Shape{600, 60, 7},
                                           Shape{4096, 12, 5}));

TEST(HashPage, RunsSideBySideFoldIntoOne) {
  std::mt19937_64 random(10);
  std::string page;
  Entries all;
  for (const std::size_t count : {700, 1, 30, 200, 5}) {
    const Entries entries = random_entries({count, 14, 20}, random);
    append_run(entries, 14, page);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(count_runs(page), 5u);
  Entries decoded;
  ASSERT_TRUE(decode_page(page, 14, decoded));
  EXPECT_EQ(decoded, all);

  std::string folded;
  ASSERT_TRUE(fold_page(page, folded));
  EXPECT_EQ(count_runs(folded), 1u);
  EXPECT_EQ(folded, packed(all, 14));
  EXPECT_LT(folded.size(), page.size());
}

TEST(HashPage, AnEmptyPageHasNothing) {
  Entries decoded = {{1, 2}};
  EXPECT_TRUE(decode_page("", 10, decoded));
  EXPECT_TRUE(decoded.empty());
  EXPECT_EQ(count_runs(""), 0u);
}

TEST(HashPage, EveryTruncationIsNoticed) {
  std::mt19937_64 random(11);
  const std::string page = packed(random_entries({300, 25, 20}, random), 25);
  for (std::size_t size = 1; size < page.size(); ++size) {
    const std::string cut = page.substr(0, size);  // of its own, for the sanitizer
    Entries decoded;
    EXPECT_FALSE(decode_page(cut, 25, decoded)) << size;
    EXPECT_FALSE(count_runs(cut)) << size;
    std::string folded;
    EXPECT_FALSE(fold_page(cut, folded)) << size;
  }
}

// Whatever the bytes are, reading them ends, and stays inside (which the sanitizers check).
TEST(HashPage, DoctoredBytesAreSurvived) {
  std::mt19937_64 random(12);
  std::size_t noticed = 0;
  for (int round = 0; round < 20000; ++round) {
    const unsigned suffix_bits = round % 2 == 0 ? 25 : 64;
    const std::size_t count = 1 + random() % 60;
    std::string page = packed(random_entries({count, suffix_bits, 20}, random), suffix_bits);
    if (round % 3 == 0) page += packed(random_entries({9, suffix_bits, 9}, random), suffix_bits);
    for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      const std::size_t at = random() % 2 == 0 ? random() % std::min<std::size_t>(page.size(), 12)
                                               : random() % page.size();
      page[at] = static_cast<char>(random());
    }
    page.shrink_to_fit();
    Entries decoded;
    if (!decode_page(page, suffix_bits, decoded)) ++noticed;
    std::string_view rest = page;
    while (!rest.empty()) {
      const auto run = PageRun::take(rest);
      if (!run) break;
      PageRun::Cursor cursor(*run);
      std::vector<std::uint64_t> suffixes;
      for (int i = 0; i < 20; ++i) suffixes.push_back(random() & low_mask(run->suffix_bits()));
      std::sort(suffixes.begin(), suffixes.end());
      for (const std::uint64_t suffix : suffixes) {
        if (!cursor.find(suffix, [](std::uint64_t) {})) break;
      }
    }
  }
  EXPECT_GT(noticed, 5000u);
}

}  // namespace
}  // namespace comback

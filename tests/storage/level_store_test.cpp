#include "storage/level_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "storage/level_block.h"
#include "tests/support/bytes.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::TempDir;

constexpr std::size_t kWidth = 10;

Bytes descriptor(std::uint64_t id) { return test::random_bytes(kWidth, id, 5); }

// Writes a level of `count` descriptors in blocks of `per_block`.
void write_level(LevelStore& store, bool keep, std::uint64_t count, std::uint64_t per_block = 16) {
  LevelBlockEncoder encoder;
  ASSERT_TRUE(store.begin_level(keep));
  std::uint64_t id = store.next_id();
  for (const std::uint64_t end = id + count; id < end;) {
    const std::uint64_t n = std::min(per_block, end - id);
    Bytes rows;
    for (std::uint64_t i = 0; i < n; ++i) {
      const Bytes d = descriptor(id + i);
      rows.insert(rows.end(), d.begin(), d.end());
    }
    ASSERT_TRUE(
        store.append_block(encoder.encode(rows.data(), n, kWidth), static_cast<std::uint32_t>(n)));
    id += n;
  }
  ASSERT_TRUE(store.end_level());
}

// The level's descriptors are there and right.
void check_level(const LevelStore& store, std::uint32_t level) {
  SCOPED_TRACE("level " + std::to_string(level));
  LevelBlockDecoder decoder;
  const LevelStore::Blocks blocks = store.blocks(level);
  std::uint64_t id = store.first_id(level);
  for (const LevelStore::Block& block : blocks.blocks) {
    ASSERT_EQ(block.first_id, id) << "I2";
    Bytes stored(block.bytes);
    ASSERT_TRUE(blocks.file->read_at(block.offset, stored));
    Bytes rows(block.count * kWidth);
    auto decoded = decoder.decode(stored, block.count, kWidth, rows.data());
    ASSERT_TRUE(decoded) << decoded.error().what;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const Bytes expected = descriptor(id + i);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), rows.data() + i * kWidth)) << id + i;
    }
    auto found = store.find_block(id + block.count - 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->level, level);
    EXPECT_EQ(found->file, blocks.file);
    EXPECT_EQ(found->block.offset, block.offset);
    id += block.count;
  }
  ASSERT_EQ(id, store.first_id(level + 1)) << "I2";
}

std::size_t file_count(const fs::path& dir) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(dir), fs::directory_iterator()));
}

std::uint64_t file_bytes(const fs::path& dir) {
  std::uint64_t sum = 0;
  for (const auto& entry : fs::directory_iterator(dir)) sum += entry.file_size();
  return sum;
}

TEST(LevelStore, HoldsLevelsAndAnswersForIds) {
  const TempDir dir;
  auto store = LevelStore::create(dir / "levels", kWidth, {});
  ASSERT_TRUE(store) << store.error().what;
  const std::uint64_t counts[] = {1, 5, 100, 16, 3000, 17};
  for (std::uint32_t l = 0; l < 6; ++l) {
    ASSERT_NO_FATAL_FAILURE(write_level(*store, l % 2 == 0, counts[l]));
    for (std::uint32_t i = 0; i <= l; ++i) ASSERT_NO_FATAL_FAILURE(check_level(*store, i));
  }
  EXPECT_EQ(store->levels(), 6u);
  EXPECT_EQ(store->next_id(), 3139u);
  EXPECT_EQ(store->level_of(0), 0u);
  EXPECT_EQ(store->level_of(5), 1u);
  EXPECT_EQ(store->level_of(6), 2u);
  EXPECT_EQ(store->level_of(3138), 5u);
  EXPECT_FALSE(store->find_block(3139));
  EXPECT_EQ(file_count(dir / "levels"), 4u) << "one segment and three levels";
  EXPECT_EQ(store->bytes(), file_bytes(dir / "levels"));
  EXPECT_GE(store->bytes_written(), store->bytes());

  EXPECT_EQ(store->nearest_kept(5), 4u);
  EXPECT_EQ(store->nearest_kept(4), 4u);
  ASSERT_TRUE(store->drop_level(4));
  EXPECT_EQ(store->nearest_kept(5), 2u);
  EXPECT_EQ(file_count(dir / "levels"), 4u) << "the segment has other levels";
  ASSERT_TRUE(store->drop_level(3));
  EXPECT_EQ(file_count(dir / "levels"), 3u);
  EXPECT_FALSE(store->find_block(store->first_id(3)));
  EXPECT_TRUE(store->blocks(3).blocks.empty());
  EXPECT_EQ(store->level_of(store->first_id(3)), 3u) << "where a dropped level was is known";
  ASSERT_NO_FATAL_FAILURE(check_level(*store, 2));
}

TEST(LevelStore, FreesASegmentWhenAllItsLevelsAreDropped) {
  const TempDir dir;
  LevelStore::Options options;
  options.segment_bytes = 1000;
  auto store = LevelStore::create(dir.path(), kWidth, options);
  ASSERT_TRUE(store);
  for (std::uint32_t l = 0; l < 20; ++l) ASSERT_NO_FATAL_FAILURE(write_level(*store, true, 30));
  const std::size_t files = file_count(dir.path());
  EXPECT_GT(files, 2u);
  EXPECT_LT(files, 10u);
  std::size_t before = files;
  for (std::uint32_t l = 0; l < 20; ++l) {
    ASSERT_TRUE(store->drop_level(l));
    for (std::uint32_t i = l + 1; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(check_level(*store, i));
    EXPECT_LE(file_count(dir.path()), before);
    before = file_count(dir.path());
  }
  EXPECT_LE(before, 1u) << "only the segment that more levels go to";
}

TEST(LevelStore, TheIndexIsSmall) {
  const TempDir dir;
  auto store = LevelStore::create(dir.path(), kWidth, {});
  ASSERT_TRUE(store);
  ASSERT_NO_FATAL_FAILURE(write_level(*store, true, 10000, 1));
  EXPECT_LE(store->index_bytes(), 10000u * 24 + 1000);
}

TEST(LevelStore, ReopensAsItWasAtTheCheckpoint) {
  const TempDir dir;
  LevelStore::Options options;
  options.segment_bytes = 3000;
  LevelStore::Contents contents;
  {
    auto store = LevelStore::create(dir.path(), kWidth, options);
    ASSERT_TRUE(store);
    for (std::uint32_t l = 0; l < 12; ++l) {
      ASSERT_NO_FATAL_FAILURE(write_level(*store, l % 3 != 1, 1 + l * 20));
      if (l == 3) {
        ASSERT_TRUE(store->checkpoint()) << "footers in the middle of a segment";
      }
      if (l % 3 == 2 && l < 11) {
        ASSERT_TRUE(store->drop_level(l - 1));
      }
    }
    auto made = store->checkpoint();
    ASSERT_TRUE(made) << made.error().what;
    contents = *made;
    ASSERT_TRUE(store->remove_dropped());
    // What happens after it must not matter: more levels, one of them in a checkpointed segment,
    // and files of the checkpoint dropped.
    ASSERT_NO_FATAL_FAILURE(write_level(*store, true, 100));
    ASSERT_NO_FATAL_FAILURE(write_level(*store, false, 100));
    ASSERT_TRUE(store->drop_level(10));
  }
  for (const bool read_only : {true, false}) {
    options.read_only = read_only;
    const std::uint64_t before = file_bytes(dir.path());
    auto store = LevelStore::open(dir.path(), kWidth, options, contents);
    ASSERT_TRUE(store) << store.error().what;
    ASSERT_EQ(store->levels(), 12u);
    EXPECT_EQ(store->next_id(), contents.first_ids.back());
    for (std::uint32_t l = 0; l < 12; ++l) {
      if (l == 1 || l == 4 || l == 7) {
        EXPECT_FALSE(store->held(l)) << l;
        continue;
      }
      EXPECT_TRUE(store->held(l)) << l;
      EXPECT_EQ(store->kept(l), l % 3 != 1) << l;
      ASSERT_NO_FATAL_FAILURE(check_level(*store, l));
    }
    if (read_only) {
      EXPECT_EQ(file_bytes(dir.path()), before);
      continue;
    }
    std::uint64_t named = 0;
    for (const auto& file : contents.files) named += file.bytes;
    EXPECT_EQ(file_bytes(dir.path()), named);
    ASSERT_NO_FATAL_FAILURE(write_level(*store, true, 50));
    ASSERT_NO_FATAL_FAILURE(check_level(*store, 12));
    ASSERT_NO_FATAL_FAILURE(check_level(*store, 11));
  }
}

// A crash between dropping a level and the next checkpoint goes back to one that needs its file.
TEST(LevelStore, KeepsWhatTheLastCheckpointNeedsUntilTheNextIsCommitted) {
  const TempDir dir;
  auto store = LevelStore::create(dir.path(), kWidth, {});
  ASSERT_TRUE(store);
  ASSERT_NO_FATAL_FAILURE(write_level(*store, false, 10));
  auto first = store->checkpoint();
  ASSERT_TRUE(first);
  ASSERT_NO_FATAL_FAILURE(write_level(*store, false, 10));
  ASSERT_TRUE(store->drop_level(0));
  EXPECT_EQ(file_count(dir.path()), 2u);
  LevelStore::Options read_only;
  read_only.read_only = true;
  EXPECT_TRUE(LevelStore::open(dir.path(), kWidth, read_only, *first));
  auto second = store->checkpoint();
  ASSERT_TRUE(second);
  EXPECT_TRUE(LevelStore::open(dir.path(), kWidth, read_only, *first));
  ASSERT_TRUE(store->remove_dropped());
  EXPECT_EQ(file_count(dir.path()), 1u);
  EXPECT_FALSE(LevelStore::open(dir.path(), kWidth, read_only, *first));
  EXPECT_TRUE(LevelStore::open(dir.path(), kWidth, read_only, *second));
}

class LevelStoreDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = LevelStore::create(dir_.path(), kWidth, {});
    ASSERT_TRUE(store);
    for (std::uint32_t l = 0; l < 4; ++l) ASSERT_NO_FATAL_FAILURE(write_level(*store, true, 30));
    auto contents = store->checkpoint();
    ASSERT_TRUE(contents);
    contents_ = *contents;
    ASSERT_EQ(contents_.files.size(), 1u);
    file_ = dir_ / contents_.files[0].name;
    original_ = test::read_file(file_);
    ASSERT_EQ(original_.size(), contents_.files[0].bytes);
    options_.read_only = true;
  }
  // Opens and reads everything; the first error.
  std::optional<Error> read_all() const {
    auto store = LevelStore::open(dir_.path(), kWidth, options_, contents_);
    if (!store) return store.error();
    LevelBlockDecoder decoder;
    for (std::uint32_t l = 0; l < store->levels(); ++l) {
      const LevelStore::Blocks blocks = store->blocks(l);
      for (const LevelStore::Block& block : blocks.blocks) {
        Bytes stored(block.bytes);
        if (auto read = blocks.file->read_at(block.offset, stored); !read) return read.error();
        Bytes rows(block.count * kWidth);
        auto decoded = decoder.decode(stored, block.count, kWidth, rows.data());
        if (!decoded) return located(decoded.error(), blocks.file->path(), block.offset);
      }
    }
    return std::nullopt;
  }
  void expect_named(const std::optional<Error>& error) const {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, Errc::kCorruption);
    EXPECT_NE(error->what.find(file_.string()), std::string::npos) << error->what;
    EXPECT_NE(error->what.find("offset"), std::string::npos) << error->what;
  }

  const TempDir dir_;
  LevelStore::Options options_;
  LevelStore::Contents contents_;
  fs::path file_;
  std::string original_;
};

TEST_F(LevelStoreDamage, EveryFlippedByteIsFoundAndNamed) {
  ASSERT_FALSE(read_all());
  for (std::size_t at = 0; at < original_.size(); ++at) {
    SCOPED_TRACE("byte " + std::to_string(at));
    test::flip_byte(file_, at);
    ASSERT_NO_FATAL_FAILURE(expect_named(read_all()));
    test::flip_byte(file_, at);
  }
  EXPECT_FALSE(read_all());
}

TEST_F(LevelStoreDamage, EveryTruncationIsFoundAndNamed) {
  for (std::size_t bytes = original_.size(); bytes-- > 0;) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes");
    fs::resize_file(file_, bytes);
    ASSERT_NO_FATAL_FAILURE(expect_named(read_all()));
    LevelStore::Contents shorter = contents_;
    shorter.files[0].bytes = bytes;
    auto store = LevelStore::open(dir_.path(), kWidth, options_, shorter);
    ASSERT_FALSE(store);
    ASSERT_NO_FATAL_FAILURE(expect_named(store.error()));
  }
}

TEST_F(LevelStoreDamage, ContentsThatDoNotFitAreErrors) {
  const auto opens = [&](const LevelStore::Contents& contents) {
    return !!LevelStore::open(dir_.path(), kWidth, options_, contents);
  };
  ASSERT_TRUE(opens(contents_));
  LevelStore::Contents other = contents_;
  other.first_ids[2] += 1;
  EXPECT_FALSE(opens(other));
  other = contents_;
  other.first_ids.pop_back();
  EXPECT_FALSE(opens(other));
  other = contents_;
  other.first_ids.back() += 1;
  EXPECT_FALSE(opens(other));
  other = contents_;
  other.first_ids.clear();
  EXPECT_FALSE(opens(other));
  other = contents_;
  other.first_ids[0] = 1;
  EXPECT_FALSE(opens(other));
  other = contents_;
  other.files.push_back(other.files[0]);
  EXPECT_FALSE(opens(other)) << "a level in two files";
  other = contents_;
  other.files[0].name = "segment-000099";
  EXPECT_FALSE(opens(other));
  EXPECT_FALSE(LevelStore::open(dir_.path(), kWidth + 1, options_, contents_));
}

}  // namespace
}  // namespace comback

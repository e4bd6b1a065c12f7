#include "io/buffered_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/bytes.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::Bytes;
using test::TempDir;

TEST(BufferedWriter, WritesAllPiecesInOrder) {
  const TempDir dir;
  auto file = File::create(dir / "f");
  ASSERT_TRUE(file);
  Bytes expected;
  {
    BufferedWriter writer(*file, 1000);
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
      const Bytes piece = test::random_bytes(random() % (i % 10 == 0 ? 5000 : 300), random());
      EXPECT_EQ(writer.end(), expected.size());
      ASSERT_TRUE(writer.append(piece));
      expected.insert(expected.end(), piece.begin(), piece.end());
      EXPECT_LT(writer.end() - writer.flushed(), 1000u);
    }
    ASSERT_TRUE(writer.flush());
    EXPECT_EQ(writer.flushed(), expected.size());
  }
  Bytes stored(expected.size());
  ASSERT_EQ(*file->size(), expected.size());
  ASSERT_TRUE(file->read_at(0, stored));
  EXPECT_TRUE(stored == expected);
}

TEST(BufferedWriter, ReportsAFullDisk) {
  auto full = File::create("/dev/full");
  if (!full) GTEST_SKIP() << full.error().what;
  BufferedWriter writer(*full);
  ASSERT_TRUE(writer.append(test::as_bytes("x")));
  auto flushed = writer.flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, Errc::kNoSpace);
}

}  // namespace
}  // namespace comback

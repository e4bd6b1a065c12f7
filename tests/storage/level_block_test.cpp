#include "storage/level_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/little_endian.h"
#include "tests/support/bytes.h"

namespace comback {
namespace {

using test::Bytes;
using test::random_bytes;

TEST(Transpose, ExchangesRowsAndColumnsOfEveryShape) {
  for (const std::size_t rows : {1, 2, 15, 16, 17, 40, 257}) {
    for (const std::size_t columns : {1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 100}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      const Bytes in = random_bytes(rows * columns, rows * 1000 + columns);
      Bytes out(in.size());
      transpose_bytes(in.data(), rows, columns, out.data());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_EQ(out[c * rows + r], in[r * columns + c]) << r << ", " << c;
        }
      }
      std::vector<ColumnSource> sources;
      for (std::size_t c = 0; c < columns; ++c) sources.push_back({out.data() + c * rows, 1});
      Bytes back(in.size());
      gather_columns(sources.data(), rows, columns, back.data());
      EXPECT_TRUE(back == in);
    }
  }
}

// Rows whose columns have 1, 2, 3, ... values, like the variables of a model.
Bytes rows(std::size_t count, std::size_t width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes out(count * width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::byte>(random() % (i % width % 7 + 1));
  }
  return out;
}

TEST(LevelBlock, GivesBackWhatWasEncoded) {
  LevelBlockEncoder encoder;
  LevelBlockDecoder decoder;
  for (const std::size_t count : {1, 2, 15, 16, 63, 64, 65, 100, 4096}) {
    for (const std::size_t width : {1, 7, 8, 20, 33, 300}) {
      // Columns that change all the time are stored as bytes, those that seldom do as bits.
      for (const std::size_t steady : {1, 30}) {
        Bytes in = rows(count, width, count + width);
        for (std::size_t i = 0; i < count; ++i) {
          if (i % steady == 0) continue;
          std::copy_n(in.begin() + static_cast<std::ptrdiff_t>((i - 1) * width), width,
                      in.begin() + static_cast<std::ptrdiff_t>(i * width));
        }
        const auto block = encoder.encode(in.data(), count, width);
        Bytes out(in.size());
        auto decoded = decoder.decode(block, count, width, out.data());
        ASSERT_TRUE(decoded) << decoded.error().what;
        ASSERT_TRUE(out == in) << count << " x " << width;
      }
    }
  }
}

TEST(LevelBlock, BlocksOfWideDescriptorsHaveFewer) {
  EXPECT_EQ(level_block_states(20), 4096u);
  EXPECT_EQ(level_block_states(20, 100), 100u);
  EXPECT_EQ(level_block_states(1 << 20), 16u);
  EXPECT_EQ(level_block_states(std::size_t{1} << 30), 1u);
}

TEST(LevelBlock, AColumnThatSeldomChangesCostsAFractionOfABitPerRow) {
  Bytes in(4096 * 8);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = i >= 8 && random() % 100 != 0 ? in[i - 8] : static_cast<std::byte>(random());
  }
  LevelBlockEncoder encoder;
  EXPECT_LT(encoder.encode(in.data(), 4096, 8).size(), 4096u) << "8 columns of 4096 bytes";
}

TEST(LevelBlock, OneValuePerColumnCostsNoColumn) {
  Bytes in(4096 * 30, std::byte{7});
  LevelBlockEncoder encoder;
  EXPECT_LT(encoder.encode(in.data(), 4096, 30).size(), 80u);
}

TEST(LevelBlock, AllocatesNothingOnceWarm) {
  LevelBlockEncoder encoder;
  LevelBlockDecoder decoder;
  const Bytes in = rows(4096, 20, 1);
  Bytes out(in.size());
  const auto round = [&](std::size_t count) {
    ASSERT_TRUE(decoder.decode(encoder.encode(in.data(), count, 20), count, 20, out.data()));
  };
  round(4096);
  const std::size_t before = encoder.memory_bytes() + decoder.memory_bytes();
  for (std::size_t count = 4096; count > 4000; --count) round(count);
  EXPECT_EQ(encoder.memory_bytes() + decoder.memory_bytes(), before);
}

TEST(LevelBlock, OtherShapesAndDamageAreErrors) {
  LevelBlockEncoder encoder;
  LevelBlockDecoder decoder;
  const Bytes in = rows(50, 12, 1);
  const auto encoded = encoder.encode(in.data(), 50, 12);
  const Bytes block(encoded.begin(), encoded.end());
  Bytes out(60 * 20);
  EXPECT_FALSE(decoder.decode(block, 49, 12, out.data()));
  EXPECT_FALSE(decoder.decode(block, 51, 12, out.data()));
  EXPECT_FALSE(decoder.decode(block, 50, 11, out.data()));
  EXPECT_FALSE(decoder.decode(block, 50, 13, out.data()));
  for (std::size_t n = 0; n < block.size(); ++n) {
    const Bytes cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_FALSE(decoder.decode(cut, 50, 12, out.data())) << n;
    Bytes flipped = block;
    flipped[n] ^= std::byte{0x10};
    ASSERT_FALSE(decoder.decode(flipped, 50, 12, out.data())) << n;
  }
}

// Blocks that are intact but hold nonsense.
TEST(LevelBlock, NothingInABlockIsBelieved) {
  std::mt19937_64 random(3);
  BlockEncoder encoder;
  LevelBlockDecoder decoder;
  for (int i = 0; i < 3000; ++i) {
    Bytes raw = random_bytes(random() % 200, random(), random() % 2 == 0 ? 256 : 2);
    if (raw.size() >= 8) {
      store_le<std::uint32_t>(raw.data(), 10);
      store_le<std::uint32_t>(raw.data() + 4, 12);
    }
    Bytes out(120);
    [[maybe_unused]] auto decoded =
        decoder.decode(encoder.encode(BlockKind::kLevel, raw), 10, 12, out.data());
  }
}

}  // namespace
}  // namespace comback

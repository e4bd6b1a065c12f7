#include "io/block_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/little_endian.h"
#include "tests/support/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comback {
namespace {

using test::Bytes;
using test::random_bytes;

Bytes encode(std::span<const std::byte> raw, int level = 1) {
  BlockEncoder encoder(level);
  const auto block = encoder.encode(BlockKind::kLevel, raw);
  return {block.begin(), block.end()};
}

Bytes sealed(Bytes block) {  // with a checksum that matches
  store_le<std::uint64_t>(block.data(), XXH3_64bits(block.data() + 8, block.size() - 8));
  return block;
}

TEST(BlockCodec, GivesBackWhatWasEncoded) {
  BlockDecoder decoder;
  for (const int level : {-5, 1, 3}) {
    BlockEncoder encoder(level);
    for (const std::size_t n : {0, 1, 7, 100, 4096, 100000}) {
      for (const unsigned values : {1u, 3u, 256u}) {
        const Bytes raw = random_bytes(n, n + values, values);
        const auto block = encoder.encode(BlockKind::kSortedRun, raw);
        EXPECT_LE(block.size(), n + kBlockHeaderBytes);
        auto header = read_block_header(block.first(kBlockHeaderBytes));
        ASSERT_TRUE(header);
        EXPECT_EQ(header->block_bytes(), block.size());
        EXPECT_EQ(header->raw_bytes, n);
        Bytes out(n + 3);
        auto decoded = decoder.decode(BlockKind::kSortedRun, block, out);
        ASSERT_TRUE(decoded) << decoded.error().what;
        ASSERT_EQ(*decoded, n);
        EXPECT_TRUE(std::equal(raw.begin(), raw.end(), out.begin()));
      }
    }
  }
}

TEST(BlockCodec, ShrinksWhatHasStructureAndStoresTheRest) {
  EXPECT_LT(encode(random_bytes(10000, 1, 2)).size(), 5000u);
  EXPECT_EQ(encode(random_bytes(10000, 1)).size(), 10000 + kBlockHeaderBytes);
}

TEST(BlockCodec, AllocatesNothingOnceWarm) {
  BlockEncoder encoder;
  BlockDecoder decoder;
  const Bytes raw = random_bytes(100000, 1, 20);
  Bytes out(raw.size());
  const auto round = [&] {
    const auto block = encoder.encode(BlockKind::kLevel, raw);
    ASSERT_TRUE(decoder.decode(BlockKind::kLevel, block, out));
  };
  round();
  const std::size_t before = encoder.memory_bytes() + decoder.memory_bytes();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(encoder.memory_bytes() + decoder.memory_bytes(), before);
  EXPECT_LT(before, std::size_t{4} << 20);
}

class BlockCodecDamage : public ::testing::TestWithParam<unsigned> {};  // values: how compressible

TEST_P(BlockCodecDamage, EveryFlippedBitIsFound) {
  const Bytes block = encode(random_bytes(400, 5, GetParam()));
  BlockDecoder decoder;
  Bytes out(1000);
  for (std::size_t bit = 0; bit < block.size() * 8; ++bit) {
    Bytes damaged = block;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    auto decoded = decoder.decode(BlockKind::kLevel, damaged, out);
    ASSERT_FALSE(decoded) << "bit " << bit;
    EXPECT_EQ(decoded.error().code, Errc::kCorruption);
  }
}

TEST_P(BlockCodecDamage, EveryOtherLengthIsFound) {
  Bytes block = encode(random_bytes(400, 5, GetParam()));
  BlockDecoder decoder;
  Bytes out(1000);
  for (std::size_t n = 0; n < block.size(); ++n) {
    // A copy of its own, so that the sanitizer sees a read beyond it.
    const Bytes cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_FALSE(decoder.decode(BlockKind::kLevel, cut, out)) << n;
  }
  block.push_back(std::byte{0});
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, block, out));
}

// Whoever can write a checksum can write anything: nothing may go wrong but the contents.
TEST_P(BlockCodecDamage, NothingIsBelievedEvenWithAChecksum) {
  const Bytes raw = random_bytes(400, 5, GetParam());
  const Bytes block = encode(raw);
  BlockDecoder decoder;
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 3000; ++i) {
    Bytes damaged = block;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = i % 2 == 0 ? 8 + random() % 12 : random() % damaged.size();
      damaged[at] = static_cast<std::byte>(random());
    }
    if (random() % 4 == 0) damaged.resize(kBlockHeaderBytes + random() % damaged.size());
    damaged = sealed(std::move(damaged));
    Bytes out(random() % 2 == 0 ? 400 : random() % 500);
    auto decoded = decoder.decode(BlockKind::kLevel, damaged, out);
    EXPECT_TRUE(!decoded || *decoded <= out.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Values, BlockCodecDamage, ::testing::Values(1u, 4u, 256u));

TEST(BlockCodec, SizesThatWouldAskForTooMuchAreErrors) {
  Bytes block = encode(random_bytes(400, 5, 4));
  const auto with = [&](std::uint32_t raw, std::uint32_t payload) {
    Bytes b = block;
    store_le(b.data() + 12, raw | 0x80000000u);
    store_le(b.data() + 16, payload);
    return sealed(std::move(b));
  };
  const auto payload = static_cast<std::uint32_t>(block.size() - kBlockHeaderBytes);
  BlockDecoder decoder;
  Bytes out(400);
  ASSERT_TRUE(decoder.decode(BlockKind::kLevel, with(400, payload), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, with(401, payload), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, with(399, payload), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, with(0x7fffffff, payload), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, with(400, 0xffffffff), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, with(0, 0), out));
  EXPECT_FALSE(decoder.decode(BlockKind::kLevelIndex, block, out)) << "another kind";
  EXPECT_FALSE(decoder.decode(BlockKind::kLevel, block, std::span(out).first(399)));
}

}  // namespace
}  // namespace comback

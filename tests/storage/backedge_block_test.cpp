#include "storage/backedge_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace comback {
namespace {

using Edges = std::vector<Backedge>;

struct Shape {
  std::size_t count;
  std::uint64_t first_id;
  std::uint64_t farthest;  // step of predecessors
  std::uint32_t events;
  bool monotone;
};

Edges random_edges(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Edges edges;
  std::uint64_t predecessor = shape.first_id / 2;
  for (std::size_t i = 0; i < shape.count; ++i) {
    const std::uint64_t id = shape.first_id + i;
    if (shape.monotone) {
      if (random() % 3 == 0) predecessor += random() % (shape.farthest + 1);
    } else {
      predecessor = random();
    }
    if (id > 0) predecessor %= id;
    if (shape.monotone && !edges.empty()) {
      predecessor = std::max(predecessor, edges.back().predecessor);
    }
    edges.push_back(
        {id == 0 ? 0 : predecessor, static_cast<std::uint32_t>(random() % shape.events)});
  }
  return edges;
}

void expect_equal(const BackedgeBlock& block, const Edges& edges, std::uint64_t first_id) {
  ASSERT_EQ(block.size(), edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) ASSERT_EQ(block.at(first_id + i), edges[i]) << i;
  EXPECT_FALSE(block.contains(first_id + edges.size()));
  EXPECT_FALSE(block.contains(first_id - 1));
}

class BackedgeBlockShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(BackedgeBlockShapes, GivesBackWhatWasPacked) {
  const Shape shape = GetParam();
  BackedgeEncoder encoder;
  BackedgeDecoder decoder;
  BackedgeBlock block;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Edges edges = random_edges(shape, seed);
    const std::string packed(encoder.encode(edges));
    const auto s = decoder.decode(packed, shape.first_id, block);
    ASSERT_TRUE(s) << s.error().what;
    expect_equal(block, edges, shape.first_id);
  }
}

constexpr std::uint32_t kAllEvents = 0xffffffff;
INSTANTIATE_TEST_SUITE_P(
    Shapes, BackedgeBlockShapes,
    ::testing::Values(Shape{1, 0, 0, 1, true}, Shape{1, 12345, 0, 1000, true},
                      Shape{5000, 0, 1, 20, true}, Shape{kMaxBackedges, 1 << 20, 2, 60, true},
                      Shape{kMaxBackedges, 1 << 20, 5, 65, true},
                      Shape{3000, std::uint64_t{1} << 50, std::uint64_t{1} << 35, 20000, true},
                      Shape{3000, 100000, 9, kAllEvents, true}, Shape{4000, 5, 0, 50, false},
                      Shape{2000, std::uint64_t{1} << 60, 0, kAllEvents, false}));

TEST(BackedgeBlock, PredecessorsThatNeverDecreaseTakeUnderAByte) {
  const Edges edges = random_edges({kMaxBackedges, 1 << 20, 1, 10, true}, 1);
  BackedgeEncoder encoder;
  EXPECT_LT(encoder.encode(edges).size(), edges.size() * 7 / 10);
}

TEST(BackedgeBlock, EveryTruncationIsNoticed) {
  BackedgeEncoder encoder;
  BackedgeDecoder decoder;
  for (const Shape& shape : {Shape{200, 1000, 9, 100, true}, Shape{9, 1000, 0, 50, false}}) {
    const std::string packed(encoder.encode(random_edges(shape, 2)));
    BackedgeBlock block;
    for (std::size_t size = 0; size < packed.size(); ++size) {
      const std::string cut = packed.substr(0, size);
      const auto s = decoder.decode(cut, 1000, block);
      ASSERT_FALSE(s) << size;
      EXPECT_EQ(s.error().code, Errc::kCorruption);
    }
    EXPECT_FALSE(decoder.decode(packed + "x", 1000, block));
  }
}

// Whatever the bytes are, unpacking them ends, stays inside (which the sanitizers check), and gives
// predecessors that are smaller than their ids.
TEST(BackedgeBlock, DoctoredBytesAreSurvived) {
  BackedgeEncoder encoder;
  BackedgeDecoder decoder;
  BackedgeBlock block;
  std::mt19937_64 random(3);
  std::size_t noticed = 0;
  for (int round = 0; round < 5000; ++round) {
    const Shape shape = {1 + random() % 300, 500, random() % 9, 1u << random() % 20,
                         round % 2 == 0};
    std::string packed(encoder.encode(random_edges(shape, random())));
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
      packed[random() % 2 == 0 ? random() % packed.size() : random() % 5 % packed.size()] =
          static_cast<char>(random());
    }
    packed.shrink_to_fit();
    if (!decoder.decode(packed, 500, block)) {
      ++noticed;
      continue;
    }
    for (std::size_t i = 0; i < block.size(); ++i) ASSERT_LT(block.predecessors[i], 500 + i);
  }
  EXPECT_GT(noticed, 1000u);
}

TEST(BackedgeBlock, APredecessorAfterItsIdIsCorrupt) {
  BackedgeEncoder encoder;
  BackedgeDecoder decoder;
  BackedgeBlock block;
  const Edges edges = {{10, 1}, {11, 2}};
  const std::string packed(encoder.encode(edges));
  EXPECT_TRUE(decoder.decode(packed, 11, block));
  EXPECT_FALSE(decoder.decode(packed, 10, block));
  EXPECT_FALSE(decoder.decode(packed, 0, block));
}

}  // namespace
}  // namespace comback

#include "storage/bit_planes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/bytes.h"

namespace comback {
namespace {

TEST(BitPlanes, TakeBitsApartAndPutThemTogether) {
  for (const std::size_t rows : {64, 128, 640}) {
    const test::Bytes column = test::random_bytes(rows, rows);
    const std::size_t words = plane_words(rows);
    std::vector<std::uint64_t> planes(3 * words);
    const unsigned bits[] = {0, 3, 7};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::span<std::uint64_t> plane = std::span(planes).subspan(i * words, words);
      extract_plane(column.data(), bits[i], plane);
      for (std::size_t r = 0; r < rows; ++r) {
        ASSERT_EQ(plane[r / 64] >> (r % 64) & 1,
                  static_cast<std::uint64_t>(column[r]) >> bits[i] & 1);
      }
    }
    test::Bytes merged(rows);
    merge_planes(planes.data(), words, bits, std::byte{0x12}, merged.data());
    for (std::size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(merged[r], (column[r] & std::byte{0x89}) | std::byte{0x12});
    }
  }
}

TEST(BitPlanes, DifferencesTellWhereRowsChange) {
  std::vector<std::uint64_t> plane = {0xf0, 0, ~std::uint64_t{0}, 1};
  const std::vector<std::uint64_t> before = plane;
  difference_plane(plane);
  EXPECT_EQ(plane, (std::vector<std::uint64_t>{0x110, 0, 1, 2}));
  integrate_plane(plane);
  EXPECT_EQ(plane, before);
}

}  // namespace
}  // namespace comback

#include "engine/omission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace comback {
namespace {

TEST(Omission, BasicIsTheBirthdayBound) {
  EXPECT_EQ(basic_omission_probability(0, 32), 0);
  EXPECT_EQ(basic_omission_probability(1, 32), 0);
  // 77,163 people and 2^32 days: the known point of one half.
  EXPECT_NEAR(basic_omission_probability(77'163, 32), 0.5, 1e-5);
  EXPECT_NEAR(basic_omission_probability(1'000'000, 64), 1e12 / std::ldexp(1.0, 65), 1e-13);
  EXPECT_EQ(basic_omission_probability(100'000, 8), 1);
}

// The closed form against the sum it stands for: k / (m - k + 1) comparisons for the k-th state.
TEST(Omission, ImprovedAgreesWithTheSumOverInsertions) {
  for (const std::uint64_t slots : {11ull, 997ull, 100'003ull}) {
    for (const std::uint64_t states : {std::uint64_t{1}, slots / 2, slots - 1, slots}) {
      for (const unsigned bits : {8u, 24u, 40u, 64u}) {
        double comparisons = 0;
        for (std::uint64_t k = 0; k < states; ++k) {
          comparisons += static_cast<double>(k) / static_cast<double>(slots - k + 1);
        }
        const double values = std::ldexp(1.0, static_cast<int>(bits)) - 1;
        const double expected = -std::expm1(comparisons * std::log1p(-1 / values));
        EXPECT_NEAR(improved_omission_probability(states, slots, bits), expected,
                    1e-6 * expected + 1e-15)
            << states << " states in " << slots << " slots of " << bits << " bits";
      }
    }
  }
}

// "it is possible to store 80 million states in a hash table of size 400 megabytes with an
// omission probability smaller than 0.13% using 40-bit compression" [stern96]
TEST(Omission, ImprovedGivesThePublishedExample) {
  const double p = improved_omission_probability(80'000'000, 80'000'000, 40);
  EXPECT_LT(p, 0.0014);
  EXPECT_GT(p, 0.0012);
}

// "when a 1-limited algorithm explores 800 million states with a 400-megabyte hash table using
// 5-byte compression, the omission probability is bounded by 0.07%" [stern96]
TEST(Omission, LimitedGivesThePublishedExample) {
  const double p = limited_omission_probability(800'000'000, 80'000'000, 1, 40);
  EXPECT_LT(p, 0.00070);
  EXPECT_GT(p, 0.00065);
}

// Equation (1) against what it is the sum of: the k-th insertion looks at one more slot for each
// that is taken, up to t, with k / m of them taken until all are.
TEST(Omission, LimitedAgreesWithTheSumOverInsertions) {
  constexpr std::uint64_t kSlots = 100'003;
  for (const unsigned probes : {1u, 2u, 3u, 10u}) {
    for (const double load : {0.01, 0.5, 0.9, 1.0, 1.3, 5.0}) {
      const auto observed = static_cast<std::uint64_t>(load * kSlots);
      double expected = 0;
      for (std::uint64_t k = 0; k < observed; ++k) {
        const double taken = std::min(1.0, static_cast<double>(k) / kSlots);
        double power = 1;
        for (unsigned j = 0; j < probes; ++j) expected += power *= taken;
      }
      const double comparisons = limited_comparisons(observed, kSlots, probes);
      EXPECT_NEAR(comparisons, expected, 2e-3 * expected + probes)
          << observed << " observed, " << probes << " probes";
      for (const unsigned bits : {8u, 24u, 64u}) {
        const double values = std::ldexp(1.0, static_cast<int>(bits)) - 1;
        EXPECT_DOUBLE_EQ(limited_omission_probability(observed, kSlots, probes, bits),
                         -std::expm1(comparisons * std::log1p(-1 / values)));
      }
    }
  }
}

}  // namespace
}  // namespace comback

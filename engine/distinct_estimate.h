#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace comback {

// How many different hashes were seen, in 2^kBits bytes: HyperLogLog [flajolet07], with a standard
// error of 1.04 / 2^(kBits/2). While there are few, registers that are still zero tell it more
// exactly.
template <unsigned kBits>
class DistinctEstimateOf {
 public:
  void add(std::uint64_t hash) {
    std::uint8_t& rank = ranks_[hash >> (64 - kBits)];
    const std::uint64_t rest = (hash << kBits) | (std::uint64_t{1} << (kBits - 1));
    const auto seen = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
    if (seen <= rank) return;
    if (rank == 0) --zeros_;
    sum_ += std::ldexp(1.0, -seen) - std::ldexp(1.0, -rank);
    rank = seen;
  }

  double value() const {
    const double estimate = 0.7213 / (1 + 1.079 / kCount) * kCount * kCount / sum_;
    if (estimate <= 2.5 * kCount && zeros_ > 0) return kCount * std::log(kCount / zeros_);
    return estimate;
  }

 private:
  static constexpr double kCount = 1 << kBits;

  std::array<std::uint8_t, 1 << kBits> ranks_{};
  double sum_ = kCount;  // of 2^-rank over all registers
  std::uint32_t zeros_ = 1 << kBits;
};

// Within about 1%, in 16 KiB.
using DistinctEstimate = DistinctEstimateOf<14>;

}  // namespace comback

#include "engine/omission.h"

#include <algorithm>
#include <cmath>

namespace comback {
namespace {

// H(a) - H(b) for a >= b: the small terms one by one, the rest by the asymptotic expansion
// H(n) = ln n + gamma + 1/2n - 1/12n^2 + ...
double harmonic_difference(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLarge = 256;
  double sum = 0;
  for (; b < std::min(a, kLarge); ++b) sum += 1.0 / static_cast<double>(b + 1);
  if (a == b) return sum;
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  return sum + std::log1p((x - y) / y) - (x - y) / (2 * x * y) +
         (x - y) * (x + y) / (12 * x * x * y * y);
}

// That at least one of `comparisons` with a value of `bits` bits, none of them zero, goes wrong.
double one_goes_wrong(double comparisons, unsigned bits) {
  const double values = std::ldexp(1.0, static_cast<int>(bits)) - 1;
  return -std::expm1(std::max(0.0, comparisons) * std::log1p(-1 / values));
}

}  // namespace

double basic_omission_probability(std::uint64_t states, unsigned bits) {
  const auto n = static_cast<double>(states);
  return -std::expm1(-n * std::max(0.0, n - 1) / std::ldexp(2.0, static_cast<int>(bits)));
}

double improved_omission_probability(std::uint64_t states, std::uint64_t slots, unsigned bits) {
  const double comparisons =
      (static_cast<double>(slots) + 1) * harmonic_difference(slots + 1, slots - states + 1) -
      static_cast<double>(states);
  return one_goes_wrong(comparisons, bits);
}

double limited_comparisons(std::uint64_t observed, std::uint64_t slots, unsigned probes) {
  const auto n = static_cast<double>(observed);
  const auto m = static_cast<double>(slots);
  const double t = probes;
  if (observed > slots) {
    return harmonic_difference(std::uint64_t{probes} + 1, 1) * m + t * (n - m);
  }
  const double load = n / m;
  double comparisons = t / (t + 1) * n * std::pow(load, t);
  double power = load;
  for (unsigned j = 0; j < probes; ++j, power *= load) {
    comparisons += j * power * (m / (j + 1.0) - n / (j + 2.0));
  }
  return comparisons;
}

double limited_omission_probability(std::uint64_t observed, std::uint64_t slots, unsigned probes,
                                    unsigned bits) {
  return one_goes_wrong(limited_comparisons(observed, slots, probes), bits);
}

}  // namespace comback

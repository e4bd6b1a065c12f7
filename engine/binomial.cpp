#include "engine/binomial.h"

#include <algorithm>
#include <cmath>

namespace comback {
namespace {

// Where a falling function of p passes `level`.
template <class Function>
double solve(Function&& function, double level) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) > level ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double binomial_at_most(std::uint64_t hits, std::uint64_t trials, double p) {
  if (hits >= trials || p <= 0) return 1;
  if (p >= 1) return 0;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::uint64_t i = 0; i <= hits; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

ProbabilityInterval binomial_interval(std::uint64_t hits, std::uint64_t trials, double confidence) {
  const double tail = (1 - confidence) / 2;
  ProbabilityInterval interval;
  if (hits > 0) {
    interval.low = solve([&](double p) { return binomial_at_most(hits - 1, trials, p); }, 1 - tail);
  }
  if (hits < trials) {
    interval.high = solve([&](double p) { return binomial_at_most(hits, trials, p); }, tail);
  }
  return interval;
}

}  // namespace comback

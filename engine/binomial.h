#pragma once

#include <cstdint>

namespace comback {

struct ProbabilityInterval {
  double low = 0;
  double high = 1;
  bool contains(double p) const { return low <= p && p <= high; }
};

// The probabilities that are compatible with `hits` of `trials` at this confidence [clopper34]: all
// p under which neither so many hits or more, nor so many or fewer, are less likely than half of
// what is left to chance. REQUIRES: hits <= trials; 0 < confidence < 1.
ProbabilityInterval binomial_interval(std::uint64_t hits, std::uint64_t trials, double confidence);

// The probability of at most `hits` of `trials`, each a hit with probability p.
double binomial_at_most(std::uint64_t hits, std::uint64_t trials, double p);

}  // namespace comback

// Every fuzz target on its seeds, truncated everywhere, and changed at random: what a fuzzer finds
// first, without one.

#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

class FuzzTargets : public ::testing::TestWithParam<std::size_t> {
 protected:
  const FuzzTarget& target() const { return fuzz_targets()[GetParam()]; }
};

TEST_P(FuzzTargets, HoldsOnSeedsAndTheirPrefixes) {
  for (const std::string& seed : target().seeds()) {
    target().run(seed);
    const std::size_t step = seed.size() / 400 + 1;
    for (std::size_t bytes = 0; bytes < seed.size(); bytes += step) {
      target().run(std::string_view(seed).substr(0, bytes));
    }
  }
}

TEST_P(FuzzTargets, HoldsOnRandomChangesOfSeeds) {
  constexpr int kChanges = 3000;
  const std::vector<std::string> seeds = target().seeds();
  std::mt19937 random(20261118);
  for (int i = 0; i < kChanges; ++i) {
    std::string input = seeds[random() % seeds.size()];
    for (unsigned n = random() % 4 + 1; n > 0 && !input.empty(); --n) {
      const std::size_t at = random() % input.size();
      switch (random() % 4) {
        case 0:
          input[at] = static_cast<char>(random());
          break;
        case 1:
          input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
          break;
        case 2:
          input.insert(at, 1, static_cast<char>(random()));
          break;
        case 3:
          input.erase(at, random() % 8 + 1);
          break;
      }
    }
    target().run(input);
  }
}

INSTANTIATE_TEST_SUITE_P(Parsers, FuzzTargets,
                         ::testing::Range(std::size_t{0}, fuzz_targets().size()),
                         [](const auto& parameter) {
                           return std::string(fuzz_targets()[parameter.param].name);
                         });

}  // namespace
}  // namespace comback::test

// The sample models have the counts that their comments promise.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"
#include "tests/support/paths.h"

namespace comback::test {
namespace {

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(samples_dir())) {
    const std::string name = entry.path().stem().string();
    // Too big for the oracle; tests/end_to_end explores it.
    if (entry.path().extension() == ".dve" && name != "philosophers_big") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Expected {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t levels = 0;
};

// "Expected: 5,567 states, 10,169 transitions, 0 deadlocks, 26 BFS levels"
Expected expected_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  // By hand: std::regex does not compile under g++ 12's sanitizers with -Werror.
  std::size_t at = all.find("Expected:");
  EXPECT_NE(at, all.npos) << file;
  const auto number = [&](std::string_view unit) {
    std::uint64_t value = 0;
    at = std::min(all.find_first_of("0123456789", at), all.size());
    for (; at < all.size() && (std::isdigit(all[at]) != 0 || all[at] == ','); ++at) {
      if (all[at] != ',') value = value * 10 + static_cast<std::uint64_t>(all[at] - '0');
    }
    EXPECT_EQ(all.substr(std::min(at + 1, all.size()), unit.size()), unit) << file;
    return value;
  };
  Expected out;
  out.states = number("state");
  out.transitions = number("transition");
  out.deadlocks = number("deadlock");
  out.levels = number("BFS level");
  return out;
}

class Samples : public ::testing::TestWithParam<std::string> {};

TEST_P(Samples, HaveTheCountsTheyPromise) {
  const auto file = samples_dir() / (GetParam() + ".dve");
  const auto model = loaded(
      dve::load_file(file, {.backend = dve::Backend::kInterpreted, .ignore_property = true}));
  ASSERT_TRUE(model);
  const Oracle oracle(*model);
  const Expected expected = expected_in(file);
  EXPECT_EQ(oracle.states.size(), expected.states);
  EXPECT_EQ(oracle.transitions, expected.transitions);
  EXPECT_EQ(oracle.deadlocks, expected.deadlocks);
  EXPECT_EQ(oracle.level_sizes.size(), expected.levels);
}

INSTANTIATE_TEST_SUITE_P(All, Samples, ::testing::ValuesIn(sample_names()),
                         [](const auto& test) { return test.param; });

TEST(Samples, BankTransferFailsItsAssertionWhereItSays) {
  const auto model = loaded(dve::load_file(samples_dir() / "bank_transfer_bug.dve",
                                           {.backend = dve::Backend::kInterpreted}));
  ASSERT_TRUE(model);
  const Oracle oracle(*model);
  std::uint64_t failing = 0;
  std::uint64_t nearest = oracle.states.size();
  for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
    if (model->failed_assertion(oracle.bytes(id)) < 0) continue;
    ++failing;
    nearest = std::min(nearest, oracle.depths[id]);
  }
  EXPECT_EQ(failing, 885u);
  EXPECT_EQ(nearest, 9u);
}

}  // namespace
}  // namespace comback::test

// The BEEM instances have their published counts: states, transitions, deadlocks and levels.
//
// One case per instance and back end, for the instances with COMBACK_BEEM_FROM to COMBACK_BEEM_TO
// states. The models are not part of the project: where they are absent, there are no cases.
// $COMBACK_BEEM_MAX_STATES, where it is set, replaces COMBACK_BEEM_TO.

#include "tests/support/beem.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/search.h"
#include "tests/support/dve_models.h"

namespace comback::test {
namespace {

std::uint64_t most_states() {
  const char* given = std::getenv("COMBACK_BEEM_MAX_STATES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : COMBACK_BEEM_TO;
}

std::vector<BeemInstance> instances() { return beem_instances(COMBACK_BEEM_FROM, most_states()); }

struct NamedBackend {
  const char* name;
  dve::Backend backend;
};
std::ostream& operator<<(std::ostream& out, const NamedBackend& b) { return out << b.name; }

constexpr NamedBackend kBackends[] = {{"interpreted", dve::Backend::kInterpreted},
                                      {"native", dve::Backend::kNative}};

std::optional<dve::RangeErrors> range_errors_of(const std::string& name) {
  if (name.empty()) return dve::RangeErrors::kStop;
  if (name == "wrap") return dve::RangeErrors::kWrap;
  if (name == "error-state") return dve::RangeErrors::kErrorState;
  if (name == "terminal") return dve::RangeErrors::kTerminal;
  return std::nullopt;
}

class Beem : public ::testing::TestWithParam<std::tuple<NamedBackend, BeemInstance>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Beem);

Result<Summary> explored(const std::string& instance, dve::RangeErrors range_errors,
                         dve::Backend backend) {
  const auto model = loaded(dve::load_file(beem_dir() / (instance + ".dve"),
                                           {.range_errors = range_errors, .backend = backend}));
  if (!model) return Summary{};
  SearchOptions options;
  options.memory_bytes = 4ull << 30;
  Monitor monitor;
  return explore(*model, options, monitor);
}

TEST_P(Beem, HasItsPublishedCounts) {
  const auto& [backend, instance] = GetParam();
  const auto range_errors = range_errors_of(instance.range_errors);
  ASSERT_TRUE(range_errors) << instance.range_errors;
  const auto summary = explored(instance.name, *range_errors, backend.backend);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->verdict, Verdict::kComplete);
  EXPECT_EQ(summary->states, instance.states);
  if (instance.transitions) {
    EXPECT_EQ(summary->transitions, *instance.transitions);
  }
  if (instance.deadlocks) {
    EXPECT_EQ(summary->deadlocks, *instance.deadlocks);
  }
  if (instance.levels) {
    EXPECT_EQ(summary->level_sizes.size(), *instance.levels);
  }
}

INSTANTIATE_TEST_SUITE_P(Instances, Beem,
                         ::testing::Combine(::testing::ValuesIn(kBackends),
                                            ::testing::ValuesIn(instances())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).identifier();
                         });

// The instances whose counts depend on what a range error does.
struct RangeErrorCounts {
  const char* instance;
  const char* range_errors;
  std::uint64_t states;
  std::uint64_t transitions;
  bool is_long;
};
std::ostream& operator<<(std::ostream& out, const RangeErrorCounts& c) {
  return out << c.instance << " " << c.range_errors;
}

constexpr RangeErrorCounts kRangeErrorCounts[] = {
    {"anderson.1", "wrap", 352664, 704302, false},
    {"anderson.1", "error-state", 347039, 693048, false},
    {"anderson.1", "terminal", 347037, 693046, false},
    {"sorter.4", "wrap", 13184427, 27051822, true},
    {"sorter.4", "error-state", 12958752, 26578958, true},
    {"sorter.4", "terminal", 12958752, 26578958, true},
    {"resistance.1", "wrap", 13762624, 32052024, true},
    {"resistance.1", "error-state", 8183492, 20229575, true},
    {"resistance.1", "terminal", 8183469, 20229531, true},
};

// Those of this executable's size.
std::vector<RangeErrorCounts> range_error_counts() {
  std::vector<RangeErrorCounts> out;
  for (const RangeErrorCounts& counts : kRangeErrorCounts) {
    if (counts.is_long == (COMBACK_BEEM_FROM != 0)) out.push_back(counts);
  }
  return out;
}

class BeemRangeErrors
    : public ::testing::TestWithParam<std::tuple<NamedBackend, RangeErrorCounts>> {};

TEST_P(BeemRangeErrors, DecideTheCounts) {
  const auto& [backend, expected] = GetParam();
  if (!std::filesystem::exists(beem_dir() / (std::string(expected.instance) + ".dve"))) {
    GTEST_SKIP() << "no " << expected.instance << " in " << beem_dir();
  }
  const auto summary =
      explored(expected.instance, *range_errors_of(expected.range_errors), backend.backend);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->states, expected.states);
  EXPECT_EQ(summary->transitions, expected.transitions);
  EXPECT_EQ(summary->wraps != 0, std::string(expected.range_errors) == "wrap");
}

INSTANTIATE_TEST_SUITE_P(Modes, BeemRangeErrors,
                         ::testing::Combine(::testing::ValuesIn(kBackends),
                                            ::testing::ValuesIn(range_error_counts())));

TEST(BeemModels, AreThere) {
  if (!std::filesystem::exists(beem_dir())) GTEST_SKIP() << beem_dir() << " does not exist";
  EXPECT_FALSE(instances().empty()) << "nothing of expected.csv was understood";
}

}  // namespace
}  // namespace comback::test

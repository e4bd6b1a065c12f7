// The BEEM instances have their published counts: states, transitions, deadlocks and levels.
//
// One case per instance and back end, for the instances with COMBACK_BEEM_FROM to COMBACK_BEEM_TO
// states. The models are not part of the project: where they are absent, there are no cases.
// $COMBACK_BEEM_MAX_STATES, where it is set, replaces COMBACK_BEEM_TO.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "engine/search.h"
#include "tests/support/dve_models.h"
#include "tests/support/paths.h"

namespace comback::test {
namespace {

struct Instance {
  std::string name;
  std::uint64_t states = 0;
  // Empty: not published.
  std::optional<std::uint64_t> transitions;
  std::optional<std::uint64_t> deadlocks;
  std::optional<std::uint64_t> levels;
  std::string range_errors;
};
std::ostream& operator<<(std::ostream& out, const Instance& i) { return out << i.name; }

std::uint64_t most_states() {
  const char* given = std::getenv("COMBACK_BEEM_MAX_STATES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : COMBACK_BEEM_TO;
}

std::vector<Instance> instances() {
  std::vector<Instance> out;
  std::ifstream in(beem_dir() / "expected.csv");
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string states;
    std::string transitions;
    std::string deadlocks;
    std::string levels;
    Instance instance;
    std::getline(fields, instance.name, ',');
    std::getline(fields, states, ',');
    std::getline(fields, transitions, ',');
    std::getline(fields, deadlocks, ',');
    std::getline(fields, levels, ',');
    std::getline(fields, instance.range_errors, ',');
    if (states.empty()) continue;
    const auto number = [](const std::string& text) -> std::optional<std::uint64_t> {
      if (text.empty()) return std::nullopt;
      return std::stoull(text);
    };
    instance.states = *number(states);
    if (instance.states + 1 <= COMBACK_BEEM_FROM || instance.states >= most_states()) continue;
    instance.transitions = number(transitions);
    instance.deadlocks = number(deadlocks);
    instance.levels = number(levels);
    out.push_back(instance);
  }
  return out;
}

struct NamedBackend {
  const char* name;
  dve::Backend backend;
};
std::ostream& operator<<(std::ostream& out, const NamedBackend& b) { return out << b.name; }

constexpr NamedBackend kBackends[] = {{"interpreted", dve::Backend::kInterpreted}};

std::optional<dve::RangeErrors> range_errors_of(const std::string& name) {
  if (name.empty()) return dve::RangeErrors::kStop;
  if (name == "wrap") return dve::RangeErrors::kWrap;
  if (name == "error-state") return dve::RangeErrors::kErrorState;
  if (name == "terminal") return dve::RangeErrors::kTerminal;
  return std::nullopt;
}

class Beem : public ::testing::TestWithParam<std::tuple<NamedBackend, Instance>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Beem);

TEST_P(Beem, HasItsPublishedCounts) {
  const auto& [backend, instance] = GetParam();
  const auto range_errors = range_errors_of(instance.range_errors);
  ASSERT_TRUE(range_errors) << instance.range_errors;
  const auto model =
      loaded(dve::load_file(beem_dir() / (instance.name + ".dve"),
                            {.range_errors = *range_errors, .backend = backend.backend}));
  ASSERT_TRUE(model);
  Monitor monitor;
  SearchOptions options;
  options.memory_bytes = 4ull << 30;
  const auto summary = explore(*model, options, monitor);
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
                           std::string name = std::string(std::get<0>(test.param).name) + "_" +
                                              std::get<1>(test.param).name;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

TEST(BeemModels, AreThere) {
  if (!std::filesystem::exists(beem_dir())) GTEST_SKIP() << beem_dir() << " does not exist";
  EXPECT_FALSE(instances().empty()) << "nothing of expected.csv was understood";
}

}  // namespace
}  // namespace comback::test

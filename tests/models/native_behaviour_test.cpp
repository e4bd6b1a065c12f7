// Native code does what the interpreter does, to the last bit: successors and their order, faults,
// wraps, execute(), assertions.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/dve/interpreter.h"
#include "models/dve/native.h"
#include "models/dve/parse.h"
#include "tests/support/native_library.h"
#include "tests/support/paths.h"
#include "tests/support/random_dve.h"

namespace comback::test {
namespace {

struct Case {
  std::string title;
  std::unique_ptr<dve::DveModel> model;
  std::size_t number;  // in the library
};

// The texts in all modes of range errors; those that are no models are left out.
class Cases {
 public:
  void add(const std::string& title, const std::string& text) {
    for (const dve::RangeErrors mode : kAllRangeErrors) {
      dve::ProgramResult parsed = dve::parse_program(title, text, true);
      if (std::holds_alternative<Diagnostics>(parsed)) return;
      auto model = std::make_unique<dve::DveModel>(std::get<dve::Program>(std::move(parsed)), mode);
      const std::size_t number = library_.add(model->program(), mode);
      cases_.push_back(
          {title + ", mode " + std::to_string(static_cast<int>(mode)), std::move(model), number});
    }
  }

  void check(const std::string& optimisation, std::size_t states, std::size_t walk_steps) {
    ASSERT_NO_FATAL_FAILURE(library_.build(optimisation, COMBACK_SANITIZE));
    for (const Case& c : cases_) {
      SCOPED_TRACE(c.title);
      const dve::CodeTable& code = library_.table(c.number);
      ASSERT_EQ(code.abi, dve::kCodeAbi);
      ASSERT_EQ(code.width, c.model->width());
      expect_same_behaviour(*c.model, code, states, walk_steps);
      if (::testing::Test::HasFailure()) return;
    }
  }
  std::size_t size() const { return cases_.size(); }

 private:
  NativeLibrary library_;
  std::vector<Case> cases_;
};

TEST(NativeSamples, DoWhatTheInterpreterDoes) {
  Cases cases;
  for (const auto& entry : std::filesystem::directory_iterator(samples_dir())) {
    if (entry.path().extension() == ".dve") {
      cases.add(entry.path().filename().string(), read_file(entry.path()));
    }
  }
  ASSERT_GE(cases.size(), 20u * 4);
  cases.check("-O1", 300, 300);
}

class NativeRandomPrograms : public ::testing::TestWithParam<unsigned> {};

// The title of a case is its seed; RandomDve::text(seed) is the model.
TEST_P(NativeRandomPrograms, DoWhatTheInterpreterDoes) {
  Cases cases;
  for (unsigned i = 0; i < 20; ++i) {
    const unsigned seed = GetParam() * 20 + i;
    cases.add("seed " + std::to_string(seed), RandomDve::text(seed));
  }
  ASSERT_GE(cases.size(), 10u * 4);
  cases.check(GetParam() % 2 == 0 ? "-O0" : "-O1", 120, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NativeRandomPrograms,
                         ::testing::Range(COMBACK_SEEDS_FROM, COMBACK_SEEDS_TO));

// What the models above do not have.
TEST(NativeCases, DoWhatTheInterpreterDoes) {
  Cases cases;
  std::string states;
  std::string transitions;
  for (int i = 0; i < 260; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string from = std::to_string(i);
    const std::string to = std::to_string((i * 7 + 1) % 260);
    states.append(comma).append("s").append(from);
    transitions.append(comma).append("s").append(from).append(" -> s").append(to);
    transitions.append(" { effect x = x + 9; }");
  }
  cases.add("locations of two bytes", "byte x;\nprocess P { state " + states + "; init s0; trans " +
                                          transitions +
                                          "; }\nprocess Q { state a; init a; trans a -> a "
                                          "{ guard P.s259; }; }\nsystem async;");
  std::string deep = "x";
  for (int i = 0; i < 450; ++i) deep = "(" + deep + (i % 2 == 0 ? " + 1)" : " - 1)");
  cases.add("a deep expression", "byte x;\nprocess P { state p; init p; trans p -> p { guard " +
                                     deep + " < 9; effect x = " + deep +
                                     " + 1; }; }\nsystem async;");
  cases.add("a wide state", R"(
byte big[200]; int more[20]; byte i;
process P { state a, b; init a; assert b: big[i] < 3;
  trans a -> b { effect big[i * 3] = i, more[i] = i - 300 * i; },
        b -> a { guard i < 250; effect i = i + 1; }; }
system async;)");
  cases.add("arithmetic at its limits", R"(
const int huge = 9223372036854775807;
byte i, r; int v;
process P { state a, b; init a;
  trans a -> b { effect v = ((-huge - 1) / (i - 1)) % 1000; },
        a -> b { effect v = ((-huge - 1) % (i - 1)) + ((0 - i) << 62 >> 61); },
        a -> b { effect v = (i - 2) * (huge / 2) >> 60; },
        a -> b { effect v = (1 << i) >> (i / 2); },
        a -> b { effect v = (huge >> (i * 4)) & 4095; },
        a -> b { effect v = ~(i ^ -1) | (v & -256); },
        a -> b { effect v = (v * v * v * v * v * v) % 30000; },
        a -> b { effect v = (v - i) * -3 / (i % 3); },
        a -> b { effect v = v + (i imply v) + (not v); },
        b -> a { guard i < 70; effect i = i + 1; }, b -> a { effect v = v - i; };
}
system async;)");
  cases.add("the first of two faults", R"(
byte a[2], b[3], i = 4; int v;
process P { state p, q; init p;
  trans p -> q { guard a[i] + b[i] > 0; },
        p -> q { guard (1 / a[0]) % (a[i] * 0) > 0; },
        p -> q { effect a[i + 1] = 1 / a[1]; },
        p -> q { effect v = i, a[0] = 300, b[i] = 2; },
        p -> p { guard i > 0; effect i = i - 1; }; }
system async;)");
  cases.add("a fault of a receiver whose sender is not ready", R"(
byte a[2], i; channel c; channel {byte, int} t[0];
process R { byte x; int y; state r, z; init r;
  trans r -> z { guard a[i] == 0; sync c?a[i]; }, r -> r { sync t?{x, y}; effect i = x; },
        z -> r { effect i = i - y; }; }
process S { state s, u; init u;
  trans u -> s { guard i < 4; effect i = i + 1; },
        s -> u { guard 6 / (3 - i) > 1; sync c!i * 100; effect a[0] = a[0] + i; },
        s -> s { sync c!a[i]; }, s -> u { sync t!{i * 90, i - 40000 * i}; }; }
system async;)");
  cases.check("-O1", 2000, 0);
}

}  // namespace
}  // namespace comback::test

// Every model keeps the contract of models/model.h, on which the engine's exactness rests.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/dve_models.h"
#include "tests/support/paths.h"

namespace comback::test {
namespace {

constexpr std::size_t kStates = 3000;

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(samples_dir())) {
    if (entry.path().extension() == ".dve") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Model> sample() {
    return loaded(dve::load_file(samples_dir() / (GetParam() + ".dve"),
                                 {.backend = dve::Backend::kInterpreted, .ignore_property = true}));
  }

  // The first states of the model, breadth first.
  static std::vector<std::string> some_states(const Model& model) {
    std::vector<std::string> states{initial_state(model)};
    std::set<std::string> seen{states[0]};
    SuccessorBuffer buffer(model.width(), model.max_successors());
    for (std::size_t s = 0; s < states.size() && states.size() < kStates; ++s) {
      model.successors(state_of(states[s]), buffer);
      for (std::uint32_t i = 0; i < buffer.size(); ++i) {
        std::string next = bytes_of(buffer.descriptor(i), model.width());
        if (seen.insert(next).second) states.push_back(std::move(next));
      }
    }
    return states;
  }
};

TEST_P(Contract, SuccessorsComeByIncreasingEventAndAreWhatExecuteMakes) {
  const auto model = sample();
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  for (const std::string& state : some_states(*model)) {
    model->successors(state_of(state), buffer);
    ASSERT_LE(buffer.size(), model->max_successors());
    ASSERT_FALSE(buffer.faulted()) << model->explain(buffer.fault());
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      if (i > 0) {
        ASSERT_LT(buffer.event(i - 1), buffer.event(i));
      }
      std::string executed = state;
      model->execute(reinterpret_cast<std::byte*>(executed.data()), buffer.event(i));
      ASSERT_EQ(executed, bytes_of(buffer.descriptor(i), model->width()))
          << model->describe_event(state_of(state), buffer.event(i));
      if (!model->events().empty()) {
        ASSERT_LT(buffer.event(i), model->events().size());
      }
    }
  }
}

// Different garbage in every output, other calls in between, several threads: the same bytes.
TEST_P(Contract, MethodsArePureFunctions) {
  const auto model = sample();
  ASSERT_TRUE(model);
  EXPECT_EQ(initial_state(*model), initial_state(*model));
  const std::vector<std::string> states = some_states(*model);
  const auto everything = [&](int garbage) {
    std::string out;
    SuccessorBuffer buffer(model->width(), model->max_successors());
    std::memset(buffer.view.descriptors, garbage, model->width() * model->max_successors());
    for (std::size_t s = 0; s < states.size(); s += 7) {
      const std::string copy = states[s];
      model->successors(state_of(copy), buffer);
      if (copy != states[s]) return std::string("a state changed");
      for (std::uint32_t i = 0; i < buffer.size(); ++i) {
        out += std::to_string(buffer.event(i)) + bytes_of(buffer.descriptor(i), model->width());
      }
      out += std::to_string(model->failed_assertion(state_of(copy)));
    }
    return out;
  };
  const std::string expected = everything(0);
  EXPECT_EQ(everything(0xff), expected);
  std::vector<std::thread> threads;
  std::atomic<int> different{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      if (everything(t) != expected) ++different;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

// Equal states have equal bytes: what variables() does not describe is zero.
TEST_P(Contract, VariablesDescribeEveryByteThatIsNotZero) {
  const auto model = sample();
  ASSERT_TRUE(model);
  std::vector<bool> described(model->width());
  for (const VariableInfo& info : model->variables()) {
    std::size_t bytes = info.element_bytes * std::max(1u, info.length);
    if (info.kind == VariableInfo::Kind::kChannel) {
      bytes = 1 + info.element_bytes * ((info.length - 1) / info.message_items);
    }
    ASSERT_LE(info.offset_bytes + bytes, model->width()) << info.name;
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_FALSE(described[info.offset_bytes + i]) << info.name << " overlaps";
      described[info.offset_bytes + i] = true;
    }
  }
  for (const std::string& state : some_states(*model)) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (!described[i]) {
        ASSERT_EQ(state[i], '\0') << "byte " << i;
      }
    }
    for (std::uint32_t v = 0; v < model->variables().size(); ++v) {
      const VariableInfo& info = model->variables()[v];
      for (std::uint32_t e = 0; e < std::max(1u, info.length); ++e) {
        ASSERT_GE(model->value(state_of(state), v, e), info.min) << info.name;
        ASSERT_LE(model->value(state_of(state), v, e), info.max) << info.name;
      }
    }
  }
}

// What an event's info says it reads and writes is enough: it changes nothing else, and nothing
// else decides whether it is enabled or what it does.
TEST_P(Contract, EventsTouchOnlyWhatTheirInfoSays) {
  const auto model = sample();
  ASSERT_TRUE(model);
  if (model->events().empty()) GTEST_SKIP() << "events without fixed numbers";
  const auto uses = [](const std::vector<VariableUse>& list, std::uint32_t v, std::uint32_t e) {
    return std::any_of(list.begin(), list.end(), [&](const VariableUse& use) {
      return use.variable == v && (use.element == kWholeArray || use.element == e);
    });
  };
  SuccessorBuffer buffer(model->width(), model->max_successors());
  for (const std::string& state : some_states(*model)) {
    model->successors(state_of(state), buffer);
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      const EventInfo& info = model->events()[buffer.event(i)];
      for (std::uint32_t v = 0; v < model->variables().size(); ++v) {
        for (std::uint32_t e = 0; e < std::max(1u, model->variables()[v].length); ++e) {
          if (model->value(state_of(state), v, e) == model->value(buffer.descriptor(i), v, e)) {
            continue;
          }
          ASSERT_TRUE(uses(info.writes, v, e))
              << model->variables()[v].name << " in "
              << model->describe_event(state_of(state), buffer.event(i));
        }
      }
    }
  }

  // Pairs of events where neither writes what the other reads or writes commute.
  const auto independent = [&](const EventInfo& a, const EventInfo& b) {
    const auto apart = [](const std::vector<VariableUse>& x, const std::vector<VariableUse>& y) {
      return std::none_of(x.begin(), x.end(), [&](const VariableUse& p) {
        return std::any_of(y.begin(), y.end(), [&](const VariableUse& q) {
          return p.variable == q.variable &&
                 (p.element == q.element || p.element == kWholeArray || q.element == kWholeArray);
        });
      });
    };
    return apart(a.writes, b.reads) && apart(a.writes, b.writes) && apart(a.reads, b.writes);
  };
  const std::vector<std::string> states = some_states(*model);
  for (std::size_t s = 0; s < std::min<std::size_t>(states.size(), 300); ++s) {
    model->successors(state_of(states[s]), buffer);
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      for (std::uint32_t j = 0; j < buffer.size(); ++j) {
        const Event a = buffer.event(i);
        const Event b = buffer.event(j);
        if (a >= b || !independent(model->events()[a], model->events()[b])) continue;
        ASSERT_EQ(after(*model, states[s], {a, b}), after(*model, states[s], {b, a}))
            << model->describe_event(state_of(states[s]), a) << " and "
            << model->describe_event(state_of(states[s]), b);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Contract, ::testing::ValuesIn(sample_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace comback::test

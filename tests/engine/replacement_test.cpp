#include "engine/replacement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace comback {
namespace {

Replacement replacement(const std::string& text) {
  const auto parsed = Replacement::parse(text);
  EXPECT_TRUE(parsed) << text;
  return *parsed;
}

TEST(Replacement, ReadsWhatItWrites) {
  for (const char* text : {"random", "most", "least", "class", "subtree", "type:1", "type:500"}) {
    EXPECT_EQ(replacement(text).to_string(), text);
  }
  EXPECT_EQ(replacement("type").to_string(), "type:16");
  for (const char* text :
       {"", "lru", "type:", "type:0", "type:x", "type:1x", "type:100001", "random:3"}) {
    EXPECT_FALSE(Replacement::parse(text)) << text;
  }
}

// What is known of a state, in the plainest way.
struct Known {
  bool used = false;
  bool on_stack = false;
  std::uint32_t visits = 0;
  std::uint64_t depth = 0;
  EventKind kind = EventKind::kOther;
};

constexpr EventKind kKinds[] = {EventKind::kBranch, EventKind::kReceive, EventKind::kSend,
                                EventKind::kAssignment, EventKind::kOther};

class ReplacementProperty : public ::testing::TestWithParam<std::tuple<const char*, unsigned>> {};

// Whether the strategy would choose `chosen` of what may be replaced.
bool is_right(const std::string& strategy, const std::vector<Known>& states, std::uint32_t chosen) {
  std::vector<int> classes(1000);
  for (const Known& s : states) {
    if (s.used && !s.on_stack) ++classes[s.visits];
  }
  const Known& c = states[chosen];
  return std::all_of(states.begin(), states.end(), [&](const Known& s) {
    if (!s.used || s.on_stack) return true;
    if (strategy == "most") return s.visits <= c.visits;
    if (strategy == "least") return s.visits >= c.visits;
    if (strategy == "class") return classes[s.visits] <= classes[c.visits];
    if (strategy == "subtree") return s.depth <= c.depth;
    if (strategy == "type:100000") return s.kind <= c.kind;  // all are looked at, almost surely
    return true;
  });
}

TEST_P(ReplacementProperty, ChoosesAsItsNameSays) {
  const auto& [strategy, seed] = GetParam();
  constexpr std::uint32_t kSlots = 30;
  MemoryBudget budget;
  ReplacementChoice choice(replacement(strategy), seed, kSlots, budget);
  ASSERT_TRUE(choice.open());
  std::mt19937 random(seed);
  std::vector<Known> states(kSlots);
  std::vector<int> times(kSlots);
  for (int step = 0; step < 3000; ++step) {
    const auto slot = static_cast<std::uint32_t>(random() % kSlots);
    const EventKind kind = kKinds[random() % 5];
    Known& state = states[slot];
    if (!state.used) {
      state = {true, true, 1, random() % kSlots, kind};
      choice.enter(slot, state.depth, kind);
    } else if (random() % 3 == 0) {
      state.visits = std::min(state.visits + 1, 255u);
      state.kind = std::min(state.kind, kind);
      choice.match(slot, kind);
    } else if (state.on_stack) {
      state.on_stack = false;
      choice.leave(slot);
    } else {
      const std::uint32_t victim = choice.choose();
      ASSERT_LT(victim, kSlots);
      ASSERT_TRUE(states[victim].used && !states[victim].on_stack) << "the stack stays";
      EXPECT_TRUE(is_right(strategy, states, victim)) << "step " << step;
      states[victim].used = false;
      ++times[victim];
    }
    ASSERT_EQ(choice.size(), static_cast<std::uint64_t>(std::count_if(
                                 states.begin(), states.end(),
                                 [](const Known& s) { return s.used && !s.on_stack; })));
  }
  if (std::string(strategy) == "random") {
    EXPECT_GT(*std::min_element(times.begin(), times.end()), 0) << "everyone's turn comes";
  }
  for (Known& s : states) s.on_stack = true;
  while (choice.size() > 0) choice.choose();
  EXPECT_EQ(choice.choose(), ReplacementChoice::kNone);
}
INSTANTIATE_TEST_SUITE_P(Strategies, ReplacementProperty,
                         ::testing::Combine(::testing::Values("random", "most", "least", "class",
                                                              "subtree", "type:1", "type:100000"),
                                            ::testing::Range(0u, 5u)));

}  // namespace
}  // namespace comback

#include "engine/independence.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/independence_check.h"
#include "engine/sleep_sets.h"
#include "tests/support/dve_models.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::dve_model;

// The events "PROCESS NUMBER-OF-TRANSITION" of a model, by name; of a rendezvous the receiver's.
class Relation {
 public:
  explicit Relation(const std::string& text)
      : model_(dve_model(text)), independence_(*model_, budget_) {}

  bool operator()(const std::string& a, const std::string& b) {
    const bool there = independence_.independent(event(a), event(b));
    EXPECT_EQ(there, independence_.independent(event(b), event(a))) << "symmetric";
    return there;
  }

 private:
  Event event(const std::string& name) const {
    for (Event e = 0; e < model_->events().size(); ++e) {
      const EventInfo& info = model_->events()[e];
      if (model_->processes()[info.process].name + " " + std::to_string(info.transition) == name) {
        return e;
      }
    }
    ADD_FAILURE() << "no event " << name;
    return 0;
  }

  MemoryBudget budget_;
  std::unique_ptr<Model> model_;
  Independence independence_;
};

TEST(Independence, FollowsReadsAndWrites) {
  Relation independent(R"(
    byte x, y; byte a[3]; byte i;
    process P { byte l; state s, t; init s; trans
      s -> t { effect x = 1; },
      s -> t { guard y == 0; },
      s -> s { effect l = 1; },
      s -> t { effect a[0] = 1; },
      s -> t { effect a[i] = 1; }; }
    process Q { state s, t; init s; trans
      s -> t { guard x == 0; },
      s -> t { effect y = 1; },
      s -> t { guard y == 1; },
      s -> t { effect a[1] = 1; },
      s -> t { guard P.s; },
      s -> t { effect x = 2; }; }
    system async;)");
  EXPECT_FALSE(independent("P 0", "Q 0")) << "writes what the other reads";
  EXPECT_FALSE(independent("P 0", "Q 5")) << "both write";
  EXPECT_FALSE(independent("P 1", "Q 1"));
  EXPECT_TRUE(independent("P 1", "Q 2")) << "both read";
  EXPECT_TRUE(independent("P 0", "Q 1"));
  EXPECT_TRUE(independent("P 3", "Q 3")) << "different elements";
  EXPECT_FALSE(independent("P 4", "Q 3")) << "maybe the same element";
  EXPECT_FALSE(independent("P 0", "P 1")) << "one process";
  EXPECT_FALSE(independent("P 0", "P 0")) << "one event";
  EXPECT_FALSE(independent("P 0", "Q 4")) << "moves what the other's guard asks for";
  EXPECT_TRUE(independent("P 2", "Q 4")) << "does not move";
}

TEST(Independence, SendsAndReceivesOfOneBufferDoNotMeet) {
  Relation independent(R"(
    channel {byte} c[2]; channel {byte} d[2]; channel {byte} r[0];
    byte x, y;
    process P { state s, t; init s; trans
      s -> t { sync c!1; }, s -> t { sync c!x; }, s -> t { sync d!1; }, s -> t { sync r!1; }; }
    process Q { state s, t; init s; trans
      s -> t { sync c?y; }, s -> t { sync c?x; }, s -> t { sync r?y; }; }
    process R { state s, t; init s; trans
      s -> t { sync c!2; }, s -> t { sync c?x; }, s -> t { effect y = 3; }; }
    system async;)");
  EXPECT_TRUE(independent("P 0", "Q 0"));
  EXPECT_FALSE(independent("P 1", "Q 1")) << "the received value is sent";
  EXPECT_FALSE(independent("P 0", "R 0")) << "messages stand in line";
  EXPECT_FALSE(independent("Q 0", "R 1")) << "only one gets the first message";
  EXPECT_TRUE(independent("P 2", "Q 0"));
  EXPECT_TRUE(independent("P 2", "R 0")) << "different channels";
  EXPECT_FALSE(independent("Q 0", "R 2")) << "the received value is overwritten";
  EXPECT_FALSE(independent("Q 2", "P 0")) << "the sender of the rendezvous moves";
  EXPECT_TRUE(independent("Q 2", "R 0"));
}

TEST(Independence, WhoCommitsStopsTheOthers) {
  Relation independent(R"(
    byte x;
    process P { state s, c, d, t; init s; commit c, d; trans
      s -> c { }, c -> d { }, c -> t { }, s -> t { }; }
    process Q { state s, c, t; init s; commit c; trans
      s -> t { }, c -> t { }, s -> t { guard P.s; }, t -> c { }; }
    process R { state s, t; init s; trans s -> t { }; }
    system async;)");
  EXPECT_FALSE(independent("P 0", "R 0")) << "disables it";
  EXPECT_FALSE(independent("P 0", "Q 0"));
  EXPECT_TRUE(independent("P 3", "R 0")) << "nobody commits";
  EXPECT_TRUE(independent("P 3", "Q 0"));
  EXPECT_FALSE(independent("P 3", "Q 2")) << "its guard asks";
  EXPECT_TRUE(independent("P 1", "Q 1")) << "both are and the other stays committed";
  EXPECT_TRUE(independent("P 2", "Q 1"));
  EXPECT_FALSE(independent("P 0", "Q 3"));
}

// An event that may lead to the error state may undo everything.
TEST(Independence, RangeErrorsReachEverything) {
  const std::string text = R"(
    byte x; byte y;
    process P { state s, t; init s; trans s -> t { effect x = x + 1; }; }
    process Q { state s, t; init s; trans s -> t { effect y = 1; }; }
    system async;)";
  for (const auto range_errors : test::kAllRangeErrors) {
    const auto model = dve_model(text, range_errors);
    MemoryBudget budget;
    Independence independence(*model, budget);
    const bool whole_state = range_errors == dve::RangeErrors::kErrorState ||
                             range_errors == dve::RangeErrors::kTerminal;
    EXPECT_EQ(independence.independent(0, 1), !whole_state);
  }
}

// Says of three events that they use different variables: 0 and 1 count, 2 counts where 0 has not,
// and 3 doubles what 0 counts.
class LyingModel : public test::PlainModel {
 public:
  explicit LyingModel(Event with) : with_(with) {
    for (std::uint32_t e = 0; e < 4; ++e) {
      events_.push_back({.reads = {{.variable = e}}, .writes = {{.variable = e}}});
      variables_.emplace_back().name = std::to_string(e);
    }
  }
  const std::string& name() const override { return name_; }
  std::size_t width() const override { return 4; }
  std::size_t max_successors() const override { return 4; }
  void initial(std::byte* out) const override { std::memset(out, 1, 4); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    out.clear();
    for (const Event e : {Event{0}, with_}) {
      if (e == 2 && state[0] != std::byte{1}) continue;
      out.view.events[out.view.count] = e;
      std::byte* const successor = out.view.descriptors + 4 * out.view.count++;
      std::memcpy(successor, state, 4);
      execute(successor, e);
    }
  }
  void execute(std::byte* state, Event event) const override {
    std::byte& x = state[event == 3 ? 0 : event];
    x = event == 3 ? x << 1 : std::byte(std::to_integer<int>(x) + 1);
  }
  std::span<const EventInfo> events() const override { return events_; }
  std::span<const VariableInfo> variables() const override { return variables_; }

 private:
  Event with_;
  std::string name_ = "liar";
  std::vector<EventInfo> events_;
  std::vector<VariableInfo> variables_;
};

std::string complaint_of(Event with) {
  const LyingModel model(with);
  MemoryBudget budget;
  Independence independence(model, budget);
  IndependenceCheck check(model, independence);
  std::vector<std::byte> state(4 + kDescriptorSlack);
  model.initial(state.data());
  const std::optional<Error> error = check.look_at(state.data());
  EXPECT_EQ(check.pairs(), 1u);
  return error ? error->what : "";
}

TEST(IndependenceCheck, NoticesWhatIsNotIndependent) {
  EXPECT_EQ(complaint_of(1), "");
  EXPECT_NE(complaint_of(2).find("'0' and '2' are taken for independent, but the first disables"),
            std::string::npos);
  EXPECT_NE(complaint_of(3).find("'0' and '3' are taken for independent, but their two orders"),
            std::string::npos);
}

TEST(SleepSets, StoresEachSetOnce) {
  MemoryBudget budget;
  SleepSets sets(1 << 20, budget);
  const std::vector<Event> three = {2, 5, 9};
  const auto id = sets.number(three);
  EXPECT_EQ(sets.number({}), SleepSets::kEmpty);
  EXPECT_EQ(sets.with(sets.with(sets.with(SleepSets::kEmpty, 9), 2), 5), id);
  EXPECT_EQ(sets.with(id, 5), id);
  EXPECT_TRUE(sets.contains(id, 9));
  EXPECT_FALSE(sets.contains(id, 3));
  sets.note(id);
  sets.note(id);
  EXPECT_EQ(sets.noted(), 1u);

  std::vector<SleepSets::Id> ids;
  for (Event e = 0; e < 2000; ++e) ids.push_back(sets.with(id, 100 + e));
  for (Event e = 0; e < 2000; ++e) {
    ASSERT_EQ(sets.get(ids[e]).size(), 4u);
    ASSERT_EQ(sets.get(ids[e])[3], 100 + e);
    ASSERT_EQ(sets.with(id, 100 + e), ids[e]);
  }
}

TEST(SleepSets, AreSmallerWhereThereIsNoMemory) {
  MemoryBudget budget;
  SleepSets sets(4000, budget);
  SleepSets::Id id = SleepSets::kEmpty;
  for (Event e = 0; e < 10'000; ++e) id = sets.with(id, e);
  EXPECT_LT(sets.get(id).size(), 10'000u);
  EXPECT_GT(sets.get(id).size(), 0u);
  std::vector<Event> unknown(1000);
  std::iota(unknown.begin(), unknown.end(), 5);
  EXPECT_EQ(sets.number(unknown), SleepSets::kEmpty);
  EXPECT_LE(budget.used(), 4000u);
}

}  // namespace
}  // namespace comback

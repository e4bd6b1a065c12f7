// What an index out of range, a division by zero and a value outside its type do, in every mode.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"

namespace comback::test {
namespace {

using dve::RangeErrors;
using Steps = std::vector<std::string>;

// One model per place that can fail. Event 0 comes before the failing event 1, event 2 after it.
struct Failing {
  const char* what;
  const char* declarations;
  const char* transition;  // the failing one
  std::int64_t value;      // what Fault::value should be
  bool wraps;              // whether mode wrap goes on
  const char* wrapped;     // the state then, without P
};

std::ostream& operator<<(std::ostream& out, const Failing& f) { return out << f.what; }

const Failing kFailing[] = {
    {"byte too large", "byte x = 200;", "p -> q { effect x = x + 100; }", 300, true, "x=44"},
    {"byte negative", "byte x;", "p -> q { effect x = x - 1; }", -1, true, "x=255"},
    {"int too large", "int x = 32767;", "p -> q { effect x = x + 1; }", 32768, true, "x=-32768"},
    {"int too small", "int x = -32768;", "p -> q { effect x = x - 2; }", -32770, true, "x=32766"},
    {"element too large", "byte x[2], i = 1;", "p -> q { effect x[i] = i * 256; }", 256, true,
     "x=[0,0] i=1"},
    {"int element", "int x[2]; byte i = 1;", "p -> q { effect x[i] = 40000 * i; }", 40000, true,
     "x=[0,-25536] i=1"},
    {"index in an effect", "byte x[2], i = 2;", "p -> q { effect x[i] = 1; }", 2, false, ""},
    {"negative index", "byte x[2]; int i = -1;", "p -> q { effect x[i] = i; }", -1, false, ""},
    {"index in a value", "byte x[2], i = 7;", "p -> q { effect i = x[i]; }", 7, false, ""},
    {"index in a guard", "byte x[2], i = 2;", "p -> q { guard x[i] == 1; }", 2, false, ""},
    {"constant array", "const byte x[2] = {1, 2}; byte i = 2;", "p -> q { guard x[i] == 1; }", 2,
     false, ""},
    {"division", "byte x = 9, y;", "p -> q { effect x = x / y; }", 9, false, ""},
    {"remainder in a guard", "int x = -9, y;", "p -> q { guard x % y == 0; }", -9, false, ""},
    {"division by an element", "byte x = 9, y[2], i = 1;", "p -> q { guard 7 / y[i] == 0; }", 7,
     false, ""},
};

class EveryFault : public ::testing::TestWithParam<Failing> {
 protected:
  static std::string text() {
    return std::string(GetParam().declarations) +
           "\nprocess P { state p, q; init p; trans p -> p {}, " + GetParam().transition +
           ", p -> p {}; }\nprocess Q { state a, b; init b; trans a -> b {}; }\nsystem async;";
  }
};

TEST_P(EveryFault, StopsWithTheOtherEventsListed) {
  const auto model = dve_model(text());
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  model->successors(state_of(initial_state(*model)), buffer);
  ASSERT_EQ(buffer.size(), 2u);
  EXPECT_EQ(buffer.event(0), 0u);
  EXPECT_EQ(buffer.event(1), 2u);
  ASSERT_TRUE(buffer.faulted());
  EXPECT_EQ(buffer.fault().event, 1u);
  EXPECT_EQ(buffer.fault().value, GetParam().value);
  const std::string words = model->explain(buffer.fault());
  EXPECT_NE(words.find(std::to_string(GetParam().value)), std::string::npos) << words;
  EXPECT_NE(words.find("P from p to q"), std::string::npos) << words;
  EXPECT_NE(words.find("^"), std::string::npos) << words;
}

TEST_P(EveryFault, WrapsStoredValuesOnly) {
  const auto model = dve_model(text(), RangeErrors::kWrap);
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  model->successors(state_of(initial_state(*model)), buffer);
  EXPECT_EQ(buffer.faulted(), !GetParam().wraps);
  EXPECT_EQ(buffer.wraps(), GetParam().wraps ? 1u : 0u);
  if (!GetParam().wraps) {
    EXPECT_EQ(buffer.size(), 2u);
    EXPECT_EQ(buffer.fault().value, GetParam().value);
    return;
  }
  ASSERT_EQ(buffer.size(), 3u);
  EXPECT_EQ(describe_state(*model, buffer.descriptor(1)),
            GetParam().wrapped + std::string(" P=q Q=b"));
  std::string executed = initial_state(*model);
  model->execute(reinterpret_cast<std::byte*>(executed.data()), 1);
  EXPECT_EQ(executed, bytes_of(buffer.descriptor(1), model->width()));
}

TEST_P(EveryFault, LeadsToTheErrorState) {
  for (const RangeErrors mode : {RangeErrors::kErrorState, RangeErrors::kTerminal}) {
    const auto model = dve_model(text(), mode);
    ASSERT_TRUE(model);
    SuccessorBuffer buffer(model->width(), model->max_successors());
    const std::string state = initial_state(*model);
    model->successors(state_of(state), buffer);
    EXPECT_FALSE(buffer.faulted());
    ASSERT_EQ(buffer.size(), 3u);
    EXPECT_EQ(buffer.event(1), 1u);
    const std::string error = bytes_of(buffer.descriptor(1), model->width());
    const auto variables = model->variables();
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
      for (std::uint32_t i = 0; i < std::max(1u, variables[v].length); ++i) {
        EXPECT_EQ(model->value(state_of(error), v, i), variables[v].name == "P" ? 2 : 0)
            << variables[v].name;
      }
    }
    std::string executed = state;
    model->execute(reinterpret_cast<std::byte*>(executed.data()), 1);
    EXPECT_EQ(executed, error);
    EXPECT_NE(describe_state(*model, state_of(error)).find("P=(range error)"), std::string::npos);

    // Q is at `a` in the error state, and can move unless the error is terminal.
    EXPECT_EQ(steps(*model, error).size(), mode == RangeErrors::kTerminal ? 0u : 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Places, EveryFault, ::testing::ValuesIn(kFailing));

TEST(RangeErrors, ReportTheFirstFault) {
  const auto model = dve_model(R"(
byte x, s[2];
process P { state p; init p; trans p -> p {}, p -> p { effect x = 256; }, p -> p { guard s[x - 1] == 0; }; }
system async;)");
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  for (int i = 0; i < 2; ++i) {
    model->successors(state_of(initial_state(*model)), buffer);
    EXPECT_EQ(buffer.fault().event, 1u);
    EXPECT_EQ(buffer.fault().value, 256);
    EXPECT_EQ(buffer.size(), 1u);
  }
}

TEST(RangeErrors, OfAReceiversGuardBelongToEverySenderThatIsThere) {
  const std::string text = R"(
channel c;
byte x = 3, s[2];
process R { state p, q; init p; trans p -> q { guard s[x] == 1; sync c?; }; }
process A { state p, q; init p; trans p -> q { sync c!; }, p -> q { guard 1 / s[0] == 1; sync c!; }; }
process B { state p, q; init q; trans p -> q { sync c!; }; }
system async;)";
  const auto stop = dve_model(text);
  ASSERT_TRUE(stop);
  SuccessorBuffer buffer(stop->width(), stop->max_successors());
  stop->successors(state_of(initial_state(*stop)), buffer);
  EXPECT_EQ(buffer.size(), 0u);
  ASSERT_TRUE(buffer.faulted());
  EXPECT_EQ(buffer.fault().event, 0u);
  EXPECT_EQ(buffer.fault().value, 3) << "the receiver's guard comes first";

  const auto error = dve_model(text, RangeErrors::kErrorState);
  EXPECT_EQ(steps(*error, initial_state(*error)).size(), 2u) << "not B, which is elsewhere";
}

TEST(RangeErrors, OfASendersGuardNeedTheReceiversToHold) {
  for (const bool holds : {false, true}) {
    const auto model = dve_model(std::string(R"(
channel c;
byte x = 3, s[2];
process R { state p, q; init p; trans p -> q { guard x == )") +
                                     (holds ? "3" : "4") + R"(; sync c?; }; }
process A { state p, q; init p; trans p -> q { guard s[x] == 0; sync c!; }; }
system async;)",
                                 RangeErrors::kTerminal);
    ASSERT_TRUE(model);
    EXPECT_EQ(steps(*model, initial_state(*model)).size(), holds ? 1u : 0u);
  }
}

TEST(RangeErrors, OfAFullChannelDoNotHappen) {
  const auto model = dve_model(R"(
channel {byte} c[1];
byte x = 3, s[2];
process A { state p, q; init p; trans p -> q { sync c!1; }, q -> q { guard s[x] == 0; sync c!1; }; }
process B { state p; init p; trans p -> p { guard s[x] == 0; sync c?x; }; }
system async;)");
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  const std::string state = initial_state(*model);
  model->successors(state_of(state), buffer);
  EXPECT_FALSE(buffer.faulted()) << "the channel is empty: B's guard is not evaluated";
  model->successors(state_of(after(*model, state, {0})), buffer);
  ASSERT_TRUE(buffer.faulted());
  EXPECT_EQ(buffer.fault().event, 2u) << "the channel is full: A's guard is not evaluated";
}

TEST(RangeErrors, OfTypedChannelsAreThoseOfTheirItems) {
  const std::string text = R"(
channel {byte} c[0];
channel {int, byte} box[2];
byte x = 200, y;
process A { state p, q; init p; trans p -> q { sync c!x + 100; }, p -> q { sync box!{x * 1000, -x}; }; }
process B { int v; state p, q; init p; trans p -> q { sync c?v; }; }
system async;)";
  const auto stop = dve_model(text);
  ASSERT_TRUE(stop);
  SuccessorBuffer buffer(stop->width(), stop->max_successors());
  stop->successors(state_of(initial_state(*stop)), buffer);
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.fault().value, 200000);
  EXPECT_NE(stop->explain(buffer.fault()).find("channel"), std::string::npos);

  const auto wrap = dve_model(text, RangeErrors::kWrap);
  EXPECT_EQ(steps(*wrap, initial_state(*wrap)), (Steps{"0: x=200 y=0 box=[(3392,56)] A=q B=p B.v=0",
                                                       "1: x=200 y=0 box=[] A=q B=q B.v=44"}));
  for (const Event event : {0u, 1u}) {
    std::string executed = initial_state(*wrap);
    wrap->execute(reinterpret_cast<std::byte*>(executed.data()), event);
    EXPECT_EQ(executed, after(*wrap, initial_state(*wrap), {event}));
  }
}

TEST(RangeErrors, OfAReceivedValueAreThoseOfItsVariable) {
  const std::string text = R"(
channel c;
process A { int v = 300; state p, q; init p; trans p -> q { sync c!v; }; }
process B { byte x; state p, q; init p; trans p -> q { sync c?x; }; }
system async;)";
  const auto wrap = dve_model(text, RangeErrors::kWrap);
  ASSERT_TRUE(wrap);
  EXPECT_EQ(steps(*wrap, initial_state(*wrap)), Steps{"0: A=q A.v=300 B=q B.x=44"});
  const auto stop = dve_model(text);
  SuccessorBuffer buffer(stop->width(), stop->max_successors());
  stop->successors(state_of(initial_state(*stop)), buffer);
  EXPECT_TRUE(buffer.faulted());
  EXPECT_EQ(buffer.fault().value, 300);
}

TEST(RangeErrors, OfSynchronousStepsKeepTheNumbers) {
  const std::string text = R"(
byte x = 255, s[2];
process P { state p; init p; trans p -> p {}, p -> p { guard s[x] == 0; }; }
process Q { state a, b; init a; trans a -> b { effect x = x + 1; }, a -> b { effect x = x - 1; }; }
system sync;)";
  const auto stop = dve_model(text);
  ASSERT_TRUE(stop);
  SuccessorBuffer buffer(stop->width(), stop->max_successors());
  stop->successors(state_of(initial_state(*stop)), buffer);
  ASSERT_EQ(buffer.size(), 1u);
  EXPECT_EQ(buffer.event(0), 1u);
  EXPECT_EQ(buffer.fault().event, 0u);
  EXPECT_EQ(buffer.fault().value, 256);

  const auto wrap = dve_model(text, RangeErrors::kWrap);
  SuccessorBuffer wrapped(wrap->width(), wrap->max_successors());
  wrap->successors(state_of(initial_state(*wrap)), wrapped);
  EXPECT_EQ(wrapped.size(), 2u);
  EXPECT_EQ(wrapped.wraps(), 1u);
  EXPECT_EQ(wrapped.fault().event, 2u);
  EXPECT_EQ(wrapped.fault().value, 255);

  const auto error = dve_model(text, RangeErrors::kErrorState);
  EXPECT_EQ(steps(*error, initial_state(*error)).size(), 4u);
  for (const Event event : {0u, 1u, 2u, 3u}) {
    std::string executed = initial_state(*error);
    error->execute(reinterpret_cast<std::byte*>(executed.data()), event);
    EXPECT_EQ(executed, after(*error, initial_state(*error), {event}));
  }
}

TEST(RangeErrors, WrapsAreCountedOverTheBuffersLife) {
  const auto model = dve_model(R"(
byte x = 255, y = 255;
process P { state p; init p; trans p -> p { effect x = x + 1, y = y + 1; }, p -> p { effect x = x + 1; }; }
system async;)",
                               RangeErrors::kWrap);
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  model->successors(state_of(initial_state(*model)), buffer);
  EXPECT_EQ(buffer.wraps(), 3u);
  model->successors(state_of(initial_state(*model)), buffer);
  EXPECT_EQ(buffer.wraps(), 6u);
}

// A run directory from somebody else may have any bytes for a descriptor. Whatever they are, there
// are no more successors than there is room for; a sanitizer sees that nothing outside is read.
// Disabled because it is not so yet: the interpreter stores to an array element whose index it
// takes for checked (docs/verify.md).
TEST(Strangers, DISABLED_BytesThatAreNoStateAreExpandedLikeOne) {
  const char* const kAsynchronous = R"(
byte a[3], i; int n; channel {byte, int} c[2];
process P { byte x; state p, q; init p;
  trans p -> q { guard i < 3; sync c!{i, n}; effect a[i] = a[i] + 1; },
        q -> p { sync c?{x, n}; effect a[x] = n, i = i + 1; },
        q -> q { guard a[i] > 0; effect a[a[i]] = 1; }; }
process Q { byte y[2]; state r, s; init r;
  trans r -> s { sync c?{y[i], n}; }, s -> r { effect i = 0; }; }
system async;)";
  const char* const kSynchronous = R"(
byte a[3], i;
process P { state p, q; init p; trans p -> q { guard i < 3; effect a[i] = 7; }, q -> p {}; }
process Q { state r, s; init r; trans r -> s { effect i = i + 1; }, s -> r { guard i > 2; }; }
system sync;)";
  std::mt19937 random(20261118);
  for (const char* const text : {kAsynchronous, kSynchronous}) {
    for (const RangeErrors mode :
         {RangeErrors::kStop, RangeErrors::kWrap, RangeErrors::kTerminal}) {
      for (const auto backend : {dve::Backend::kInterpreted, dve::Backend::kNative}) {
        if (backend == dve::Backend::kNative && mode == RangeErrors::kWrap) continue;
        const auto model = dve_model(text, mode, backend);
        ASSERT_TRUE(model);
        SuccessorBuffer buffer(model->width(), model->max_successors());
        std::string state(model->width() + kDescriptorSlack, '\0');
        for (int i = 0; i < 20000; ++i) {
          for (std::size_t b = 0; b < model->width(); ++b) {
            state[b] = static_cast<char>(random() % (i % 2 == 0 ? 256 : 4));
          }
          model->successors(state_of(state), buffer);
          ASSERT_LE(buffer.size(), model->max_successors());
          EXPECT_NE(describe_state(*model, state_of(state)), "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace comback::test

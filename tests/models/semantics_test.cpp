// The rules of the DVE language, each in the smallest model that shows it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"

namespace comback::test {
namespace {

using Steps = std::vector<std::string>;

std::string initial_text(const Model& model) {
  return describe_state(model, state_of(initial_state(model)));
}

TEST(DveState, StartsWithTheInitialValues) {
  const auto model = dve_model(R"(
const byte N = 2;
byte a, b = N + 1, s[3] = {7, N};
int i = -5;
process P { byte x = b; state p, q; init q; trans p -> q {}; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(initial_text(*model), "a=0 b=3 s=[7,2,0] i=-5 P=q P.x=3");
}

TEST(DveEffects, RunOneAfterTheOther) {
  const auto model = dve_model(R"(
byte a = 1, b = 2, s[2];
process P { state p, q; init p; trans p -> q { effect a = b, b = a + 1, s[b - 2] = a + b; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)), Steps{"0: a=2 b=3 s=[0,5] P=q"});
}

TEST(DveEffects, StillSeeTheLocationsBeforeTheEvent) {
  const auto model = dve_model(R"(
byte a;
process P { state p, q; init p; trans p -> q { effect a = 10 * P.p + P.q; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)), Steps{"0: a=10 P=q"});
}

TEST(DveEvents, ComeInDeclarationOrderWithTheirNumbers) {
  const auto model = dve_model(R"(
byte a;
process P { state p, q; init p; trans q -> p {}, p -> q {}, p -> p { guard a == 1; }, p -> p { effect a = 1; }; }
process Q { state p; init p; trans p -> p { effect a = 2; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)),
            (Steps{"1: a=0 P=q Q=p", "3: a=1 P=p Q=p", "4: a=2 P=p Q=p"}));
}

TEST(DveRendezvous, PairsEverySenderWithEveryReceiverButItself) {
  const auto model = dve_model(R"(
channel c;
process P { state p, q, r; init p; trans p -> q { sync c!; }, p -> r { sync c?; }; }
process Q { state p, q, r; init p; trans p -> q { sync c!; }, p -> r { sync c?; }; }
system async;)");
  ASSERT_TRUE(model);
  // At the receiver: P receives from Q, then Q from P.
  EXPECT_EQ(steps(*model, initial_state(*model)), (Steps{"0: P=r Q=q", "1: P=q Q=r"}));
}

TEST(DveRendezvous, OrdersSendersByDeclarationHoweverManyThereAre) {
  const auto model = dve_model(R"(
channel c;
process R { byte v; state a; init a; trans a -> a { sync c?v; }; }
process S {
  state a, b, d, e, f;
  init a;
  trans f -> a { sync c!5; }, a -> b { sync c!1; }, b -> d { sync c!2; }, a -> d { sync c!3; },
        d -> e { sync c!4; }, e -> f { sync c!6; };
}
system async;)");
  ASSERT_TRUE(model);
  const std::string state = initial_state(*model);
  EXPECT_EQ(steps(*model, state), (Steps{"1: R=a R.v=1 S=b", "3: R=a R.v=3 S=d"}));
  EXPECT_EQ(steps(*model, after(*model, state, {1})), Steps{"2: R=a R.v=2 S=d"});
  EXPECT_EQ(steps(*model, after(*model, state, {1, 2, 4, 5})), Steps{"0: R=a R.v=5 S=a"});
}

TEST(DveRendezvous, SendsTheValueOfTheStateBefore) {
  const auto model = dve_model(R"(
channel c;
byte i = 1;
process S { byte v = 7; state a, b; init a; trans a -> b { sync c!v + i; effect v = 0, i = i * 10; }; }
process R { byte w[3]; state a, b; init a; trans a -> b { guard w[1] == 0; sync c?w[i]; effect i = i + w[1]; }; }
system async;)");
  ASSERT_TRUE(model);
  // 8 into w[1] with the old index; the receiver's effect (9), then the sender's (90).
  EXPECT_EQ(steps(*model, initial_state(*model)), Steps{"0: i=90 S=b S.v=0 R=b R.w=[0,8,0]"});
}

TEST(DveRendezvous, NeedsBothGuards) {
  const std::string text = R"(
channel c;
byte x, y;
process S { state a, b; init a; trans a -> b { guard x == 0; sync c!; }; }
process R { state a, b; init a; trans a -> b { guard y == 0; sync c?; }; }
system async;)";
  const auto swapped = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    out.replace(out.find(from), from.size(), to);
    return out;
  };
  EXPECT_EQ(steps(*dve_model(text), initial_state(*dve_model(text))).size(), 1u);
  for (const std::string& other : {swapped("x == 0", "x == 1"), swapped("y == 0", "y == 1")}) {
    const auto model = dve_model(other);
    ASSERT_TRUE(model);
    EXPECT_TRUE(steps(*model, initial_state(*model)).empty());
  }
}

TEST(DveRendezvous, PassesSeveralValues) {
  const auto model = dve_model(R"(
channel {byte, int} c[0];
process S { byte k = 1; state a, b; init a; trans a -> b { sync c!{k + 1, -300}; effect k = 9; }; }
process R { byte x; int y[2]; state a, b; init a; trans a -> b { sync c?{x, y[x]}; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)), Steps{"0: S=b S.k=9 R=b R.x=2 R.y=[-300,0]"});
}

TEST(DveChannel, IsAQueueOfItsCapacity) {
  const auto model = dve_model(R"(
channel {byte, int} box[2];
process S { byte n; state a; init a; trans a -> a { sync box!{n, -n}; effect n = n + 1; }; }
process R { byte x; int y; state a; init a; trans a -> a { sync box?{x, y}; effect x = x * 10; }; }
system async;)");
  ASSERT_TRUE(model);
  std::string state = initial_state(*model);
  EXPECT_EQ(steps(*model, state), Steps{"0: box=[(0,0)] S=a S.n=1 R=a R.x=0 R.y=0"});
  state = after(*model, state, {0});
  EXPECT_EQ(steps(*model, state), (Steps{"0: box=[(0,0),(1,-1)] S=a S.n=2 R=a R.x=0 R.y=0",
                                         "1: box=[] S=a S.n=1 R=a R.x=0 R.y=0"}));
  state = after(*model, state, {0});
  EXPECT_EQ(steps(*model, state), Steps{"1: box=[(1,-1)] S=a S.n=2 R=a R.x=0 R.y=0"});
  state = after(*model, state, {1, 1});
  EXPECT_EQ(describe_state(*model, state_of(state)), "box=[] S=a S.n=2 R=a R.x=10 R.y=-1");
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(model->value(state_of(state), 0, i), 0) << "no trace of messages that are gone";
  }
}

TEST(DveChannel, TakesTheValuesOfTheStateBefore) {
  const auto model = dve_model(R"(
channel {byte} box[1];
byte i, w[2];
process S { byte v = 3; state a, b; init a; trans a -> b { sync box!v; effect v = 4; }; }
process R { state a, b; init a; trans a -> b { sync box?w[i]; effect i = w[0] - 2; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(describe_state(*model, state_of(after(*model, initial_state(*model), {0, 1}))),
            "i=1 w=[3,0] box=[] S=b S.v=4 R=b");
}

TEST(DveCommitted, OnlyCommittedProcessesMove) {
  const auto model = dve_model(R"(
channel c;
process P { state a, b, d; init a; commit b; trans a -> b {}, b -> d { sync c!; }, b -> a {}; }
process Q { state a, b; init a; trans a -> a {}, a -> b { sync c?; }; }
process R { state a, b; init a; commit a; trans a -> a { sync c?; }, a -> b {}; }
system async;)");
  ASSERT_TRUE(model);
  // R is committed: P and Q wait. (Events: 0 P a-b, 1 P b-a, 2 Q a-a, 3 Q with P, 4 R with P, 5.)
  const std::string state = initial_state(*model);
  EXPECT_EQ(steps(*model, state), Steps{"5: P=a Q=a R=b"});
  const std::string free = after(*model, state, {5});
  EXPECT_EQ(steps(*model, free), (Steps{"0: P=b Q=a R=b", "2: P=a Q=a R=b"}));
  // P is committed, Q is not: no rendezvous between them.
  EXPECT_EQ(steps(*model, after(*model, free, {0})), Steps{"1: P=a Q=a R=b"});
}

TEST(DveCommitted, ARendezvousNeedsBothSidesCommitted) {
  const auto model = dve_model(R"(
channel c;
process P { state a, b; init a; commit a; trans a -> b { sync c!; }; }
process Q { state a, b; init a; trans a -> b { sync c?; }; }
process R { state a, b; init a; commit a; trans a -> b { sync c?; }; }
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)), Steps{"1: P=b Q=a R=b"});
}

TEST(DveSynchronous, EveryProcessTakesOneTransition) {
  const auto model = dve_model(R"(
byte x = 1;
process P { state a, b; init a; trans a -> a { effect x = x + 1; }, a -> b { effect x = x * 2; }; }
process Q { state a, b; init a; trans a -> a { guard x == 1; effect x = x * 3; }, a -> a { guard x == 9; }, a -> b { effect x = x + P.a; }; }
system sync;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)),
            (Steps{"0: x=6 P=a Q=a", "1: x=3 P=a Q=b", "2: x=6 P=b Q=a", "3: x=3 P=b Q=b"}));
  EXPECT_TRUE(steps(*model, after(*model, initial_state(*model), {2})).empty())
      << "P has no transition: a deadlock";
  EXPECT_TRUE(model->events().empty());
}

TEST(DveAssertions, FailWhereTheConditionIsZeroOrCannotBeEvaluated) {
  const auto model = dve_model(R"(
byte x, s[2];
process P {
  state a, b;
  init a;
  assert a: x < 2, b: s[x] == 0;
  trans a -> a { guard x < 4; effect x = x + 1; }, a -> b {};
}
system async;)");
  ASSERT_TRUE(model);
  ASSERT_TRUE(model->has_assertions());
  const std::string zero = initial_state(*model);
  const auto failed = [&](const std::vector<Event>& events) {
    return model->failed_assertion(state_of(after(*model, zero, events)));
  };
  EXPECT_EQ(failed({}), -1);
  EXPECT_EQ(failed({0}), -1);
  EXPECT_EQ(failed({0, 0}), 0);
  EXPECT_EQ(failed({0, 1}), -1);
  EXPECT_EQ(failed({0, 0, 1}), 1) << "s[2] does not exist";
  EXPECT_EQ(model->describe_assertion(1), "test.dve:6: s[x] == 0, for P at b");
  EXPECT_EQ(model->describe_assertion(2), "");
}

TEST(DveExpressions, AndAndOrDecideWithTheirLeftSide) {
  const auto model = dve_model(R"(
byte x = 5, s[2];
process P {
  state a;
  init a;
  trans a -> a { guard x < 2 && s[x] == 0; },
        a -> a { guard x > 2 || s[x] == 0; },
        a -> a { guard x < 2 imply s[x] == 1; },
        a -> a { guard not (x > 2 or s[x] == 0); };
}
system async;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(steps(*model, initial_state(*model)),
            (Steps{"1: x=5 s=[0,0] P=a", "2: x=5 s=[0,0] P=a"}));
}

TEST(DveLocations, MayBeMoreThanAByteCounts) {
  std::string states = "s0";
  std::string transitions = "s0 -> s1 {}";
  for (int i = 1; i < 300; ++i) {
    states += ", s" + std::to_string(i);
    if (i < 299) {
      transitions += ", s" + std::to_string(i) + " -> s" + std::to_string(i + 1) + " {}";
    }
  }
  const auto model = dve_model(
      "byte seen;\nprocess P { state " + states + "; init s0; trans " + transitions + "; }\n" +
      "process Q { state a, b; init a; trans a -> b { guard P.s280; effect "
      "seen = P.s280; }; }\nsystem async;");
  ASSERT_TRUE(model);
  const Oracle oracle(*model);
  EXPECT_EQ(oracle.states.size(), 300u + 20u);
  EXPECT_EQ(describe_state(*model, oracle.bytes(319)), "seen=1 P=s299 Q=b");
}

}  // namespace
}  // namespace comback::test

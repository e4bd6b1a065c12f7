// What a DVE model says about itself, to people and to searches.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/dve_models.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

using Comparison = ComparisonInfo::Op;
using Form = EffectInfo::Form;

const char* const kText = R"(byte next = 1, slot[2] = {1, 0};
channel ping;
channel {byte, int} box[2];

process P {
  int x;
  state wait, cs;
  init wait;
  commit cs;
  trans
    wait -> cs { guard next == 0 && slot[1] > 2 and not P.cs && 3 >= x && (x < 1 || next);
                 effect slot[0] = 5, x = x - 2, next = next * 2, slot[next] = 1; },
    cs -> wait { sync ping?next; },
    cs -> cs { sync box!{next + 1, x}; };
}
process Q {
  state q;
  init q;
  accept q;
  trans q -> q { sync ping!slot[0]; /* why
                 not */ effect slot[1] = 0; },
        q -> q {};
}
system async;
)";

TEST(DveInfo, ListsVariablesChannelsAndProcesses) {
  const auto model = dve_model(kText);
  ASSERT_TRUE(model);
  std::vector<std::string> names;
  for (const VariableInfo& v : model->variables()) names.push_back(v.name);
  EXPECT_EQ(names, (std::vector<std::string>{"next", "slot", "box", "P", "P.x", "Q"}));
  const auto variables = model->variables();
  EXPECT_EQ(variables[1].length, 2u);
  EXPECT_EQ(variables[1].max, 255);
  EXPECT_EQ(variables[2].kind, VariableInfo::Kind::kChannel);
  EXPECT_EQ(variables[2].length, 5u);
  EXPECT_EQ(variables[2].message_items, 2u);
  EXPECT_EQ(variables[3].kind, VariableInfo::Kind::kLocation);
  EXPECT_EQ(variables[3].value_names, (std::vector<std::string>{"wait", "cs"}));
  EXPECT_EQ(variables[4].process, 0u);
  EXPECT_EQ(variables[4].min, -32768);

  ASSERT_EQ(model->channels().size(), 2u);
  EXPECT_EQ(model->channels()[0].line, 2u);
  EXPECT_EQ(model->channels()[1].items, (std::vector<std::string>{"byte", "int"}));
  EXPECT_EQ(model->channels()[1].capacity, 2u);

  ASSERT_EQ(model->processes().size(), 2u);
  EXPECT_TRUE(model->processes()[0].locations[1].committed);
  EXPECT_TRUE(model->processes()[1].locations[0].accepting);
  EXPECT_EQ(model->name(), "test.dve");
  EXPECT_EQ(model->backend(), "interpreted");
}

TEST(DveInfo, TellsTransitionsApart) {
  const auto model = dve_model(kText);
  ASSERT_TRUE(model);
  const auto& p = model->processes()[0].transitions;
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[0].kind, EventKind::kAssignment);
  EXPECT_EQ(p[1].kind, EventKind::kReceive);
  EXPECT_EQ(p[2].kind, EventKind::kSend);
  EXPECT_EQ(model->processes()[1].transitions[1].kind, EventKind::kBranch);
  EXPECT_EQ(p[0].line, 11u);
  EXPECT_EQ(p[0].guard, "next == 0 && slot[1] > 2 and not P.cs && 3 >= x && (x < 1 || next)");

  // next == 0, slot[1] > 2, P != cs, x <= 3; the disjunction is not a comparison.
  ASSERT_EQ(p[0].comparisons.size(), 4u);
  EXPECT_EQ(p[0].comparisons[1].variable, (VariableUse{1, 1}));
  EXPECT_EQ(p[0].comparisons[1].op, Comparison::kGreater);
  EXPECT_EQ(p[0].comparisons[1].constant, 2);
  EXPECT_EQ(p[0].comparisons[2].variable, (VariableUse{3}));
  EXPECT_EQ(p[0].comparisons[2].op, Comparison::kNotEqual);
  EXPECT_EQ(p[0].comparisons[2].constant, 1);
  EXPECT_EQ(p[0].comparisons[3].variable, (VariableUse{4}));
  EXPECT_EQ(p[0].comparisons[3].op, Comparison::kLessEqual);

  ASSERT_EQ(p[0].effects.size(), 4u);
  EXPECT_EQ(p[0].effects[0].form, Form::kSet);
  EXPECT_EQ(p[0].effects[0].target, (VariableUse{1, 0}));
  EXPECT_EQ(p[0].effects[0].amount, 5);
  EXPECT_EQ(p[0].effects[1].form, Form::kAdd);
  EXPECT_EQ(p[0].effects[1].amount, -2);
  EXPECT_EQ(p[0].effects[1].text, "x = x - 2");
  EXPECT_EQ(p[0].effects[2].form, Form::kOther);
  EXPECT_EQ(p[0].effects[3].form, Form::kOther) << "which element is not known";
  EXPECT_EQ(p[0].effects[3].target, (VariableUse{1}));

  EXPECT_EQ(p[1].channel, "ping");
  ASSERT_EQ(p[1].effects.size(), 1u);
  EXPECT_EQ(p[1].effects[0].target, (VariableUse{0}));
  EXPECT_EQ(p[1].effects[0].form, Form::kOther);
}

TEST(DveInfo, ListsWhatEventsReadAndWrite) {
  const auto model = dve_model(kText);
  ASSERT_TRUE(model);
  // 0: P wait-cs, 1: the rendezvous, 2: P's send, 3: Q's last.
  ASSERT_EQ(model->events().size(), 4u);
  const EventInfo& rendezvous = model->events()[1];
  EXPECT_EQ(rendezvous.kind, EventKind::kReceive);
  EXPECT_EQ(rendezvous.process, 0u);
  EXPECT_EQ(rendezvous.partner, 1u);
  EXPECT_EQ(rendezvous.partner_transition, 0u);
  EXPECT_EQ(rendezvous.reads, (std::vector<VariableUse>{{3}, {5}, {1, 0}}));
  EXPECT_EQ(rendezvous.writes, (std::vector<VariableUse>{{3}, {0}, {1, 1}}));
  const EventInfo& send = model->events()[2];
  EXPECT_EQ(send.writes, (std::vector<VariableUse>{{2}})) << "the location stays";
  EXPECT_EQ(send.reads, (std::vector<VariableUse>{{3}, {0}, {4}, {2}}));
  EXPECT_EQ(model->events()[3].reads, (std::vector<VariableUse>{{5}, {3}})) << "P may be committed";
}

TEST(DveInfo, ARangeErrorThatLeadsOnMayWriteEverything) {
  const auto model = dve_model(kText, dve::RangeErrors::kTerminal);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->events()[0].writes.size(), model->variables().size());
  EXPECT_EQ(model->variables()[3].value_names.back(), "(range error)");
}

TEST(DveWords, DescribeEvents) {
  const auto model = dve_model(kText);
  ASSERT_TRUE(model);
  const std::string state = initial_state(*model);
  EXPECT_EQ(model->describe_event(state_of(state), 0),
            "P line 11: wait -> cs { guard next == 0 && slot[1] > 2 and not P.cs && 3 >= x && (x < "
            "1 || next); effect slot[0] = 5, x = x - 2, next = next * 2, slot[next] = 1 }");
  EXPECT_EQ(model->describe_event(state_of(state), 1),
            "P line 13: cs -> wait { sync ping?next } with Q line 20: q -> q { sync ping!slot[0]; "
            "effect slot[1] = 0 }, ping passes 1");
  EXPECT_EQ(model->describe_event(state_of(state), 2),
            "P line 14: cs -> cs { sync box!{next + 1, x} }, box passes 2, 0");
  EXPECT_EQ(model->describe_event(state_of(state), 3), "Q line 22: q -> q {}");
}

TEST(DveWords, DescribeSynchronousEvents) {
  const auto model = dve_model(R"(process P { state a, b; init a; trans a -> a {}, a -> b {}; }
process Q { state a; init a; trans a -> a {}; }
system sync;)");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->describe_event(state_of(initial_state(*model)), 1),
            "P line 1: a -> b {} and Q line 2: a -> a {}");
}

TEST(DveWords, ExplainFaultsWithTheirPlace) {
  const auto model = dve_model(
      "byte a[4], i = 5;\nprocess P { state p; init p; trans\n"
      "  p -> p { guard a[i] == 0; },\n  p -> p { effect i = i / a[0]; },\n"
      "  p -> p { effect i = i * 60; };\n}\nsystem async;");
  ASSERT_TRUE(model);
  SuccessorBuffer buffer(model->width(), model->max_successors());
  model->successors(state_of(initial_state(*model)), buffer);
  ASSERT_TRUE(buffer.faulted());
  const std::string words = model->explain(buffer.fault());
  EXPECT_EQ(words.rfind("test.dve:3:", 0), 0u) << words;
  EXPECT_NE(words.find("index 5 is outside a[4], whose elements are 0 to 3"), std::string::npos)
      << words;
  EXPECT_NE(words.find("p -> p { guard a[i] == 0; },"), std::string::npos) << words;
}

TEST(DvePredicates, SeeOneState) {
  const auto model = dve_model(kText);
  ASSERT_TRUE(model);
  const std::string state = initial_state(*model);
  const auto value = [&](const char* text) -> std::optional<std::int64_t> {
    PredicateResult result = model->predicate(text);
    if (auto* diagnostics = std::get_if<Diagnostics>(&result)) {
      ADD_FAILURE() << to_string(*diagnostics);
      return std::nullopt;
    }
    const auto& predicate = std::get<std::unique_ptr<Predicate>>(result);
    EXPECT_EQ(predicate->text(), text);
    return predicate->evaluate(state_of(state));
  };
  EXPECT_EQ(value("next == 1"), 1);
  EXPECT_EQ(value("P.wait && not P.cs"), 1);
  EXPECT_EQ(value("P->x - 7"), -7);
  EXPECT_EQ(value("slot[next] + 10 * slot[0]"), 10);
  EXPECT_EQ(value("slot[next + 1] == 0"), std::nullopt);
  EXPECT_EQ(value("7 / P->x"), std::nullopt);
  const PredicateResult bad = model->predicate("nxt == 1");
  ASSERT_TRUE(std::holds_alternative<Diagnostics>(bad));
}

TEST(DveLoad, SaysWhatIsWrongWithAFile) {
  const TempDir dir;
  const auto message = [](const std::filesystem::path& file) {
    const dve::LoadResult result = dve::load_file(file, {.backend = dve::Backend::kInterpreted});
    const auto* diagnostics = std::get_if<Diagnostics>(&result);
    return diagnostics == nullptr ? std::string("loaded") : to_string(*diagnostics);
  };
  const auto missing = dir.path() / "missing.dve";
  EXPECT_EQ(message(missing), missing.string() + ": error: there is no such file\n");
  EXPECT_NE(message(dir.path()).find("is a directory"), std::string::npos);
  const auto empty = dir.path() / "empty.dve";
  std::ofstream(empty).close();
  EXPECT_EQ(message(empty), empty.string() + ": error: the file is empty\n");
  EXPECT_NE(message("/dev/zero").find("more than 64 MiB"), std::string::npos);
  const auto good = dir.path() / "good.dve";
  std::ofstream(good) << kText;
  EXPECT_EQ(message(good), "loaded");
}

TEST(DveLoad, WantsToBeToldAboutAProperty) {
  const auto file = samples_dir() / "lock_property.dve";
  EXPECT_TRUE(std::holds_alternative<Diagnostics>(
      dve::load_file(file, {.backend = dve::Backend::kInterpreted})));
  const auto model = loaded(
      dve::load_file(file, {.backend = dve::Backend::kInterpreted, .ignore_property = true}));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->ignored_property(), "Starve");
}

}  // namespace
}  // namespace comback::test

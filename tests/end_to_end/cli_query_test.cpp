#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/end_to_end/stored_run.h"
#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"
#include "tests/support/random_predicate.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

struct QueryCase {
  const char* model;
  const char* memory;  // of the query: what does not fit is read again from the run
};

class CliQueryProperty : public ::testing::TestWithParam<QueryCase> {};

// Random predicates and expressions, about a run of a whole model, against a search with a std::map
// and functions of the variables' values.
TEST_P(CliQueryProperty, AnswersAsBruteForceDoes) {
  const CommandRun run(sample(GetParam().model), {"--continue"}, /*expected_code=*/-1);
  const auto model = dve_model(read_file(sample(GetParam().model)));
  ASSERT_NE(model, nullptr);
  const Oracle oracle(*model);
  constexpr unsigned kPredicates = 25;
  constexpr unsigned kLimit = 4;
  RandomPredicate random(*model, std::hash<std::string>()(GetParam().model));
  std::vector<RandomPredicate::Expression> asked;
  std::vector<std::string> arguments = {"--json",
                                        "-",
                                        "--per-level",
                                        "--limit",
                                        std::to_string(kLimit),
                                        "--memory",
                                        GetParam().memory,
                                        "--all-traces"};
  for (unsigned i = 0; i < 2 * kPredicates; ++i) {
    asked.push_back(random.next());
    if (i >= kPredicates) arguments.push_back("--count-by");
    arguments.push_back(asked.back().text);
  }
  for (const VariableInfo& variable : model->variables()) {
    arguments.insert(arguments.end(), {"--distinct", variable.name});
  }
  const Json answer = run.json("query", std::move(arguments));
  ASSERT_EQ(answer["states"], oracle.states.size());
  EXPECT_EQ(answer["all_states"], true);
  EXPECT_EQ(answer["level_sizes"], Json(oracle.level_sizes));

  unsigned undefined_somewhere = 0;
  for (unsigned i = 0; i < kPredicates; ++i) {
    SCOPED_TRACE(asked[i].text);
    const Json& found = answer["predicates"][i];
    std::uint64_t satisfied = 0, undefined = 0;
    std::vector<std::uint64_t> first, per_level(oracle.level_sizes.size());
    for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
      const auto value = asked[i].value(oracle.bytes(id));
      if (!value) ++undefined;
      if (value.value_or(0) == 0) continue;
      ++satisfied;
      ++per_level[oracle.depths[id]];
      if (first.size() < kLimit) first.push_back(id);
    }
    undefined_somewhere += undefined > 0 ? 1 : 0;
    EXPECT_EQ(found["predicate"], asked[i].text);
    EXPECT_EQ(found["satisfied"], satisfied);
    EXPECT_EQ(found["undefined"], undefined);
    EXPECT_EQ(found["per_level"], Json(per_level));
    ASSERT_EQ(found["first"].size(), first.size());
    for (std::size_t f = 0; f < first.size(); ++f) {
      const Json& state = found["first"][f];
      EXPECT_EQ(state["state"], first[f]);
      EXPECT_EQ(state["depth"], oracle.depths[first[f]]);
      EXPECT_EQ(state["trace"].size(), oracle.depths[first[f]] + 1);
    }
  }
  EXPECT_GT(undefined_somewhere, 0u);

  for (unsigned i = 0; i < kPredicates; ++i) {
    SCOPED_TRACE(asked[kPredicates + i].text);
    std::map<std::int64_t, std::uint64_t> counts;
    std::uint64_t undefined = 0;
    for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
      const auto value = asked[kPredicates + i].value(oracle.bytes(id));
      value ? ++counts[*value] : ++undefined;
    }
    Json expected = Json::array();
    for (const auto& [value, count] : counts) {
      expected.push_back({{"value", value}, {"count", count}});
    }
    EXPECT_EQ(answer["count_by"][i]["values"], expected);
    EXPECT_EQ(answer["count_by"][i]["undefined"], undefined);
  }

  for (std::uint32_t v = 0; v < model->variables().size(); ++v) {
    const VariableInfo& variable = model->variables()[v];
    SCOPED_TRACE(variable.name);
    std::map<std::int64_t, std::uint64_t> counts;
    for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
      for (std::uint32_t e = 0; e < std::max(1u, variable.length); ++e) {
        ++counts[model->value(oracle.bytes(id), v, e)];
      }
    }
    const Json& values = answer["distinct"][v]["values"];
    ASSERT_EQ(values.size(), counts.size());
    for (const Json& entry : values) {
      EXPECT_EQ(entry["count"], counts[entry["value"].get<std::int64_t>()]);
      EXPECT_EQ(entry.contains("name"), !variable.value_names.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Samples, CliQueryProperty,
    ::testing::Values(QueryCase{"bank_transfer_bug", "64M"}, QueryCase{"leader_ring", "64M"},
                      QueryCase{"elevator", "20M"}, QueryCase{"producer_consumer", "20M"},
                      QueryCase{"peterson_filter", "64M"}, QueryCase{"traffic_sync", "20M"}),
    [](const auto& tested) { return std::string(tested.param.model); });

TEST(CliQuery, TextNamesTheFirstStatesAndTheWayToTheFirst) {
  const CommandRun run(sample("philosophers_deadlock"));
  const CommandResult result =
      run.ask("query", {"fork[0] + fork[1] == 2", "fork[0] == 7", "--limit", "2", "--trace",
                        "--per-level", "--distinct", "Phil_0", "--count-by", "fork[0]"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_contains(result.out, "philosophers_deadlock.dve: 1,743 states");
  expect_contains(result.out, "  first  depth\n     ");
  expect_contains(result.out, "holds in none of 1,743 states");
  expect_contains(result.out, "state 21, 3 events from the initial state");
  expect_contains(result.out, "#2 holds in");
  expect_contains(result.out, "Phil_0: ");
  expect_contains(result.out, "fork[0]: 2 values");
}

TEST(CliQuery, OnlyTheMostFrequentValuesArePrinted) {
  const CommandRun run(sample("bank_transfer_bug"), {"--continue"}, 1);
  const std::vector<std::string> question = {"--count-by", "balance[0] + balance[1]"};
  std::vector<std::string> two = question;
  two.insert(two.end(), {"--values", "2"});
  const CommandResult result = run.ask("query", two);
  EXPECT_EQ(result.exit_code, 0);
  expect_contains(result.out, "     15   1,745");
  expect_contains(result.out, "     20   1,672");
  expect_contains(result.out, "and 5 more values");
  EXPECT_EQ(result.out.find("   989"), std::string::npos);
}

TEST(CliQuery, PredicatesThatCannotBeReadAreShownWithACaret) {
  const CommandRun run(sample("dekker"));
  const CommandResult predicate = run.ask("query", {"turm == 1", "--count-by", "1 +"});
  EXPECT_EQ(predicate.exit_code, 2);
  EXPECT_EQ(predicate.out, "");
  expect_contains(predicate.err, "<predicate>:1:1: error:");
  expect_contains(predicate.err, " 1 | turm == 1\n   | ^\n");
  expect_contains(predicate.err, "<count-by>:1:4: error:");
  const CommandResult variable = run.ask("query", {"--distinct", "turm"});
  EXPECT_EQ(variable.exit_code, 2);
  expect_contains(variable.err, "there is no variable 'turm'; did you mean turn?");
}

TEST(CliQuery, QuestionsThatSayNothingAreRefused) {
  const CommandRun run(sample("dekker"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"--distinct", "turn", "--trace"},
                                                    {"1", "--trace", "--limit", "0"},
                                                    {"1", "--json", (run.dir() / "no/x").string()},
                                                    {"1", "--memory", "none"}}) {
    const CommandResult result = run.ask("query", arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
  EXPECT_EQ(comback({"query", (run.dir() / "nothing").string(), "1"}).exit_code, 2);
}

TEST(CliQuery, PartOfTheStatesIsNotTakenForAll) {
  const CommandRun violated(sample("bank_transfer_bug"), {}, 1);
  const CommandResult result = violated.ask("query", {"lock == 1"});
  EXPECT_EQ(result.exit_code, 3);
  expect_contains(result.out, "states stored so far: the search ended at a violation");
  EXPECT_EQ(violated.json("query", {"1", "--json", "-"}, 3)["all_states"], false);

  const CommandRun limited(sample("philosophers_medium"), {"--max-states", "500"}, 3);
  const Json answer = limited.json("query", {"1 == 1", "--json", "-"}, 3);
  EXPECT_EQ(answer["all_states"], false);
  EXPECT_EQ(answer["interrupted"], false);
  EXPECT_EQ(answer["predicates"][0]["satisfied"], 500);
}

}  // namespace
}  // namespace comback::test

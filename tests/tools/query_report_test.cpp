#include "tools/query_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_model.h"

namespace comback::tools {
namespace {

using test::FunctionPredicate;
using test::SmallModel;

struct Example {
  Example() {
    tree.first_ids = {0, 1, 5, 100'000};
    query.predicates.push_back(std::make_shared<FunctionPredicate>(
        "x < 3", [](const std::byte*) -> std::optional<std::int64_t> { return 1; }));
    answer.predicates.push_back(
        {.satisfied = 99'999, .undefined = 1, .first = {0, 4, 5}, .per_level = {1, 4, 99'994}});
    answer.states = 100'000;
  }
  QueryReport report() const {
    return {.model_name = "small.dve",
            .model = model,
            .tree = tree,
            .query = query,
            .answer = answer,
            .warning = {},
            .paths = {}};
  }
  SmallModel model;
  StoredTree tree;
  Query query;
  QueryAnswer answer;
};

TEST(QueryReport, NeverRoundsToAllOrToNothing) {
  Example example;
  EXPECT_EQ(query_text(example.report()),
            "small.dve: 100,000 states\n\n"
            "x < 3\n"
            "  holds in 99,999 of 100,000 states (> 99.99 %)\n"
            "  cannot be evaluated in 1 state\n\n"
            "  first  depth\n"
            "      0      0\n"
            "      4      1\n"
            "      5      2\n");
  example.answer.predicates[0].satisfied = 1;
  EXPECT_NE(query_text(example.report()).find("(< 0.01 %)"), std::string::npos);
}

TEST(QueryReport, PartialAnswersSaySoFirst) {
  Example example;
  example.answer.states = 300;
  example.answer.interrupted = true;
  QueryReport report = example.report();
  report.all_states = false;
  report.warning = "This is about the 100,000 states stored so far.\n";
  EXPECT_EQ(query_text(report).substr(0, 124),
            "small.dve: interrupted after 300 of 100,000 states: the answers are partial\n"
            "This is about the 100,000 states stored so far.\n");
  EXPECT_EQ(query_json(report)["interrupted"], true);
  EXPECT_EQ(query_json(report)["all_states"], false);
}

TEST(QueryReport, LocationsHaveTheirNamesAndThoseThatNeverOccur) {
  Example example;
  example.query.predicates.clear();
  example.answer.predicates.clear();
  example.query.distinct = {0};
  example.answer.distinct.resize(1);
  example.answer.distinct[0].counts = {{0, 100'000}};
  const std::string text = query_text(example.report());
  EXPECT_NE(text.find("P: 1 value\n  value   states  share\n  idle   100,000  100 %\n"
                      "  never: busy\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(query_json(example.report())["distinct"][0]["values"].dump(),
            R"([{"value":0,"name":"idle","count":100000}])");
}

}  // namespace
}  // namespace comback::tools

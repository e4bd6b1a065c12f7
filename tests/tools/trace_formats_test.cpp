#include "tools/trace_formats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/graphviz.h"
#include "tests/support/small_model.h"

namespace comback::tools {
namespace {

using Json = nlohmann::json;
using test::SmallModel;

// What formats have to escape, and values that doubles do not hold.
class AwkwardModel : public SmallModel {
 public:
  AwkwardModel() {
    variables_[0].value_names = {"say \"hi\", you", "back\\slash"};
    variables_[2].name = "P_0.fork";
  }
  std::int64_t value(const std::byte* state, std::uint32_t v, std::uint32_t e) const override {
    const std::int64_t plain = SmallModel::value(state, v, e);
    return v == 1 && plain > 0 ? (std::int64_t{1} << 53) + plain : -plain;
  }
  std::string describe_event(const std::byte* state, Event event) const override {
    return state == nullptr ? "?"
                            : "P: a\\b -> \"c\" { x = 1, y = 2 }\nline " + std::to_string(event);
  }
};

std::vector<std::byte> state(int p, int x, int a, int b) {
  return {std::byte(p), std::byte(x), std::byte(a), std::byte(b)};
}

StatePath path() {
  return {.model_name = "small.dve",
          .what = "violation: invariant 'x < 3'",
          .kind = Verdict::kInvariant,
          .state = 17,
          .trace = {.states = {state(0, 0, 0, 0), state(1, 0, 0, 1), state(1, 3, 0, 1)},
                    .events = {4, 7}}};
}

// The cells of RFC 4180 records, in the plainest way there is.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = records.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      records.back().emplace_back();
    } else if (!quoted && text[i] == '\n') {
      records.push_back({""});
    } else {
      cell += text[i];
    }
  }
  EXPECT_EQ(records.back(), std::vector<std::string>{""}) << "the last line ends";
  records.pop_back();
  return records;
}

TEST(TraceFormats, TextSaysWhereItLeadsAndWhatChanges) {
  EXPECT_EQ(format_path(SmallModel(), path(), TraceFormat::kText),
            "small.dve: violation: invariant 'x < 3'\n"
            "state 17, 2 events from the initial state\n\n"
            "  0  initial state\n"
            "     P = idle, x = 0, fork = [0, 0]\n"
            "  1  event 4\n"
            "     P = busy, fork[1] = 1\n"
            "  2  event 7\n"
            "     x = 3\n");
  const std::string full = format_path(SmallModel(), path(), TraceFormat::kFull);
  EXPECT_NE(full.find("     P = busy, x = 3, fork = [0, 1]\n"), std::string::npos) << full;
}

TEST(TraceFormats, ThePathToTheInitialStateHasNoEvents) {
  const StatePath initial{.model_name = "small.dve",
                          .what = "state 0",
                          .kind = {},
                          .trace = {.states = {state(0, 0, 0, 0)}, .events = {}}};
  for (const TraceFormat format : {TraceFormat::kText, TraceFormat::kFull}) {
    EXPECT_EQ(format_path(SmallModel(), initial, format),
              "small.dve: state 0, the initial state\n\n"
              "  0  initial state\n     P = idle, x = 0, fork = [0, 0]\n");
  }
  EXPECT_EQ(Json::parse(format_path(SmallModel(), initial, TraceFormat::kItf))["states"].size(),
            1u);
  EXPECT_EQ(read_csv(format_path(SmallModel(), initial, TraceFormat::kCsv)).size(), 2u);
}

TEST(TraceFormats, JsonHasEveryStepWithItsState) {
  const Json json = Json::parse(format_path(SmallModel(), path(), TraceFormat::kJson));
  EXPECT_EQ(json["model"], "small.dve");
  EXPECT_EQ(json["kind"], "invariant");
  EXPECT_EQ(json["state"], 17);
  EXPECT_EQ(json["depth"], 2);
  ASSERT_EQ(json["trace"].size(), 3u);
  EXPECT_EQ(json["trace"][2]["event"], 7);
  EXPECT_EQ(json["trace"][2]["state"], Json::parse(R"({"P":"busy","x":3,"fork":[0,1]})"));
}

// ADR-015 of Apalache: "vars" names the variables, each state has all of them, and integers that
// doubles do not hold are objects.
TEST(TraceFormats, ItfHasTheStatesAsRecordsOfTheVariables) {
  const AwkwardModel model;
  const Json json = Json::parse(format_path(model, path(), TraceFormat::kItf));
  EXPECT_EQ(json["#meta"]["format"], "ITF");
  EXPECT_EQ(json["vars"], Json({"P", "x", "P_0.fork"}));
  ASSERT_EQ(json["states"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& state = json["states"][i];
    EXPECT_EQ(state["#meta"]["index"], i);
    EXPECT_EQ(state.size(), 4u);
    for (const Json& name : json["vars"]) EXPECT_TRUE(state.contains(name.get<std::string>()));
  }
  EXPECT_EQ(json["states"][0]["P"], "say \"hi\", you");
  EXPECT_EQ(json["states"][0]["x"], 0);
  EXPECT_EQ(json["states"][2]["x"], Json({{"#bigint", "9007199254740995"}}));
  EXPECT_EQ(json["states"][2]["P_0.fork"], Json({0, -1}));
}

TEST(TraceFormats, CsvHasAColumnForEveryElementAndQuotesWhatNeedsIt) {
  const auto records = read_csv(format_path(AwkwardModel(), path(), TraceFormat::kCsv));
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0], (std::vector<std::string>{"step", "event", "action", "P", "x",
                                                  "P_0.fork[0]", "P_0.fork[1]"}));
  EXPECT_EQ(records[1], (std::vector<std::string>{"0", "", "", "say \"hi\", you", "0", "0", "0"}));
  EXPECT_EQ(records[3],
            (std::vector<std::string>{"2", "7", "P: a\\b -> \"c\" { x = 1, y = 2 }\nline 7", "-1",
                                      "9007199254740995", "0", "-1"}));
}

TEST(TraceFormats, GraphvizDrawsANodeForEveryStateAndAnEdgeForEveryEvent) {
  if (!test::has_graphviz()) GTEST_SKIP() << "Graphviz is not installed";
  StatePath failing = path();
  failing.failing = 9;
  for (const StatePath& drawn : {path(), failing}) {
    const auto result = test::graphviz(format_path(AwkwardModel(), drawn, TraceFormat::kDot));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    std::size_t nodes = 0;
    std::size_t edges = 0;
    for (std::size_t at = 0; at < result.out.size(); at = result.out.find('\n', at) + 1) {
      nodes += result.out.compare(at, 5, "node ") == 0 ? 1 : 0;
      edges += result.out.compare(at, 5, "edge ") == 0 ? 1 : 0;
    }
    EXPECT_EQ(nodes, drawn.failing ? 4u : 3u) << result.out;
    EXPECT_EQ(edges, drawn.failing ? 3u : 2u) << result.out;
  }
}

}  // namespace
}  // namespace comback::tools

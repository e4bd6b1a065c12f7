#include "tools/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/small_model.h"
#include "tools/json_text.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;
using test::SmallModel;

std::vector<std::byte> state(int p, int x, int a, int b) {
  return {std::byte(p), std::byte(x), std::byte(a), std::byte(b)};
}

Violation violation() {
  return {.kind = Verdict::kInvariant,
          .what = "invariant 'x < 3'",
          .state = 17,
          .depth = 2,
          .event = {},
          .trace = {.states = {state(0, 0, 0, 0), state(1, 0, 0, 1), state(1, 3, 0, 1)},
                    .events = {4, 7}}};
}

struct Example {
  SmallModel model;
  SearchOptions options;
  Summary summary;
  Report report() const {
    return {.model_name = "small.dve",
            .model = model,
            .options = options,
            .summary = summary,
            .settings = {{"visited", "full"}},
            .visited_in_words = "full descriptors",
            .peak_memory_bytes = 1 << 20};
  }
};

TEST(TraceReport, ShowsOnlyWhatChanges) {
  EXPECT_EQ(report_violation(SmallModel(), violation(), TraceStyle::kChanges),
            "violation: invariant 'x < 3'\n\n"
            "  0  initial state\n"
            "     P = idle, x = 0, fork = [0, 0]\n"
            "  1  event 4\n"
            "     P = busy, fork[1] = 1\n"
            "  2  event 7\n"
            "     x = 3\n");
}

TEST(TraceReport, ShowsWholeStatesOrNothing) {
  const std::string full = report_violation(SmallModel(), violation(), TraceStyle::kFull);
  EXPECT_NE(full.find("P = busy, x = 3, fork = [0, 1]"), std::string::npos);
  EXPECT_EQ(report_violation(SmallModel(), violation(), TraceStyle::kNone),
            "violation: invariant 'x < 3'\n");
}

TEST(TraceReport, EndsWithTheEventThatFailed) {
  Violation fault = violation();
  fault.kind = Verdict::kError;
  fault.what = "index 3 is out of range";
  fault.event = 9;
  const std::string text = report_violation(SmallModel(), fault, TraceStyle::kChanges);
  EXPECT_NE(text.find("  !  event 9\n     this step fails\n"), std::string::npos);
  EXPECT_EQ(violation_json(SmallModel(), fault)["event"], 9);
}

TEST(TraceReport, NamesEventsAndVariablesInJson) {
  const Json json = violation_json(SmallModel(), violation());
  EXPECT_EQ(json["kind"], "invariant");
  EXPECT_EQ(json["depth"], 2);
  EXPECT_EQ(json["trace"].size(), 3u);
  EXPECT_FALSE(json["trace"][0].contains("event"));
  EXPECT_EQ(json["trace"][2]["event"], 7);
  EXPECT_EQ(json["trace"][2]["state"].dump(), R"({"P":"busy","x":3,"fork":[0,1]})");
  // A location without a name.
  EXPECT_EQ(state_json(SmallModel(), state(2, 0, 0, 0).data())["P"], "2");
}

TEST(Report, HasThePromisedFields) {
  Example example;
  example.summary.verdict = Verdict::kComplete;
  example.summary.states = 3;
  example.summary.level_sizes = {1, 2};
  const Json json = to_json(example.report());
  for (const char* field :
       {"model", "verdict", "states", "transitions", "deadlocks", "levels", "level_sizes", "events",
        "reconstruction_events", "reconstructions", "hash_conflicts", "seconds",
        "peak_memory_bytes", "disk_bytes", "settings", "stop_reason", "violations", "wraps"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["verdict"], "complete");
  EXPECT_EQ(json["levels"], 2);
  EXPECT_TRUE(json["stop_reason"].is_null());
  EXPECT_FALSE(json.contains("omission_probability"));
  EXPECT_EQ(exit_code(example.summary), ExitCode::kComplete);
}

TEST(Report, SaysWhyItIsIncompleteAndWhatHelps) {
  Example example;
  example.summary.verdict = Verdict::kIncomplete;
  example.summary.stop_reason = StopReason::kMemory;
  example.options.memory_bytes = 64ull << 20;
  const std::string text = to_text(example.report(), TraceStyle::kChanges);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "small.dve: incomplete: the memory budget of 64.0 MiB is used up; a larger --memory "
            "helps");
  EXPECT_EQ(to_json(example.report())["stop_reason"], "memory");
  EXPECT_EQ(exit_code(example.summary), ExitCode::kIncomplete);
}

TEST(Report, TellsAViolationFoundByAnIncompleteSearch) {
  Example example;
  example.summary.verdict = Verdict::kInvariant;
  example.summary.stop_reason = StopReason::kTimeLimit;
  example.summary.violations = {violation()};
  const std::string text = to_text(example.report(), TraceStyle::kChanges);
  EXPECT_NE(text.find("The search is incomplete, too: --time-limit was reached"),
            std::string::npos);
  EXPECT_NE(text.find("violation: invariant 'x < 3'"), std::string::npos);
  EXPECT_EQ(exit_code(example.summary), ExitCode::kViolation);
}

TEST(Report, OfADepthFirstSearchHasNoLevels) {
  Example example;
  example.options.order = SearchOrder::kDepthFirst;
  example.summary.max_depth = 1234;
  EXPECT_TRUE(to_json(example.report())["levels"].is_null());
  EXPECT_EQ(to_json(example.report())["max_depth"], 1234);
  const std::string text = to_text(example.report(), TraceStyle::kChanges);
  EXPECT_NE(text.find("deepest stack  1,234"), std::string::npos) << text;
}

TEST(JsonText, PutsPlainArraysInOneLineAndRepairsText) {
  const Json json = {{"a", {1, 2, 3}}, {"b", Json::array()}, {"c", {{"d", "x\xff"}}}};
  const std::string text = json_text(json);
  EXPECT_EQ(
      text,
      "{\n  \"a\": [1,2,3],\n  \"b\": [],\n  \"c\": {\n    \"d\": \"x\xef\xbf\xbd\"\n  }\n}\n");
  EXPECT_EQ(Json::parse(text)["a"], json["a"]);
}

TEST(Table, AlignsNumbersRightAndTextLeft) {
  Table table({"n", "name"});
  table.add({"5", "a"});
  table.add({"12,345", "long"});
  EXPECT_EQ(table.text(), "       n  name\n       5  a\n  12,345  long\n");
}

}  // namespace
}  // namespace comback::tools

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/stored_run.h"
#include "tests/support/graphviz.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

TEST(CliTrace, TheDeadlockOfARunThatDidNotLookForOne) {
  const CommandRun run(sample("philosophers_deadlock"));
  const Json deadlock = run.json("trace", {"--deadlock", "--format", "json"});
  EXPECT_EQ(deadlock["kind"], "deadlock");
  EXPECT_EQ(deadlock["depth"], 10);
  EXPECT_EQ(deadlock["trace"].size(), 11u);
  EXPECT_EQ(deadlock["trace"].back()["state"]["fork"], Json({1, 1, 1, 1, 1}));
  const std::string id = std::to_string(deadlock["state"].get<std::uint64_t>());
  const Json state = run.json("trace", {"--state", id, "--format", "json"});
  EXPECT_EQ(state["trace"], deadlock["trace"]);
  const CommandResult text = run.ask("trace", {"--deadlock"});
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "philosophers_deadlock.dve: deadlock\nstate " + id + ", 10 events");
}

TEST(CliTrace, TheViolationAsExploreShowedIt) {
  const CommandRun run(sample("bank_transfer_bug"), {}, 1);
  const Json explored = summary(sample("bank_transfer_bug"), {}, 1)["violations"][0];
  const Json trace = run.json("trace", {"--violation", "--format", "json"});
  for (const char* field : {"kind", "depth", "state", "trace"}) {
    EXPECT_EQ(trace[field], explored[field]) << field;
  }
  // The number may be left out, even before the directory.
  EXPECT_EQ(comback({"trace", "--violation", run.path(), "--format", "json"}).out,
            run.ask("trace", {"--violation", "1", "--format", "json"}).out);
  const CommandResult second = run.ask("trace", {"--violation", "2"});
  EXPECT_EQ(second.exit_code, 2);
  expect_contains(second.err, "there is no violation 2: the run has one");
}

TEST(CliTrace, AFaultEndsWithTheEventThatFails) {
  const TempDir dir;
  const auto model = dir.write(
      "fault.dve",
      "byte x;\nprocess P {\nstate a;\ninit a;\ntrans a -> a { guard x < 3; effect x = x + 1; },\n"
      "a -> a { guard x == 2; effect x = 1 / (x - 2); };\n}\nsystem async;\n");
  const CommandRun run(model.string(), {}, 1);
  const CommandResult text = run.ask("trace", {"--violation"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  expect_contains(text.out, "this step fails");
  expect_contains(text.out, "is divided by zero");
}

TEST(CliTrace, EveryFormatIsAcceptedByOthers) {
  const CommandRun run(sample("msi_bus"));
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"--state", "0"}, {"--state", "1"}, {"--state", "100"}}) {
    const auto as = [&](const char* format) {
      std::vector<std::string> arguments = what;
      arguments.insert(arguments.end(), {"--format", format});
      const CommandResult result = run.ask("trace", std::move(arguments));
      EXPECT_EQ(result.exit_code, 0) << result.err;
      return result.out;
    };
    const Json json = Json::parse(as("json"), nullptr, false);
    const Json itf = Json::parse(as("itf"), nullptr, false);
    ASSERT_EQ(itf["states"].size(), json["trace"].size());
    for (std::size_t i = 0; i < itf["states"].size(); ++i) {
      Json state = itf["states"][i];
      state.erase("#meta");
      EXPECT_EQ(state, json["trace"][i]["state"]);
      EXPECT_EQ(itf["vars"].size(), state.size());
    }
    if (has_graphviz()) {
      const CommandResult drawn = graphviz(as("dot"));
      EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
      EXPECT_EQ(drawn.err, "");
    }
    expect_contains(as("full"), "initial state");
  }
}

TEST(CliTrace, ToAFileThatAppearsWhole) {
  const CommandRun run(sample("dekker"));
  const std::string file = (run.dir() / "path.csv").string();
  const CommandResult result = run.ask("trace", {"--state", "7", "--format", "csv", "-o", file});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_file(file).substr(0, 18), "step,event,action,");
  EXPECT_EQ(run.ask("trace", {"--state", "7", "-o", (run.dir() / "no/x").string()}).exit_code, 2);
}

TEST(CliTrace, WhatIsNotThereIsToldWithWhatIs) {
  const CommandRun run(sample("dekker"));
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    const CommandResult result = run.ask("trace", std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    expect_contains(result.err, why);
  };
  refused({"--state", "72"}, "there is no state 72: the run has the states 0 to 71");
  refused({"--deadlock"}, "the run is complete and has no deadlock");
  refused({"--violation"}, "the run is complete and has no violation");
  refused({"--violation", "0"}, "counted from 1");
  refused({}, "one of --state ID, --deadlock and --violation is needed");
  refused({"--state", "1", "--deadlock"}, "only one of");
  refused({"--state", "1", "--format", "tex"}, "'tex' is none of");
  EXPECT_EQ(comback({"trace", (run.dir() / "nothing").string(), "--deadlock"}).exit_code, 2);
  EXPECT_EQ(comback({"trace", "--state", "1"}).exit_code, 2);
}

// The states that are stored and not expanded are looked at, too.
TEST(CliTrace, ARunThatIsIncomplete) {
  const CommandRun none(sample("philosophers_deadlock"), {"--max-depth", "5"}, 3);
  const CommandResult not_yet = none.ask("trace", {"--deadlock"});
  EXPECT_EQ(not_yet.exit_code, 3);
  expect_contains(not_yet.err, "stored so far is a deadlock; the run is incomplete");
  EXPECT_EQ(none.ask("trace", {"--violation"}).exit_code, 3);
  EXPECT_EQ(none.ask("trace", {"--state", "3"}).exit_code, 0);

  const CommandRun frontier(sample("philosophers_deadlock"), {"--max-depth", "9"}, 3);
  const Json found = frontier.json("trace", {"--deadlock", "--format", "json"});
  EXPECT_EQ(found["depth"], 10);
}

}  // namespace
}  // namespace comback::test

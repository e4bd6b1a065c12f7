#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

const std::vector<std::string> kRules = {"store:distance:10", "store:successors:100", "store:cover",
                                         "store:random:0.2", "store:combination:3"};

TEST(CliStoring, FindsAllStatesAndSaysWhatItStored) {
  const std::string model = sample("msi_bus");
  const auto full = summary(model, {"--visited", "full"});
  for (const std::string& rule : kRules) {
    for (const std::string order : {"bfs", "dfs"}) {
      const auto json = summary(model, {"--visited", rule, "--search", order});
      EXPECT_EQ(json["verdict"], "complete");
      EXPECT_EQ(json["states"], full["states"]) << rule;
      EXPECT_EQ(json["transitions"], full["transitions"]);
      EXPECT_EQ(json["states_exact"], true);
      EXPECT_LE(json["stored"], full["states"]);
      EXPECT_GE(json["explored"], full["states"]);
      EXPECT_EQ(json["settings"]["visited"], rule);
      EXPECT_EQ(json["settings"]["waiting"], order == "bfs" ? "fifo" : "lifo");
      if (order == "bfs") {
        EXPECT_EQ(json["level_sizes"], full["level_sizes"]);
      }
      const bool covers = rule == "store:cover" || rule == "store:combination:3";
      EXPECT_EQ(json.contains("covering_set"), covers);
      if (covers) {
        EXPECT_GT(json["covering_set"]["transitions"].size(), 0u);
        EXPECT_GT(json["covering_set"]["transitions"][0]["line"], 0);
        EXPECT_EQ(json["covering_set"]["candidates"].size(), 9u);
      }
    }
  }
}

TEST(CliStoring, SaysSoWhereStatesAreOnlyEstimated) {
  const auto json =
      summary(sample("msi_bus"), {"--visited", "store:cover", "--count-states", "no"});
  EXPECT_EQ(json["states_exact"], false);
  EXPECT_EQ(json["states"], json["explored"]);
  EXPECT_EQ(json["level_sizes"].size(), 0u);
  const CommandResult text =
      explore(sample("msi_bus"), {"--visited", "store:cover", "--count-states", "no"});
  expect_contains(text.out, "explored, of about");
  expect_contains(text.out, "Every cycle has one of these transitions:");
  expect_contains(text.out, "  line ");
}

TEST(CliStoring, ShowsTheWayToAViolation) {
  for (const std::string& rule : kRules) {
    for (const std::string waiting : {"fifo", "lifo"}) {
      const auto json =
          summary(sample("bank_transfer_bug"), {"--visited", rule, "--waiting", waiting}, 1);
      EXPECT_EQ(json["verdict"], "assertion") << rule;
      EXPECT_EQ(json["violations"][0]["trace"].size(),
                json["violations"][0]["depth"].get<int>() + 1);
    }
    const auto deadlock =
        summary(sample("philosophers_deadlock"), {"--visited", rule, "--deadlock"}, 1);
    EXPECT_EQ(deadlock["verdict"], "deadlock");
  }
}

TEST(CliStoring, StopsAtLimits) {
  const auto json =
      summary(sample("msi_bus"), {"--visited", "store:distance:5", "--max-states", "100"}, 3);
  EXPECT_EQ(json["verdict"], "incomplete");
  EXPECT_EQ(json["stop_reason"], "max-states");
  EXPECT_EQ(json["states"], 100);
}

TEST(CliStoring, RefusesWhatCannotBe) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& why) {
    const CommandResult result = explore(sample("msi_bus"), std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << why;
    expect_contains(result.err, why);
  };
  refused({"--visited", "store"}, "store:RULE");
  refused({"--visited", "store:distance:0"}, "whole number from 1");
  refused({"--visited", "store:random:2"}, "probability");
  refused({"--visited", "store:cover:3"}, "takes no number");
  refused({"--visited", "store:something"}, "none of distance:K");
  refused({"--visited", "store:cover", "--overhead", "0"}, "or none");
  refused({"--visited", "store:successors:9", "--waiting", "priority"}, "fifo or lifo");
  refused({"--visited", "store:cover", "--search", "dfs", "--waiting", "fifo"}, "--search dfs");
  refused({"--visited", "store:distance:3", "--seed", "2"}, "--seed");
  refused({"--visited", "full", "--waiting", "fifo"}, "--visited store:RULE");
  refused({"--visited", "store:cover", "--run", "/tmp/no-such-run"}, "--run");
  refused({"--visited", "store:cover", "--hash-bits", "32"}, "--hash-bits");
  const CommandResult sync = explore(sample("traffic_sync"), {"--visited", "store:cover"});
  EXPECT_EQ(sync.exit_code, 2);
  expect_contains(sync.err, "system sync");
  EXPECT_EQ(explore(sample("traffic_sync"), {"--visited", "store:distance:3"}).exit_code, 0);
}

}  // namespace
}  // namespace comback::test

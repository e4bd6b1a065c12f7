#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

TEST(CliOutput, VersionAndHelpGoToStandardOutput) {
  const CommandResult version = comback({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.substr(0, 8), "comback ");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"explore", "--help"}, {"info", "--help"}}) {
    const CommandResult help = comback(arguments);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    const std::size_t examples = help.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos);
    EXPECT_GE(
        std::count(help.out.begin() + static_cast<std::ptrdiff_t>(examples), help.out.end(), '\n'),
        3);
  }
}

TEST(CliOutput, SummaryIsForPeople) {
  const CommandResult result = explore(sample("philosophers_medium"), {"--max-depth", "5"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "");
  expect_contains(result.out,
                  "philosophers_medium.dve: incomplete: --max-depth was reached; deeper states");
  expect_contains(result.out, "  states       ");
}

TEST(CliOutput, JsonOnStandardOutputIsNothingElse) {
  const CommandResult result = explore(sample("leader_ring"), {"--json", "-", "--threads", "1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  const Json json = Json::parse(result.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << result.out;
  EXPECT_EQ(json["model"], "leader_ring.dve");
  EXPECT_EQ(json["verdict"], "complete");
  EXPECT_EQ(json["states"], 1057);
  EXPECT_EQ(json["transitions"], 3412);
  EXPECT_EQ(json["events"], 3412);
  EXPECT_EQ(json["deadlocks"], 3);
  EXPECT_EQ(json["levels"], 17);
  std::uint64_t states = 0;
  for (const Json& size : json["level_sizes"]) states += size.get<std::uint64_t>();
  EXPECT_EQ(states, 1057u);
  EXPECT_GT(json["peak_memory_bytes"], 1 << 20);
  EXPECT_EQ(json["disk_bytes"], 0);
  EXPECT_TRUE(json["stop_reason"].is_null());
  EXPECT_EQ(json["violations"], Json::array());
  EXPECT_EQ(json["settings"]["visited"], "comback");
  EXPECT_EQ(json["settings"]["detection"], "level");
  EXPECT_EQ(json["settings"]["tables"], "auto");
  EXPECT_EQ(json["settings"]["search"], "bfs");
  EXPECT_EQ(json["settings"]["successors"], "interpreted");
  EXPECT_EQ(json["settings"]["threads"], 1);
  const Json published = summary(sample("leader_ring"), {"--detection", "delayed"});
  EXPECT_EQ(published["settings"]["detection"], "delayed");
  EXPECT_EQ(published["settings"]["tables"], "memory");
  EXPECT_GT(published["settings"]["cache_size"], 0);
  EXPECT_EQ(published["level_sizes"], json["level_sizes"]);
}

TEST(CliOutput, JsonFileAndSummaryTogether) {
  const TempDir dir;
  const auto path = dir / "summary.json";
  const CommandResult result = explore(sample("dekker"), {"--json", path.string()});
  EXPECT_EQ(result.exit_code, 0);
  expect_contains(result.out, "dekker.dve: complete, nothing violated");
  EXPECT_EQ(Json::parse(read_file(path))["states"], 72);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()),
                          std::filesystem::directory_iterator()),
            1);
}

TEST(CliOutput, OptionsComeFromAConfigFileAndTheCommandLineWins) {
  const TempDir dir;
  const std::string config =
      dir.write("run.toml", "max-states = 10\nsearch = \"dfs\"\nmemory = \"100M\"\n").string();
  Json json = summary(sample("leader_ring"), {"--config", config}, 3);
  EXPECT_EQ(json["states"], 10);
  EXPECT_EQ(json["settings"]["search"], "dfs");
  EXPECT_EQ(json["settings"]["memory_bytes"], 100 << 20);
  json = summary(sample("leader_ring"), {"--config", config, "--max-states", "20"}, 3);
  EXPECT_EQ(json["states"], 20);
}

TEST(CliOutput, ProgressGoesToStandardErrorOnly) {
  // Long enough for several reports, on any machine.
  const CommandResult plain =
      comback({"explore", sample("philosophers_big"), "--successors", "interpreted", "--max-states",
               "3M", "--progress", "plain", "--progress-interval", "1ms", "--json", "-"});
  EXPECT_EQ(plain.exit_code, 3);
  expect_contains(plain.err, " states  ");
  expect_contains(plain.err, "/s  level ");
  EXPECT_EQ(plain.err.find('\r'), std::string::npos);
  EXPECT_FALSE(Json::parse(plain.out, nullptr, false).is_discarded());

  const CommandResult bar = comback({"explore", sample("philosophers_big"), "--successors",
                                     "interpreted", "--max-states", "3M", "--progress", "bar"});
  expect_contains(bar.err, "\rreading ");
  expect_contains(bar.err, " states  ");
  EXPECT_EQ(bar.err.find('\n'), std::string::npos);
}

TEST(CliOutput, ATraceShowsWhatChangesOrAllOrNothing) {
  const std::string changes = explore(sample("philosophers_deadlock"), {"--deadlock"}).out;
  expect_contains(changes, "violation: deadlock");
  expect_contains(changes, "   0  initial state\n");
  expect_contains(changes, "Phil_0 = hungry\n");
  const std::string full =
      explore(sample("philosophers_deadlock"), {"--deadlock", "--trace", "full"}).out;
  EXPECT_GT(full.size(), changes.size());
  const std::string none =
      explore(sample("philosophers_deadlock"), {"--deadlock", "--trace", "none"}).out;
  EXPECT_EQ(none.find("initial state"), std::string::npos);
}

TEST(CliOutput, InfoShowsTheModel) {
  const CommandResult text = comback({"info", sample("msi_bus")});
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "descriptor  18 bytes");
  expect_contains(text.out, "Bus.wants");
  expect_contains(text.out, "rendezvous");
  expect_contains(text.out, "for Cache_0 at read");
  EXPECT_EQ(text.out.find("request!{me, SHARED}"), std::string::npos);

  expect_contains(comback({"info", sample("msi_bus"), "--events"}).out, "request!{me, SHARED}");
  expect_contains(comback({"info", sample("msi_bus"), "--control-graph"}).out, "Process Cache_2");
  expect_contains(comback({"info", sample("lock_property")}).out, "process Starve, not explored");
  expect_contains(comback({"info", sample("mailbox")}).out, "buffer of");
}

TEST(CliOutput, InfoAsJsonHasAllOfIt) {
  const CommandResult result = comback({"info", "--json", sample("msi_bus")});
  const Json json = Json::parse(result.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["descriptor_bytes"], 18);
  EXPECT_EQ(json["processes"].size(), 4u);
  EXPECT_EQ(json["assertions"].size(), 6u);
  EXPECT_EQ(json["channels"].size(), 2u);
  EXPECT_EQ(json["events"].size(), 37u);
  EXPECT_EQ(json["variables"][0]["name"], "line");
  EXPECT_EQ(json["variables"][0]["length"], 3);
  EXPECT_TRUE(json["property"].is_null());
  std::size_t committed = 0;
  for (const Json& location : json["processes"][0]["locations"])
    committed += location["committed"] == true;
  EXPECT_EQ(committed, 2u);
}

TEST(CliOutput, InfoWorksForEverySample) {
  for (const auto& entry : std::filesystem::directory_iterator(samples_dir())) {
    for (const char* option : {"--events", "--json"}) {
      const CommandResult result = comback({"info", entry.path().string(), option});
      EXPECT_EQ(result.exit_code, 0) << entry.path() << result.err;
    }
  }
}

}  // namespace
}  // namespace comback::test

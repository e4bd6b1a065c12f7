#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

// The number before `word` in the sample's "Expected: 696 states, 2,064 transitions, ...".
std::uint64_t expected(const std::string& model, const std::string& word) {
  const std::string text = read_file(sample(model));
  const std::size_t start = text.find("Expected:");
  const std::size_t end = text.find(" " + word, start);
  EXPECT_NE(end, std::string::npos);
  std::size_t begin = end;
  while (std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == ',')
    --begin;
  std::string digits = text.substr(begin, end - begin);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return digits.empty() ? 0 : std::stoull(digits);
}

std::vector<std::string> samples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(samples_dir())) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// philosophers_big takes a while; the long test has it.
TEST(CliSearch, EverySampleHasTheCountsOfItsComment) {
  for (const std::string& name : samples()) {
    if (name == "philosophers_big") continue;
    SCOPED_TRACE(name);
    const bool bug = name == "bank_transfer_bug";
    const Json bfs = summary(sample(name), {"--ignore-property", "--continue"}, bug ? 1 : 0);
    EXPECT_EQ(bfs["states"], expected(name, "states"));
    EXPECT_EQ(bfs["transitions"], expected(name, "transitions"));
    EXPECT_EQ(bfs["deadlocks"], expected(name, "deadlocks"));
    EXPECT_EQ(bfs["levels"], expected(name, "BFS levels"));
    const Json dfs =
        summary(sample(name), {"--ignore-property", "--continue", "--search", "dfs"}, bug ? 1 : 0);
    for (const char* field : {"states", "transitions", "deadlocks", "assertion_violations"}) {
      EXPECT_EQ(dfs[field], bfs[field]) << field;
    }
  }
}

TEST(CliSearch, FindsThePlantedBugByAShortestTrace) {
  const Json json = summary(sample("bank_transfer_bug"), {}, 1);
  EXPECT_EQ(json["verdict"], "assertion");
  ASSERT_EQ(json["violations"].size(), 1u);
  const Json& violation = json["violations"][0];
  EXPECT_EQ(violation["depth"], 9);
  ASSERT_EQ(violation["trace"].size(), 10u);
  const Json& last = violation["trace"][9]["state"];
  EXPECT_EQ(last["Auditor"], "auditing");
  EXPECT_NE(last["balance"][0].get<int>() + last["balance"][1].get<int>(), 20);
  expect_contains(violation["what"], "bank_transfer_bug.dve:65");

  EXPECT_EQ(summary(sample("bank_transfer_bug"), {"--continue"}, 1)["assertion_violations"], 885);
}

TEST(CliSearch, FindsTheDeadlockByAShortestTrace) {
  const Json json = summary(sample("philosophers_deadlock"), {"--deadlock"}, 1);
  EXPECT_EQ(json["verdict"], "deadlock");
  EXPECT_EQ(json["violations"][0]["depth"], 10);
  // Without the option a deadlock is counted, and that is all.
  EXPECT_EQ(summary(sample("philosophers_deadlock"))["deadlocks"], 1);
  EXPECT_EQ(explore(sample("philosophers_ordered"), {"--deadlock"}).exit_code, 0);
}

TEST(CliSearch, InvariantsRepeat) {
  const std::string model = sample("traffic_sync");
  const std::string holds = "not (Control.main_green && Control.side_green)";
  const std::string fails = "cars_main <= 0";
  EXPECT_EQ(summary(model, {"--invariant", holds})["verdict"], "complete");
  const Json json = summary(model, {"--invariant", holds, "--invariant", fails}, 1);
  EXPECT_EQ(json["verdict"], "invariant");
  EXPECT_EQ(json["violations"][0]["what"], "invariant 'cars_main <= 0'");
  const Json all = summary(model, {"--invariant", fails, "--continue"}, 1);
  EXPECT_EQ(all["states"], 85);
  EXPECT_GT(all["invariant_violations"], 1);
}

TEST(CliSearch, RangeErrorsFollowTheirOption) {
  const TempDir dir;
  const std::string model = dir.write("overflow.dve",
                                      "byte x = 254;\n"
                                      "process P { state a; init a;\n"
                                      "  trans a -> a { effect x = x + 1; }; }\n"
                                      "system async;\n")
                                .string();
  const Json stop = summary(model, {}, 1);
  EXPECT_EQ(stop["verdict"], "error");
  EXPECT_EQ(stop["violations"][0]["depth"], 1);
  EXPECT_TRUE(stop["violations"][0].contains("action"));
  expect_contains(stop["violations"][0]["what"], "overflow.dve:3:");
  expect_contains(explore(model).out, "overflow.dve: the model fails");

  const Json wrap = summary(model, {"--range-errors", "wrap"});
  EXPECT_EQ(wrap["states"], 256);
  EXPECT_EQ(wrap["wraps"], 1);
  EXPECT_EQ(wrap["settings"]["range_errors"], "wrap");
  EXPECT_EQ(summary(model, {"--range-errors", "error-state"})["states"], 3);
  EXPECT_EQ(summary(model, {"--range-errors", "terminal"})["states"], 3);
}

TEST(CliSearch, HashCompactionTellsItsOmissionProbability) {
  const std::string model = sample("go_back_n");
  const Json basic = summary(model, {"--visited", "compact"});
  EXPECT_EQ(basic["states"], 30318);
  EXPECT_LT(basic["omission_probability"], 1e-6);
  EXPECT_EQ(basic["settings"]["compaction"], "basic");
  EXPECT_EQ(basic["settings"]["hash_bits"], 64);
  const Json improved = summary(model, {"--visited", "compact", "--compaction", "improved",
                                        "--table-size", "100K", "--hash-bits", "40"});
  EXPECT_EQ(improved["states"], 30318);
  EXPECT_GT(improved["omission_probability"], 0);
  EXPECT_EQ(improved["settings"]["table_size"], 100'000);
  expect_contains(explore(model, {"--visited", "compact"}).out,
                  "complete as far as hashes tell, nothing violated");
}

// A table of two thirds of the states, depth first without being told to: some are forgotten, and
// the summary says what its counts are then.
TEST(CliSearch, CompactionWithCachingTellsWhatItCounts) {
  const std::string model = sample("go_back_n");
  const Json small = summary(model, {"--visited", "compact-cache", "--table-size", "20K",
                                     "--probes", "3", "--hash-bits", "40"});
  EXPECT_EQ(small["verdict"], "complete");
  EXPECT_GT(small["states"], 30318);
  EXPECT_EQ(small["table"]["occupied"].get<int>() + small["table"]["replacements"].get<int>(),
            small["states"]);
  EXPECT_EQ(small["table"]["slots"], 19'997);  // the largest prime below
  EXPECT_GT(small["omission_probability"], 0);
  EXPECT_EQ(small["settings"]["search"], "dfs");
  EXPECT_EQ(small["settings"]["visited"], "compact-cache");
  EXPECT_EQ(small["settings"]["probes"], 3);
  EXPECT_EQ(small["settings"]["hash_bits"], 40);
  expect_contains(explore(model, {"--visited", "compact-cache", "--table-size", "20K"}).out,
                  "at most: forgotten ones count again");

  // Nothing is forgotten where there is room.
  const Json large = summary(model, {"--visited", "compact-cache", "--table-size", "10M"});
  EXPECT_EQ(large["states"], 30318);
  EXPECT_EQ(large["table"]["replacements"], 0);
  EXPECT_EQ(
      summary(sample("philosophers_deadlock"),
              {"--visited", "compact-cache", "--table-size", "10K", "--deadlock"}, 1)["verdict"],
      "deadlock");
}

// Few bits and a small cache: conflicts and reconstructions, and still exact.
TEST(CliSearch, ComBackIsExactWithAnyHash) {
  const std::string model = sample("go_back_n");
  const Json full = summary(model, {"--visited", "full"});
  EXPECT_EQ(full["settings"]["visited"], "full");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--detection", "immediate", "--cache", "F"},
        {"--detection", "delayed", "--cache", "F80-D20", "--candidates", "50"},
        {"--detection", "immediate", "--queue", "ids", "--cache", "none"}}) {
    std::vector<std::string> arguments = {"--hash-bits", "16", "--cache-size", "100"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Json json = summary(model, arguments);
    for (const char* field : {"states", "transitions", "deadlocks", "level_sizes"}) {
      EXPECT_EQ(json[field], full[field]) << field;
    }
    EXPECT_GT(json["hash_conflicts"], 0);
    EXPECT_GT(json["reconstructions"], 0);
    EXPECT_EQ(json["events"],
              json["transitions"].get<int>() + json["reconstruction_events"].get<int>());
    EXPECT_EQ(json["settings"]["hash_bits"], 16);
  }
}

// A budget of descriptors is split among cache, candidates and queue.
TEST(CliSearch, ABudgetOfDescriptorsIsExact) {
  const std::string model = sample("go_back_n");
  const Json full = summary(model, {"--visited", "full"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--descriptors", "1000"},
        {"--descriptors", "100", "--split", "90/0/10", "--cache", "F"},
        {"--descriptors", "auto", "--memory", "64M"},
        {"--descriptors", "1K", "--search", "dfs", "--cache", "level"}}) {
    const Json json = summary(model, options);
    for (const char* field : {"states", "transitions", "deadlocks"}) {
      EXPECT_EQ(json[field], full[field]) << field;
    }
    if (options.size() == 2) {
      EXPECT_EQ(json["level_sizes"], full["level_sizes"]);
      EXPECT_GT(json["reconstructions"], 0);
      EXPECT_EQ(json["settings"]["detection"], "delayed");
      EXPECT_EQ(json["settings"]["cache"], "F80-D20");
      EXPECT_EQ(json["settings"]["cache_size"], 600);
      EXPECT_EQ(json["settings"]["candidates"], 200);
      EXPECT_EQ(json["settings"]["queue"], "ids");
      EXPECT_EQ(json["settings"]["queue_block"], 200);
    }
    EXPECT_GE(json["settings"]["descriptors"], 100);
  }
}

TEST(CliSearch, LimitsEndItIncomplete) {
  const std::string model = sample("philosophers_big");
  Json json = summary(model, {"--max-states", "10K"}, 3);
  EXPECT_EQ(json["verdict"], "incomplete");
  EXPECT_EQ(json["stop_reason"], "max-states");
  EXPECT_EQ(json["states"], 10'000);
  json = summary(model, {"--max-depth", "3"}, 3);
  EXPECT_EQ(json["stop_reason"], "max-depth");
  EXPECT_EQ(json["levels"], 5);  // depth 3 is expanded
  json = summary(model, {"--time-limit", "200ms"}, 3);
  EXPECT_EQ(json["stop_reason"], "time-limit");
}

// The same answer from memory, from disk, and from memory that is not enough.
TEST(CliSearch, GoesOnOnDiskWhereMemoryIsShort) {
  const std::string model = sample("philosophers_medium");
  const Json memory = summary(model, {"--tables", "memory"});
  EXPECT_EQ(memory["disk_bytes"], 0);
  const TempDir dir;
  const std::string run = (dir / "run").string();
  const Json disk = summary(model, {"--tables", "disk", "--run", run, "--threads", "2"});
  EXPECT_GT(disk["disk_bytes"], 0);
  EXPECT_TRUE(std::filesystem::exists(run));
  for (const char* field : {"states", "transitions", "deadlocks", "level_sizes", "verdict"}) {
    EXPECT_EQ(disk[field], memory[field]) << field;
  }
}

// The budget is for what the search holds; the process itself is small.
TEST(CliSearch, StaysWithinItsMemoryAndSaysThatItIsUsedUp) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--visited", "full"},
        {"--visited", "compact"},
        {"--visited", "comback", "--detection", "delayed"}}) {
    SCOPED_TRACE(options[1]);
    std::vector<std::string> arguments = {"--memory", "32M"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const CommandResult result = explore(sample("philosophers_big"), arguments);
    EXPECT_EQ(result.exit_code, 3);
    expect_contains(result.out,
                    "the memory budget of 32.0 MiB is used up; a larger --memory helps");
    EXPECT_LT(result.peak_memory_bytes, (32ull + 64) << 20);
    // It used what it was given.
    EXPECT_GT(result.peak_memory_bytes, 16ull << 20);
  }
}

}  // namespace
}  // namespace comback::test

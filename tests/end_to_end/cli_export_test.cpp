#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/end_to_end/cli.h"
#include "tests/support/beem.h"
#include "tests/support/graphviz.h"

namespace comback::test {
namespace {

CommandResult export_run(const std::filesystem::path& run, std::vector<std::string> arguments,
                         const CommandOptions& options = {}) {
  arguments.insert(arguments.begin(), {"export", run.string(), "--progress", "none"});
  return comback(std::move(arguments), options);
}

// An .aut file, read as its grammar has it.
struct Aut {
  std::uint64_t initial = 0;
  std::uint64_t transitions = 0;
  std::uint64_t states = 0;
  std::vector<std::tuple<std::uint64_t, std::string, std::uint64_t>> lines;
  bool read = false;

  explicit Aut(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    if (!std::getline(in, line) || line.rfind("des (", 0) != 0 || line.back() != ')') return;
    std::istringstream head(line.substr(5));
    char comma = 0;
    if (!(head >> initial >> comma >> transitions >> comma >> states)) return;
    while (std::getline(in, line)) {
      const std::size_t open = line.find('"');
      const std::size_t close = line.rfind('"');
      if (line.front() != '(' || line.back() != ')' || open == close) return;
      const std::string label = line.substr(open + 1, close - open - 1);
      if (label.find('"') != std::string::npos) return;
      std::uint64_t from = 0;
      std::uint64_t to = 0;
      const auto number = [](const std::string& digits, std::uint64_t& value) {
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size();
      };
      if (!number(line.substr(1, line.find(',') - 1), from)) return;
      if (!number(line.substr(close + 3, line.size() - close - 4), to)) return;
      lines.emplace_back(from, label, to);
    }
    read = true;
  }
};

// Header and lines agree, and every state but the initial one is some other's successor.
void expect_graph(const Aut& aut, std::uint64_t states, std::uint64_t transitions) {
  ASSERT_TRUE(aut.read);
  EXPECT_EQ(aut.initial, 0u);
  EXPECT_EQ(aut.states, states);
  EXPECT_EQ(aut.transitions, transitions);
  EXPECT_EQ(aut.lines.size(), transitions);
  std::set<std::uint64_t> reached = {0};
  for (const auto& [from, label, to] : aut.lines) {
    ASSERT_LT(from, states);
    ASSERT_LT(to, states);
    if (from != to) reached.insert(to);
  }
  EXPECT_EQ(reached.size(), states);
}

// Records of a CSV file as RFC 4180 has it.
std::vector<std::vector<std::string>> csv_records(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = records.back().back();
    if (quoted) {
      if (text[i] != '"') {
        cell += text[i];
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == ',') {
      records.back().emplace_back();
    } else if (text[i] == '\n') {
      records.emplace_back(1);
    } else {
      cell += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(records.back(), std::vector<std::string>{""}) << "it ends with a newline";
  records.pop_back();
  return records;
}

class ExportedSample : public ::testing::TestWithParam<const char*> {};

TEST_P(ExportedSample, TheGraphHasTheCountsOfTheSearch) {
  const TempDir dir;
  const auto found = summary(sample(GetParam()), {"--run", (dir / "run").string()});
  const CommandResult result = export_run(dir / "run", {"--format", "aut"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_graph(Aut(result.out), found["states"], found["transitions"]);

  // The same graph in other words.
  const Aut aut(result.out);
  const auto csv = csv_records(export_run(dir / "run", {"--format", "csv", "--what", "graph"}).out);
  const auto json = nlohmann::json::parse(
      export_run(dir / "run", {"--format", "json", "--what", "graph"}).out, nullptr, false);
  ASSERT_EQ(csv.size(), aut.lines.size() + 1);
  ASSERT_EQ(json["graph"].size(), aut.lines.size());
  EXPECT_EQ(csv[0], (std::vector<std::string>{"from", "event", "to", "label"}));
  for (std::size_t i = 0; i < aut.lines.size(); ++i) {
    const auto& [from, label, to] = aut.lines[i];
    const auto& edge = json["graph"][i];
    EXPECT_EQ(csv[i + 1], (std::vector<std::string>{std::to_string(from), edge["event"].dump(),
                                                    std::to_string(to), label}));
    EXPECT_EQ(edge["from"], from);
    EXPECT_EQ(edge["to"], to);
    EXPECT_EQ(edge["label"], label);
  }
}
// Of any kind: with rendezvous, with channels, with processes that move together.
INSTANTIATE_TEST_SUITE_P(Models, ExportedSample,
                         ::testing::Values("peterson_filter", "msi_bus", "traffic_sync",
                                           "alternating_bit", "mailbox", "dekker"));

class ExportedBeem : public ::testing::TestWithParam<BeemInstance> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ExportedBeem);

TEST_P(ExportedBeem, TheGraphHasThePublishedCounts) {
  const BeemInstance& instance = GetParam();
  const TempDir dir;
  std::vector<std::string> arguments = {"--run", (dir / "run").string()};
  if (!instance.range_errors.empty()) {
    arguments.insert(arguments.end(), {"--range-errors", instance.range_errors});
  }
  const CommandResult explored =
      explore((beem_dir() / (instance.name + ".dve")).string(), arguments);
  ASSERT_EQ(explored.exit_code, 0) << explored.err;
  // Little memory: both sorts go to disk.
  const CommandResult result = export_run(
      dir / "run",
      {"--format", "aut", "--successors", "interpreted", "--labels", "numbers", "--memory", "32M"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_graph(Aut(result.out), instance.states, *instance.transitions);
}
std::vector<BeemInstance> with_transitions() {
  std::vector<BeemInstance> instances = beem_instances(500, 6000);
  instances.erase(std::remove_if(instances.begin(), instances.end(),
                                 [](const BeemInstance& i) { return !i.transitions; }),
                  instances.end());
  return instances;
}
INSTANTIATE_TEST_SUITE_P(Small, ExportedBeem, ::testing::ValuesIn(with_transitions()),
                         [](const auto& instance) { return instance.param.identifier(); });

TEST(Export, TheTreeIsPartOfTheGraph) {
  const TempDir dir;
  const auto found = summary(sample("bakery_bounded"), {"--run", (dir / "run").string()});
  const auto graph =
      csv_records(export_run(dir / "run", {"--format", "csv", "--what", "graph"}).out);
  std::map<std::tuple<std::string, std::string, std::string>, std::string> transitions;
  for (const auto& line : graph) transitions[{line[0], line[1], line[2]}] = line[3];
  const auto tree = csv_records(export_run(dir / "run", {"--format", "csv"}).out);
  ASSERT_EQ(tree.size(), found["states"].get<std::size_t>() + 1);
  EXPECT_EQ(tree[0], (std::vector<std::string>{"id", "predecessor", "event", "level", "label"}));
  EXPECT_EQ(tree[1], (std::vector<std::string>{"0", "", "", "0", ""}));
  std::vector<std::uint64_t> levels(found["levels"].get<std::size_t>());
  for (std::size_t i = 1; i < tree.size(); ++i) {
    EXPECT_EQ(tree[i][0], std::to_string(i - 1));
    ++levels.at(std::stoull(tree[i][3]));
    if (i == 1) continue;
    const auto edge = transitions.find({tree[i][1], tree[i][2], tree[i][0]});
    ASSERT_NE(edge, transitions.end()) << "state " << tree[i][0];
    EXPECT_EQ(tree[i][4], edge->second);
  }
  EXPECT_EQ(nlohmann::json(levels), found["level_sizes"]);
}

TEST(Export, LevelsAsCsvAndJson) {
  const TempDir dir;
  const auto found = summary(sample("dekker"), {"--run", (dir / "run").string()});
  const auto csv =
      csv_records(export_run(dir / "run", {"--format", "csv", "--what", "levels"}).out);
  const auto json =
      nlohmann::json::parse(export_run(dir / "run", {"--format", "json"}).out, nullptr, false);
  EXPECT_EQ(json["model"], "dekker.dve");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["verdict"], "complete");
  EXPECT_EQ(json["states"], found["states"]);
  EXPECT_EQ(json["transitions"], found["transitions"]);
  ASSERT_EQ(json["levels"].size(), found["level_sizes"].size());
  ASSERT_EQ(csv.size(), found["level_sizes"].size() + 1);
  std::uint64_t first = 0;
  for (std::size_t level = 0; level < json["levels"].size(); ++level) {
    const std::uint64_t states = found["level_sizes"][level];
    EXPECT_EQ(json["levels"][level]["states"], states);
    EXPECT_EQ(json["levels"][level]["first_id"], first);
    EXPECT_EQ(csv[level + 1],
              (std::vector<std::string>{std::to_string(level), std::to_string(first),
                                        std::to_string(states)}));
    first += states;
  }
}

TEST(Export, ASubtreeHasTheDescendantsOfItsRoot) {
  const TempDir dir;
  ASSERT_EQ(explore(sample("dekker"), {"--run", (dir / "run").string()}).exit_code, 0);
  const auto all = csv_records(export_run(dir / "run", {"--format", "csv"}).out);
  std::vector<std::uint64_t> parents;
  for (std::size_t i = 2; i < all.size(); ++i) parents.push_back(std::stoull(all[i][1]));
  for (const std::uint64_t root : {1u, 2u, 7u, 20u}) {
    for (const std::uint64_t depth : {0u, 1u, 3u, 1000u}) {
      std::map<std::uint64_t, std::uint64_t> below = {{root, 0}};
      for (std::size_t i = 0; i < parents.size(); ++i) {
        const auto above = below.find(parents[i]);
        if (above != below.end() && above->second < depth) below[i + 1] = above->second + 1;
      }
      std::vector<std::string> expected;
      for (const auto& [id, distance] : below) expected.push_back(std::to_string(id));
      const auto part = nlohmann::json::parse(
          export_run(dir / "run", {"--format", "json", "--what", "tree", "--root",
                                   std::to_string(root), "--depth", std::to_string(depth)})
              .out,
          nullptr, false);
      std::vector<std::string> found;
      for (const auto& state : part["tree"]) found.push_back(state["id"].dump());
      EXPECT_EQ(found, expected) << root << ", " << depth;
    }
  }
}

TEST(Export, GraphvizDrawsThePartOfTheTreeThatWasAskedFor) {
  if (!has_graphviz()) GTEST_SKIP() << "Graphviz is not installed";
  const TempDir dir;
  ASSERT_EQ(explore(sample("msi_bus"), {"--run", (dir / "run").string()}).exit_code, 0);
  for (const bool states : {false, true}) {
    std::vector<std::string> arguments = {"--format", "dot", "--max-nodes", "40"};
    if (states) arguments.push_back("--states");
    const CommandResult result = export_run(dir / "run", arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const CommandResult drawn = graphviz(result.out);
    ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
    EXPECT_EQ(drawn.err, "");
    std::istringstream in(drawn.out);
    std::size_t nodes = 0;
    std::size_t edges = 0;
    std::size_t more = 0;
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("node s", 0) == 0) ++nodes;
      if (line.rfind("node more", 0) == 0) ++more;
      if (line.rfind("edge s", 0) == 0) ++edges;
    }
    EXPECT_EQ(nodes, 40u);
    EXPECT_GT(more, 0u);
    EXPECT_EQ(edges, nodes - 1 + more);
  }
}

TEST(Export, ARunThatIsNotCompleteIsWrittenOnRequestAndSaysSo) {
  const TempDir dir;
  const auto found = summary(sample("bank_transfer_bug"), {"--run", (dir / "run").string()}, 1);
  const std::string file = (dir / "graph.aut").string();
  const CommandResult refused = export_run(dir / "run", {"--format", "aut", "-o", file});
  EXPECT_EQ(refused.exit_code, 3);
  expect_contains(refused.err, "--partial");
  EXPECT_FALSE(std::filesystem::exists(file));

  const CommandResult partial = export_run(dir / "run", {"--format", "aut", "--partial"});
  EXPECT_EQ(partial.exit_code, 3) << "what is incomplete never passes for complete";
  const Aut aut(partial.out);
  ASSERT_TRUE(aut.read);
  EXPECT_EQ(aut.states, found["states"]);
  EXPECT_EQ(aut.lines.size(), aut.transitions);
  EXPECT_LT(aut.transitions, found["transitions"].get<std::uint64_t>());

  const CommandResult levels = export_run(dir / "run", {"--format", "json"});
  EXPECT_EQ(levels.exit_code, 3);
  EXPECT_EQ(nlohmann::json::parse(levels.out, nullptr, false)["complete"], false);
}

TEST(Export, AFileAppearsWholeOrNotAtAll) {
  const TempDir dir;
  ASSERT_EQ(explore(sample("dekker"), {"--run", (dir / "run").string()}).exit_code, 0);
  const std::filesystem::path folder = dir / "out";
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "dekker.aut").string();
  EXPECT_EQ(export_run(dir / "run", {"--format", "aut", "-o", file}).exit_code, 0);
  const CommandResult printed = export_run(dir / "run", {"--format", "aut"});
  EXPECT_EQ(run_command({"cat", file}).out, printed.out);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  // A disk on which no file can grow: the old file stays.
  const CommandResult full =
      run_command({"sh", "-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "sh", binary().string(),
                   "export", (dir / "run").string(), "--format", "aut", "-o", file, "--progress",
                   "none", "--successors", "interpreted"});
  EXPECT_EQ(full.exit_code, 4) << full.err;
  EXPECT_EQ(run_command({"cat", file}).out, printed.out);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(Export, SaysWhatIsWrongWithTheCommandLine) {
  const TempDir dir;
  ASSERT_EQ(explore(sample("dekker"), {"--run", (dir / "run").string()}).exit_code, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "--format is needed"},
      {{"--format", "xml"}, "aut, dot, csv"},
      {{"--format", "aut", "--what", "tree"}, "--format aut writes the graph"},
      {{"--format", "dot", "--what", "levels"}, "--format dot draws the tree"},
      {{"--format", "csv", "--states"}, "--states goes with --format dot"},
      {{"--format", "aut", "--depth", "3"}, "go with --what tree"},
      {{"--format", "csv", "--partial"}, "--partial goes with --what graph"},
      {{"--format", "csv", "--root", "1000000"}, "there is no state 1000000"},
      {{"--format", "csv", "-o", "/no/such/folder/x"}, "there is no folder"},
  };
  for (const auto& [arguments, words] : cases) {
    const CommandResult result = export_run(dir / "run", arguments);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.out, "") << words;
    expect_contains(result.err, words);
  }
  EXPECT_EQ(export_run(dir / "nothing", {"--format", "csv"}).exit_code, 2);
}

}  // namespace
}  // namespace comback::test

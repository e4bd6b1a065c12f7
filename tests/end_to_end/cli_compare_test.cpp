#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/end_to_end/stored_run.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

// Comparing `a` with `b`, as JSON.
Json compared(const CommandRun& a, const CommandRun& b, int expected_code,
              std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {b.path(), "--progress", "none", "--json", "-"});
  return a.json("compare", std::move(arguments), expected_code);
}

// A sample with one text replaced by another.
std::string changed_sample(const TempDir& dir, const std::string& name, const std::string& from,
                           const std::string& to) {
  std::ifstream in(sample(name));
  std::stringstream text;
  text << in.rdbuf();
  std::string model = text.str();
  EXPECT_NE(model.find(from), std::string::npos);
  for (std::size_t at = model.find(from); at != std::string::npos; at = model.find(from, at)) {
    model.replace(at, from.size(), to);
    at += to.size();
  }
  return dir.write(name + ".dve", model).string();
}

TEST(CliCompare, RunsOfOneModelAreTheSameWhateverTheyWereExploredWith) {
  const CommandRun a(sample("msi_bus"));
  const CommandRun b(sample("msi_bus"), {"--tables", "disk", "--threads", "2", "--keep-levels",
                                         "none", "--hash-bits", "8"});
  const Json same = compared(a, b, 0);
  EXPECT_EQ(same["same"], true);
  EXPECT_EQ(same["complete"], true);
  EXPECT_EQ(same["states_compared"], true);
  EXPECT_EQ(same["first_level"], nullptr);
  EXPECT_EQ(same["runs"][0]["level_sizes"], same["runs"][1]["level_sizes"]);
  const CommandResult text = a.ask("compare", {b.path()});
  EXPECT_EQ(text.exit_code, 0);
  expect_contains(text.out, "The same: counts, and the states of all");
}

TEST(CliCompare, TheFirstLevelThatDiffersAndAStateThatOneHasAlone) {
  const TempDir dir;
  const CommandRun before(sample("dekker"));
  const CommandRun after(changed_sample(dir, "dekker", "init ncs", "init ncs"));
  EXPECT_EQ(compared(before, after, 0)["same"], true) << "the same model in another file";

  const CommandRun three(sample("bank_transfer_bug"), {"--continue"}, 1);
  const CommandRun four(
      changed_sample(dir, "bank_transfer_bug", "round < ROUNDS", "round <= ROUNDS"), {"--continue"},
      1);
  const Json found = compared(three, four, 1, {"--trace"});
  EXPECT_EQ(found["same"], false);
  EXPECT_EQ(found["different"], Json({"states", "transitions", "levels"}));
  const std::size_t level = found["first_level"];
  for (std::size_t l = 0; l < level; ++l) {
    EXPECT_EQ(found["runs"][0]["level_sizes"][l], found["runs"][1]["level_sizes"][l]);
  }
  ASSERT_EQ(found["examples"].size(), 1u);
  const Json& example = found["examples"][0];
  EXPECT_EQ(example["only_in"], 1);
  EXPECT_EQ(example["level"], level);
  EXPECT_EQ(example["elsewhere"], nullptr);
  EXPECT_EQ(example["trace"].size(), level + 1);
  EXPECT_EQ(example["trace"].back()["state"], example["variables"]);
  // One teller is in a round that the other version does not have.
  const auto round = [&](const char* teller) {
    return example["variables"][std::string(teller) + ".round"].get<int>();
  };
  EXPECT_EQ(std::max({round("Teller_0"), round("Teller_1"), round("Teller_2")}), 3);
  // And it is a state of that run.
  const Json state = four.json("trace", {"--state", example["state"].dump(), "--format", "json"});
  EXPECT_EQ(state["trace"], example["trace"]);
  const CommandResult text = three.ask("compare", {four.path()});
  EXPECT_EQ(text.exit_code, 1);
  expect_contains(text.out, "is the first that differs");
  expect_contains(text.out, "--state " + example["state"].dump() + " shows the way there");
}

TEST(CliCompare, ModelsThatLayStatesOutOtherwiseAreComparedByCounts) {
  const CommandRun a(sample("dekker"));
  const CommandRun b(sample("peterson_filter"));
  const Json found = compared(a, b, 1);
  EXPECT_EQ(found["states_compared"], false);
  EXPECT_NE(found["states_not_compared"], "");
  EXPECT_EQ(found["examples"], Json::array());
  expect_contains(a.ask("compare", {b.path()}).out, "Only numbers were compared, not states: ");

  const TempDir dir;
  const CommandRun c(changed_sample(dir, "dekker", "turn", "whose_turn"));
  const Json renamed = compared(a, c, 0);
  EXPECT_EQ(renamed["same"], true) << "another name, and the same numbers";
  EXPECT_EQ(renamed["states_compared"], false);
}

TEST(CliCompare, CountsAloneOnRequest) {
  const CommandRun a(sample("philosophers_deadlock"));
  const CommandRun b(sample("philosophers_ordered"));
  const Json found = compared(a, b, 1, {"--counts"});
  EXPECT_EQ(found["states_compared"], false);
  EXPECT_EQ(found["states_not_compared"], "--counts");
  EXPECT_GT(found["first_level"], 2) << "level 2 has as many states in both, but others";
  EXPECT_EQ(compared(a, b, 1)["first_level"], 2);
}

TEST(CliCompare, AnIncompleteRunIsComparedAsFarAsItGoes) {
  const CommandRun whole(sample("msi_bus"));
  const CommandRun part(sample("msi_bus"), {"--max-depth", "9"}, 3);
  const Json found = compared(whole, part, 3);
  EXPECT_EQ(found["same"], true);
  EXPECT_EQ(found["complete"], false);
  EXPECT_GE(found["levels_compared"], 9);
  EXPECT_LE(found["levels_compared"], 11);
  expect_contains(part.ask("compare", {whole.path()}).out, "The same as far as both are explored");
  // A difference in what they share is one, nonetheless.
  const CommandRun other(sample("philosophers_ordered"), {"--max-depth", "6"}, 3);
  const CommandRun deadlock(sample("philosophers_deadlock"));
  EXPECT_EQ(compared(deadlock, other, 1)["first_level"], 2);
}

TEST(CliCompare, AnotherVerdictIsADifference) {
  const TempDir dir;
  const CommandRun wrong(sample("bank_transfer_bug"), {}, 1);
  const CommandRun fine(changed_sample(dir, "bank_transfer_bug", "== TOTAL", "<= 100"));
  const Json found = compared(wrong, fine, 1);
  EXPECT_EQ(found["different"], Json({"verdict"}));
  EXPECT_EQ(found["first_level"], nullptr);
}

TEST(CliCompare, SaysWhatIsWrongWithTheCommandLine) {
  const CommandRun run(sample("dekker"));
  const CommandResult one = run.ask("compare");
  EXPECT_EQ(one.exit_code, 2);
  expect_contains(one.err, "two run directories are needed");
  const CommandResult missing = run.ask("compare", {run.path() + ".other"});
  EXPECT_EQ(missing.exit_code, 2);
  expect_contains(missing.err, "there is no run");
}

}  // namespace
}  // namespace comback::test

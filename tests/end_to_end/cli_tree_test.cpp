#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/end_to_end/stored_run.h"
#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

class CliTreeProperty : public ::testing::TestWithParam<const char*> {};

TEST_P(CliTreeProperty, TellsTheShapeThatBruteForceFinds) {
  const CommandRun run(sample(GetParam()), {"--continue"}, /*expected_code=*/-1);
  const auto model = dve_model(read_file(sample(GetParam())));
  ASSERT_NE(model, nullptr);
  const Oracle oracle(*model);
  const Json tree = run.json("tree", {"--transitions", "--memory", "32M", "--format", "json"});

  const std::size_t n = oracle.states.size();
  std::vector<std::uint64_t> sizes(n, 1), children(n, 0);
  for (std::size_t id = n; id-- > 1;) {
    sizes[oracle.backedges[id].first] += sizes[id];
    ++children[oracle.backedges[id].first];
  }
  struct Level {
    std::uint64_t states = 0, leaves = 0, transitions = 0, deadlocks = 0, heaviest = 0;
    std::map<Event, std::uint64_t> events;
  };
  std::vector<Level> levels(oracle.level_sizes.size());
  std::map<Event, std::uint64_t> enabled, reached;
  std::uint64_t forward = 0, same = 0, backward = 0, longest = 0, first_deadlock = n;
  for (std::size_t id = 0; id < n; ++id) {
    const std::uint64_t depth = oracle.depths[id];
    Level& level = levels[depth];
    ++level.states;
    level.leaves += children[id] == 0 ? 1 : 0;
    level.transitions += oracle.out[id].size();
    level.deadlocks += oracle.out[id].empty() ? 1 : 0;
    level.heaviest = std::max(level.heaviest, sizes[id]);
    if (oracle.out[id].empty()) first_deadlock = std::min<std::uint64_t>(first_deadlock, id);
    if (id > 0) {
      ++level.events[oracle.backedges[id].second];
      ++reached[oracle.backedges[id].second];
    }
    for (const auto& [event, to] : oracle.out[id]) {
      ++enabled[event];
      forward += oracle.depths[to] > depth ? 1 : 0;
      same += oracle.depths[to] == depth ? 1 : 0;
      if (oracle.depths[to] < depth) {
        ++backward;
        longest = std::max(longest, depth - oracle.depths[to]);
      }
    }
  }

  EXPECT_EQ(tree["states"], n);
  EXPECT_EQ(tree["all_states"], true);
  EXPECT_EQ(tree["levels"], levels.size());
  EXPECT_EQ(tree["longest_path"]["events"], levels.size() - 1);
  EXPECT_EQ(oracle.depths[tree["longest_path"]["state"].get<std::size_t>()], levels.size() - 1);
  EXPECT_EQ(tree["leaves"], std::count(children.begin(), children.end(), 0u));
  EXPECT_EQ(tree["max_children"], *std::max_element(children.begin(), children.end()));
  EXPECT_EQ(tree["transitions"], oracle.transitions);
  EXPECT_EQ(tree["forward"], forward);
  EXPECT_EQ(tree["same_level"], same);
  EXPECT_EQ(tree["backward"], backward);
  EXPECT_EQ(tree["longest_backward"], longest);
  EXPECT_EQ(tree["deadlocks"], oracle.deadlocks);
  if (oracle.deadlocks > 0) {
    EXPECT_EQ(tree["first_deadlock"]["state"], first_deadlock);
    EXPECT_EQ(tree["first_deadlock"]["depth"], oracle.depths[first_deadlock]);
  } else {
    EXPECT_TRUE(tree["first_deadlock"].is_null());
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Json& about = tree["level_table"][l];
    EXPECT_EQ(about["states"], levels[l].states);
    EXPECT_EQ(about["leaves"], levels[l].leaves);
    EXPECT_EQ(about["transitions"], levels[l].transitions);
    EXPECT_EQ(about["deadlocks"], levels[l].deadlocks);
    EXPECT_EQ(about["heaviest"]["states"], levels[l].heaviest);
    EXPECT_EQ(about["events"], Json(levels[l].events));
  }
  Json never = Json::array(), without = Json::array();
  for (Event event = 0; event < model->events().size(); ++event) {
    if (enabled.count(event) == 0) never.push_back(event);
    if (reached.count(event) == 0) without.push_back(event);
  }
  EXPECT_EQ(tree["events_that_never_fire"], never);
  EXPECT_EQ(tree["events_without_new_states"], without);
  for (const Json& event : tree["events"]) {
    EXPECT_EQ(event["new_states"], reached[event["event"].get<Event>()]);
    EXPECT_EQ(event["enabled_in"], enabled[event["event"].get<Event>()]);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, CliTreeProperty,
                         ::testing::Values("bank_transfer_bug", "philosophers_deadlock", "elevator",
                                           "leader_ring", "traffic_sync", "msi_bus"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(CliTree, TextHasTheWholePicture) {
  const CommandRun run(sample("philosophers_deadlock"));
  const CommandResult result = run.ask("tree");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_contains(result.out, "philosophers_deadlock.dve: the tree of 1,743 states");
  expect_contains(result.out, "longest path  18 events");
  expect_contains(result.out, "1, the first is state 1147 on level 10\n");
  expect_contains(result.out, "Heaviest subtrees, of those that begin on level 2");
  expect_contains(result.out, "Each of the 25 events fires somewhere.");
  const CommandResult below = run.ask("tree", {"--depth", "19"});
  EXPECT_EQ(below.exit_code, 2);
  expect_contains(below.err, "there is no level 19: the run has the levels 0 to 18");
}

// A transition whose guard is never true, and one that only leads to known states.
TEST(CliTree, DeadCodeIsToldFromEventsThatReachNothingNew) {
  const TempDir dir;
  const auto model = dir.write(
      "dead.dve",
      "byte x;\nprocess P {\nstate a, b;\ninit a;\ntrans\n  a -> b { guard x < 3; effect x = x + "
      "1; },\n  b -> a {},\n  a -> a { guard x == 7; },\n  b -> b { effect x = x; };\n}\nsystem "
      "async;\n");
  const CommandRun run(model.string());
  const CommandResult surveyed = run.ask("tree");
  expect_contains(surveyed.out, "Events that never fire: 1 of 4\n      2  P line 8: a -> a\n");
  const CommandResult alone = run.ask("tree", {"--no-survey"});
  expect_contains(alone.out, "Events that reached no new state: 2 of 4; --survey tells");
  EXPECT_EQ(run.json("tree", {"--format", "json"})["events_that_never_fire"], Json({2}));
  EXPECT_TRUE(
      run.json("tree", {"--format", "json", "--no-survey"})["events_that_never_fire"].is_null());
}

TEST(CliTree, CsvHasARowPerLevelOrPerLevelAndEvent) {
  const CommandRun run(sample("leader_ring"));
  const CommandResult levels = run.ask("tree", {"--format", "csv"});
  EXPECT_EQ(std::count(levels.out.begin(), levels.out.end(), '\n'), 18);
  EXPECT_EQ(levels.out.substr(0, 13), "level,states,");
  const CommandResult events = run.ask("tree", {"--format", "csv", "--events"});
  EXPECT_EQ(events.out.substr(0, 24), "level,event,action,new_s");
  const std::string file = (run.dir() / "levels.csv").string();
  EXPECT_EQ(run.ask("tree", {"--format", "csv", "-o", file}).exit_code, 0);
  EXPECT_EQ(read_file(file), levels.out);
}

TEST(CliTree, AnIncompleteRunIsToldFirst) {
  const CommandRun run(sample("philosophers_medium"), {"--max-states", "500"}, 3);
  const CommandResult result = run.ask("tree");
  EXPECT_EQ(result.exit_code, 3);
  expect_contains(result.out,
                  "the tree of 500 states\nThis is about the 500 states stored so far: the run is "
                  "incomplete");
  // States whose successors may not be stored are not followed.
  const Json tree = run.json("tree", {"--format", "json", "--transitions"}, 3);
  EXPECT_EQ(tree["all_states"], false);
  EXPECT_GT(tree["forward"], 400);
}

}  // namespace
}  // namespace comback::test

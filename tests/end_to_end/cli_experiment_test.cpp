#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

using Json = nlohmann::json;

// A folder with some samples, as a user of the BEEM models has it: models/ and tables/.
class CliExperiment : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_.path() / "models");
    std::filesystem::create_directories(dir_.path() / "tables");
    for (const char* name : {"go_back_n", "dekker"}) {
      std::filesystem::copy(sample(name), dir_.path() / "models" / (std::string(name) + ".dve"));
    }
  }
  // Published figures of go_back_n alone; its E-up is `events` with F and no DDD.
  void publish(const std::string& events) {
    dir_.write("tables/table7.csv",
               "instance,starred,states,transitions,std_seconds,strategy,T_noDDD,E_noDDD\n"
               "go_back_n,0,30318,1,1.0,F,2.5," +
                   events + "\n");
  }
  CommandResult experiment(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "experiment");
    arguments.insert(arguments.end(), {"--models", (dir_.path() / "models").string(),
                                       "--successors", "interpreted"});
    return comback(std::move(arguments));
  }
  static Json row(const Json& table, const std::string& instance, const std::string& configuration,
                  const std::string& quantity) {
    for (const Json& row : table["rows"]) {
      if (row["instance"] == instance && row["configuration"] == configuration &&
          row["quantity"] == quantity) {
        return row;
      }
    }
    ADD_FAILURE() << "no row " << instance << ", " << configuration << ", " << quantity;
    return {};
  }

  TempDir dir_;
};

TEST_F(CliExperiment, FindsTheTablesBesideTheModelsAndMarksWhatDiffers) {
  publish("1000");
  const CommandResult first = experiment({"table7", "--format", "json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  expect_contains(first.err, "published figures: " + (dir_.path() / "tables").string());
  expect_contains(first.err, "1 of 2 models are in the published table");
  const Json json = Json::parse(first.out);
  const Json wrong = row(json, "go_back_n", "F, no DDD", "E-up");
  EXPECT_EQ(wrong["published"], 1000);
  EXPECT_EQ(wrong["differs"], true);
  EXPECT_EQ(row(json, "go_back_n", "F, no DDD", "T-up")["published"], 2.5);
  EXPECT_EQ(row(json, "average of 1", "F, no DDD", "E-up")["differs"], true);

  const double measured = wrong["measured"];
  EXPECT_GT(measured, 1);
  publish(std::to_string(measured).substr(0, std::to_string(measured).find('.') + 3));
  const CommandResult second = experiment({"table7"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out.find('!'), std::string::npos) << second.out;
  expect_contains(second.err, "2 figures stand beside published ones, 0 of them differ");
}

TEST_F(CliExperiment, AveragesOverThoseThatArePublishedAndOverAll) {
  publish("1000");
  const CommandResult result =
      experiment({"table4", "--instances", "all", "--max-states", "100K", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  const double one = row(json, "go_back_n", "F, no DDD", "E-up")["measured"];
  const double other = row(json, "dekker", "F, no DDD", "E-up")["measured"];
  EXPECT_DOUBLE_EQ(row(json, "average of 1", "F, no DDD", "E-up")["measured"], one);
  EXPECT_DOUBLE_EQ(row(json, "average of 2", "F, no DDD", "E-up")["measured"], (one + other) / 2);
}

TEST_F(CliExperiment, SaysWhereItLookedForTables) {
  const CommandResult result =
      experiment({"table2", "--instances", "dekker", "--seeds", "1", "--format", "csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_contains(result.err, "no published figures to compare with");
  expect_contains(result.err, "--published DIR");
  expect_contains(result.out, "instance,configuration,quantity,published,measured,ratio,differs\n");
  expect_contains(result.out, "average of 1,\"10^-1 F80-D20\",events/R,,");
}

TEST_F(CliExperiment, RefusesWhatItCannotRun) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    const CommandResult result = experiment(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(result.out.empty());
    expect_contains(result.err, why);
  };
  refused({"table1"}, "'table1' is not one of table2");
  refused({"table7", "--instances", "deker"}, "did you mean dekker?");
  refused({"table7", "--published", "nowhere"}, "nowhere is not a folder");
  refused({"table7", "--hash-bits", "7"}, "from 8 to 64");
  refused({"table7", "--runs", "3"}, "--runs does nothing with table7: it is for omission");
  refused({"table7", "--plots", "p"}, "--plots does nothing with table7");
  refused({"omission", "--seeds", "3"}, "--seeds does nothing with omission: it is for table2");
  dir_.write("tables/table7.csv", "instance,states\ngo_back_n\n");
  refused({"table7"}, "table7.csv:2: 1 cells below 2 columns");
  const CommandResult none = comback({"experiment", "table7", "--models", dir_.path().string()});
  EXPECT_EQ(none.exit_code, 2);
  expect_contains(none.err, "there is no *.dve in");
}

// Without models it has one of its own; the same seed gives the same figures.
TEST_F(CliExperiment, OmissionWritesTablesAndPlots) {
  const std::string plots = (dir_.path() / "plots").string();
  const CommandResult first =
      comback({"experiment", "omission", "--runs", "1", "--format", "json", "--plots", plots});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  expect_contains(first.err, "3 plots in " + plots);
  const Json json = Json::parse(first.out);
  EXPECT_EQ(json["experiment"], "omission");
  const Json rows = json["tables"]["omission"]["rows"];
  EXPECT_GT(rows.size(), 20u);
  EXPECT_EQ(rows[0]["states"], 38181);
  EXPECT_EQ(rows[0]["runs"], 1);
  EXPECT_EQ(json["tables"]["coverage"]["rows"][2]["model"], "all");
  std::size_t drawn = 0;
  for (const auto& entry : std::filesystem::directory_iterator(plots)) {
    drawn += entry.path().extension() == ".svg";
  }
  EXPECT_EQ(drawn, 3u);

  const CommandResult second =
      comback({"experiment", "omission", "--runs", "1", "--format", "json"});
  EXPECT_EQ(second.out, first.out);
  const CommandResult other =
      comback({"experiment", "omission", "--runs", "1", "--format", "csv", "--seed", "2"});
  expect_contains(other.out, "table,model,case,states,m,t,n,bits,formula,load,runs,");
  expect_contains(other.out, "\n\ntable,model,states,m,1-limited,3-limited,10-limited\n");
}

// Of models, from a folder: each is left out or measured, and said.
TEST_F(CliExperiment, OmissionTakesModels) {
  const CommandResult result =
      experiment({"omission", "--runs", "1", "--instances", "go_back_n", "--format", "csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_contains(result.err, "go_back_n, n about m: ");
  expect_contains(result.out, "omission,go_back_n,n about m,30318,30");
}

}  // namespace
}  // namespace comback::test

#include "engine/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/random_model.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::RandomModel;
using test::TempDir;

constexpr const char* kTable6 =
    "instance,states,transitions,cache_fraction,R_events_text,R_events,F,H,F20H80,D\n"
    "grid,1000,2700,0.1,1.5 K,1500,0.5,0.75,0.25,0.125\n";
constexpr const char* kTable7 =
    "instance,starred,states,transitions,std_seconds,strategy,T_noDDD,E_noDDD,T_DDD0.1,E_DDD0.1\n"
    "grid,0,1000,2700,2.3,F,5.16,9.15,3.29,2.37\r\n"
    "grid,0,1000,2700,2.3,F20-D80,3.67,3.96,3.41,2.09\n";

TEST(PublishedTables, AreReadByTheNamesOfTheirColumns) {
  const TempDir dir;
  dir.write("table6.csv", kTable6);
  dir.write("table7.csv", kTable7);
  dir.write("table5.csv",
            "descriptors,strategy,cache,candidates,queue,E\n100,F80-D20,0.5,0.3,0.2,6.5\n");
  auto tables = read_published_tables(dir.path());
  ASSERT_TRUE(tables) << tables.error().what;
  EXPECT_EQ(tables->sizes.at("grid").states, 1000u);
  EXPECT_EQ(tables->sizes.at("grid").transitions, 2700u);
  const auto& caching = tables->table6.at("grid").at(0);
  EXPECT_EQ(caching.fraction, 0.1);
  EXPECT_EQ(caching.events_of_r, 1500);
  EXPECT_EQ(caching.ratios, (std::map<std::string, double>{
                                {"F", 0.5}, {"H", 0.75}, {"F20-H80", 0.25}, {"D:5", 0.125}}));
  const auto& delaying = tables->table7.at("grid");
  ASSERT_EQ(delaying.size(), 2u);
  EXPECT_EQ(delaying[0].strategy, "F");
  EXPECT_EQ(delaying[0].events, (std::map<double, double>{{0, 9.15}, {0.1, 2.37}}));
  EXPECT_EQ(delaying[1].time, (std::map<double, double>{{0, 3.67}, {0.1, 3.41}}));
  ASSERT_EQ(tables->table5.size(), 1u);
  EXPECT_EQ(tables->table5[0].events, 6.5);
}

TEST(PublishedTables, MayBeMissingButNotBroken) {
  const TempDir dir;
  auto none = read_published_tables(dir.path());
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->table6.empty());

  dir.write("table6.csv", "name,states\n");
  auto wrong = read_published_tables(dir.path());
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("'instance'"), std::string::npos) << wrong.error().what;

  dir.write("table6.csv", std::string(kTable6) + "grid,1\n");
  auto torn = read_published_tables(dir.path());
  ASSERT_FALSE(torn);
  EXPECT_NE(torn.error().what.find("table6.csv:3"), std::string::npos) << torn.error().what;
}

struct Rows : ExperimentSink {
  void row(const ExperimentRow& row) override { rows.push_back(row); }
  void note(const std::string& text) override { notes.push_back(text); }
  const ExperimentRow* find(const std::string& instance, const std::string& configuration,
                            const std::string& quantity) const {
    for (const ExperimentRow& row : rows) {
      if (row.instance == instance && row.configuration == configuration &&
          row.quantity == quantity) {
        return &row;
      }
    }
    return nullptr;
  }
  std::vector<ExperimentRow> rows;
  std::vector<std::string> notes;
};

// A random graph: most of its edges go back, so every cache misses some.
std::unique_ptr<Model> graph(std::uint32_t vertices) {
  return std::make_unique<RandomModel>(
      2, RandomModel::Shape{.vertices = vertices, .max_degree = 4, .width = 12});
}
ExperimentInstance instance(std::uint32_t vertices) {
  return {"graph", [vertices]() -> Result<std::unique_ptr<Model>> { return graph(vertices); }};
}

Summary explore_graph(std::uint32_t vertices, const SearchOptions& options) {
  Monitor monitor;
  auto summary = explore(*graph(vertices), options, monitor);
  EXPECT_TRUE(summary);
  return summary ? *summary : Summary{};
}

// E-up of a first-in-first-out cache of 1% with so many candidates.
double events_of_fifo(std::uint32_t vertices, double candidates) {
  const Summary full = explore_graph(vertices, {});
  SearchOptions options;
  options.visited = VisitedMode::kComBack;
  options.comback.cache_size = full.states / 100;
  if (candidates > 0) {
    options.comback.detection = ComBackOptions::Detection::kDelayed;
    options.comback.candidates =
        static_cast<std::uint64_t>(candidates * static_cast<double>(*options.comback.cache_size));
  }
  return static_cast<double>(explore_graph(vertices, options).events) /
         static_cast<double>(full.transitions);
}

TEST(Experiment, Table7MarksWhatDiffers) {
  const double immediate = events_of_fifo(20'000, 0);
  const double delayed = events_of_fifo(20'000, 0.1);
  ASSERT_GT(immediate, delayed);

  ExperimentOptions options;
  options.instances = {instance(20'000)};
  PublishedTables::Delaying published;
  published.strategy = "F";
  published.events = {{0, immediate + 0.02}, {0.1, delayed * 1.01}};
  published.time = {{0, 1e9}, {0.1, 1}};
  options.published.table7["graph"] = {published};
  Monitor monitor;
  Rows rows;
  ASSERT_TRUE(run_experiment(options, monitor, rows));

  const ExperimentRow* exact = rows.find("graph", "F, no DDD", "E-up");
  ASSERT_NE(exact, nullptr);
  EXPECT_DOUBLE_EQ(*exact->measured, immediate);
  EXPECT_TRUE(exact->differs) << "two digits after the point must agree";
  const ExperimentRow* close = rows.find("graph", "F, DDD(0.1)", "E-up");
  ASSERT_NE(close, nullptr);
  EXPECT_DOUBLE_EQ(*close->measured, delayed);
  EXPECT_FALSE(close->differs);
  EXPECT_NEAR(*close->agreement, 1 / 1.01, 1e-9);
  EXPECT_FALSE(rows.find("graph", "F, no DDD", "T-up")->differs) << "times never differ";
  const ExperimentRow* unpublished = rows.find("graph", "F20-D80, DDD(1)", "E-up");
  ASSERT_NE(unpublished, nullptr);
  EXPECT_FALSE(unpublished->published.has_value());
  const ExperimentRow* average = rows.find("average of 1", "F, no DDD", "E-up");
  ASSERT_NE(average, nullptr);
  EXPECT_DOUBLE_EQ(*average->measured, immediate);
}

TEST(Experiment, Table6ComparesThroughTheCacheWithoutDice) {
  ExperimentOptions options;
  options.table = PaperTable::kTable6;
  options.seeds = 2;
  options.instances = {instance(8000)};
  PublishedTables::Caching published;
  published.fraction = 0.01;
  published.events_of_r_text = "1 K";
  published.events_of_r = 1000;
  published.ratios = {{"F", 0.5}, {"H", 0.5}};
  options.published.table6["graph"] = {published};
  Monitor monitor;
  Rows rows;
  ASSERT_TRUE(run_experiment(options, monitor, rows));
  EXPECT_EQ(std::count_if(rows.rows.begin(), rows.rows.end(),
                          [](const ExperimentRow& row) { return row.instance == "graph"; }),
            40);
  EXPECT_NE(rows.find("average of 1", "10^-2 H", "events/R"), nullptr);
  const ExperimentRow* f = rows.find("graph", "10^-2 F", "events/R");
  const ExperimentRow* h = rows.find("graph", "10^-2 H", "events/R");
  ASSERT_NE(f, nullptr);
  ASSERT_NE(h, nullptr);
  EXPECT_NEAR(*h->agreement, *h->measured / *f->measured, 1e-12);
  EXPECT_EQ(h->differs, std::abs(*h->agreement - 1) > 0.03 + 0.001 + 0.001);
}

TEST(Experiment, AveragesAndBudgets) {
  for (const PaperTable table : {PaperTable::kTable2, PaperTable::kTable4, PaperTable::kTable5}) {
    ExperimentOptions options;
    options.table = table;
    options.seeds = 1;
    options.instances = {instance(20'000)};
    Monitor monitor;
    Rows rows;
    ASSERT_TRUE(run_experiment(options, monitor, rows));
    if (table == PaperTable::kTable2) {
      EXPECT_NE(rows.find("average of 1", "10^-1 F80-D20", "events/R"), nullptr);
      double best = 0;
      for (const ExperimentRow& row : rows.rows) {
        if (row.quantity == "times best") best += *row.measured;
      }
      EXPECT_GE(best, 4) << "one at least for each size of cache";
    } else if (table == PaperTable::kTable4) {
      double states = 0;
      for (const ExperimentRow& row : rows.rows) {
        if (row.configuration == "F, no DDD" && row.quantity.starts_with("E-up ")) {
          states += *row.measured;
        }
      }
      EXPECT_EQ(states, 1) << "an instance is in one range";
    } else {
      const ExperimentRow* row = rows.find("graph", "F=100 F80-D20 0.5/0.3/0.2", "E-up");
      ASSERT_NE(row, nullptr);
      EXPECT_GT(*row->measured, 1);
      EXPECT_EQ(rows.find("graph", "F=1000 F 1/0/0", "E-up"), nullptr) << "too few states";
    }
  }
}

TEST(Experiment, LeavesOutWhatIsTooLargeOrBroken) {
  ExperimentOptions options;
  options.instances = {
      instance(20'000), instance(150), {"broken", []() -> Result<std::unique_ptr<Model>> {
                                          return Error{Errc::kInvalidArgument, "no model"};
                                        }}};
  options.max_states = 200;
  Monitor monitor;
  Rows rows;
  ASSERT_TRUE(run_experiment(options, monitor, rows));
  std::set<std::string> instances;
  for (const ExperimentRow& row : rows.rows) instances.insert(row.instance);
  EXPECT_EQ(instances, (std::set<std::string>{"graph", "average of 1"}));
  EXPECT_NE(rows.notes.back().find("no model"), std::string::npos);

  monitor.request_stop();
  Rows none;
  ASSERT_TRUE(run_experiment(options, monitor, none));
  EXPECT_EQ(none.find("graph", "F, no DDD", "E-up"), nullptr);
}

}  // namespace
}  // namespace comback

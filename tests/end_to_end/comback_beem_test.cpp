// The ComBack method finds the graphs of the BEEM instances: the same states, transitions,
// deadlocks and levels as the search that keeps all descriptors, whatever the width of the hashes,
// the cache, the candidates, the queue and the order.
//
// For the instances with up to COMBACK_BEEM_TO states. Those with up to COMBACK_BEEM_PAIRS_TO get
// every pair of values of two of these parameters, the larger ones every value, in combinations
// that change from instance to instance (tests/support/covering.h). Combinations that would take
// too long by an estimate of their event executions are left out, or where every value has to be
// used come last: with 8 bits, lists of a thousand states and more are under one hash. All that was
// run, and what was left out, is printed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/search.h"
#include "tests/support/beem.h"
#include "tests/support/covering.h"
#include "tests/support/dve_models.h"
#include "tests/support/paths.h"

namespace comback::test {
namespace {

using Combination = Covering::Combination;

dve::RangeErrors range_errors_of(const BeemInstance& instance) {
  if (instance.range_errors == "wrap") return dve::RangeErrors::kWrap;
  if (instance.range_errors == "error-state") return dve::RangeErrors::kErrorState;
  if (instance.range_errors == "terminal") return dve::RangeErrors::kTerminal;
  return dve::RangeErrors::kStop;
}

// The parameters, and how their values are called.
enum Parameter : std::size_t { kOrder, kQueue, kBits, kCache, kDetection };
const std::vector<std::vector<std::string>> kValues = {
    {"bfs", "dfs"},
    {"states", "ids"},
    {"8", "12", "16", "32", "64"},
    {"none", "F", "R:0.5", "H", "D:5", "F20-H80", "F50-H50", "F20-D80", "F80-D20", "F50/D50",
     "level"},
    {"immediate", "1", "7", "1000", "unlimited"}};

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> counts;
  for (const auto& values : kValues) counts.push_back(values.size());
  return counts;
}
const std::string& value(const Combination& c, Parameter p) { return kValues[p][c[p]]; }

std::string describe(const Combination& c) {
  return value(c, kOrder) + ", queue of " + value(c, kQueue) + ", " + value(c, kBits) +
         " bits, cache " + value(c, kCache) + ", candidates " + value(c, kDetection);
}
std::string describe(const Covering::Item& item) {
  const auto& [p, v, q, w] = item;
  return kValues[p][v] + (p == q ? "" : " x " + kValues[q][w]);
}

// What a search of all descriptors tells of an instance.
struct Shape {
  double states = 0;
  double transitions = 0;
  double levels = 0;
  double mean_level = 0;
  double mean_stack = 0;
};

// In depth-first search trees are deep, so that reconstruction needs a larger cache.
std::uint64_t cache_size(const Combination& c, std::uint64_t states) {
  return 1 + states / (value(c, kOrder) == "dfs" ? 2 : 10);
}

SearchOptions options_of(const Combination& c, std::uint64_t states) {
  SearchOptions options;
  options.visited = VisitedMode::kComBack;
  options.memory_bytes = 2ull << 30;
  if (value(c, kOrder) == "dfs") options.order = SearchOrder::kDepthFirst;
  if (value(c, kQueue) == "ids") options.comback.queue = ComBackOptions::Queue::kIds;
  options.hash_bits = static_cast<unsigned>(std::stoul(value(c, kBits)));
  options.comback.cache = *parse_cache_spec(value(c, kCache));
  options.comback.cache_size = cache_size(c, states);
  const std::string& candidates = value(c, kDetection);
  if (candidates == "immediate") return options;
  options.comback.detection = ComBackOptions::Detection::kDelayed;
  options.comback.candidates =
      candidates == "unlimited" ? ComBackOptions::kUnlimited : std::stoull(candidates);
  return options;
}

constexpr double kMuch = 2e7;
constexpr double kMost = 2e8;
constexpr double kEver = 2e11;

// In event executions, very roughly.
double estimated_cost(const Combination& c, const Shape& shape) {
  const SearchOptions options = options_of(c, static_cast<std::uint64_t>(shape.states));
  const bool dfs = options.order == SearchOrder::kDepthFirst;
  const double depth = dfs ? shape.mean_stack : shape.mean_level;
  // From a state to its next cached ancestor.
  double path = depth;
  if (value(c, kCache) == "level") {
    path = std::min(depth, 1 + shape.states / static_cast<double>(*options.comback.cache_size));
  } else if (value(c, kCache) != "none" && !dfs) {
    path = depth / 2;
  }
  // States under one hash, on average over the search.
  const double list = 1 + shape.states / 2 / std::pow(2.0, options.hash_bits);
  const double queue = value(c, kQueue) == "ids" ? shape.states * path : 0;
  if (options.comback.detection == ComBackOptions::Detection::kImmediate) {
    return queue + shape.transitions * list * path;
  }
  const double candidates =
      std::min(shape.transitions, static_cast<double>(*options.comback.candidates));
  // Depth first, also whenever a frame with candidates is left.
  const double detections = dfs ? std::max(shape.transitions / candidates, shape.transitions / 8)
                                : std::max(shape.transitions / candidates, shape.levels);
  const double each = std::min(shape.states / 2, shape.transitions / detections * list * path);
  // The list is gone through for every candidate; only a ring is quickly asked.
  const bool quick = value(c, kCache) == "none" || value(c, kCache) == "F";
  return queue + detections * each + shape.transitions * list * (quick ? 0.1 : 1);
}

// What the search that keeps all descriptors finds.
Summary explore_full(const Model& model, Shape& shape) {
  Monitor monitor;
  SearchOptions options;
  options.memory_bytes = 2ull << 30;
  const auto wide = explore(model, options, monitor);
  options.order = SearchOrder::kDepthFirst;
  const auto deep = explore(model, options, monitor);
  if (!wide || !deep) {
    ADD_FAILURE() << (wide ? deep : wide).error().what;
    return {};
  }
  EXPECT_EQ(deep->states, wide->states);
  shape = {.states = static_cast<double>(wide->states),
           .transitions = static_cast<double>(wide->transitions),
           .levels = static_cast<double>(wide->level_sizes.size()),
           .mean_stack = static_cast<double>(deep->max_depth) / 2};
  for (std::size_t l = 0; l < wide->level_sizes.size(); ++l) {
    shape.mean_level += static_cast<double>(l * wide->level_sizes[l]) / shape.states;
  }
  return *wide;
}

void expect_same(const Model& model, const Combination& c, const Summary& expected) {
  const SearchOptions options = options_of(c, expected.states);
  SCOPED_TRACE(describe(c));
  Monitor monitor;
  const auto summary = explore(model, options, monitor);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->verdict, expected.verdict);
  EXPECT_EQ(summary->states, expected.states);
  EXPECT_EQ(summary->transitions, expected.transitions);
  EXPECT_EQ(summary->deadlocks, expected.deadlocks);
  if (options.order == SearchOrder::kBreadthFirst) {
    EXPECT_EQ(summary->level_sizes, expected.level_sizes);
  }
  std::cout << "  " << describe(c) << ": " << summary->reconstruction_events << " events, "
            << summary->hash_conflicts << " conflicts" << std::endl;
}

class ComBackBeem : public ::testing::TestWithParam<BeemInstance> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ComBackBeem);  // there may be no models

TEST_P(ComBackBeem, HasTheSameGraph) {
  const BeemInstance& instance = GetParam();
  const std::unique_ptr<Model> model = loaded(dve::load_file(
      beem_dir() / (instance.name + ".dve"),
      {.range_errors = range_errors_of(instance), .backend = dve::Backend::kInterpreted}));
  ASSERT_NE(model, nullptr);
  Shape shape;
  const Summary expected = explore_full(*model, shape);
  ASSERT_EQ(expected.states, instance.states);

  const bool pairs = instance.states <= COMBACK_BEEM_PAIRS_TO;
  Covering covering(
      sizes(), pairs ? Covering::Each::kPair : Covering::Each::kValue,
      static_cast<unsigned>(instance.states),
      [&](const Combination& c) { return estimated_cost(c, shape); }, kMuch, kMost);
  int count = 0;
  for (double most = kMost; !HasFailure(); covering.afford(most *= 4)) {
    for (auto c = covering.next(); c && !HasFailure(); c = covering.next(), ++count) {
      expect_same(*model, *c, expected);
    }
    if (pairs || covering.missing().empty() || most > kEver) break;
  }
  std::cout << instance.name << ": " << count << " combinations";
  for (const auto& item : covering.missing()) std::cout << ", without " << describe(item);
  std::cout << std::endl;
  if (!pairs) {
    EXPECT_TRUE(covering.missing().empty()) << "every instance gets every value";
  }
}

INSTANTIATE_TEST_SUITE_P(Instances, ComBackBeem,
                         ::testing::ValuesIn(beem_instances(0, COMBACK_BEEM_TO + 1)),
                         [](const auto& test) { return test.param.identifier(); });

// Tells where the models are missing.
TEST(ComBackBeemModels, AreThere) {
  if (beem_instances(0, COMBACK_BEEM_TO).empty()) GTEST_SKIP() << "no BEEM models";
}

}  // namespace
}  // namespace comback::test

// The ComBack method finds the graphs of the BEEM instances: the same states, transitions,
// deadlocks and levels as the search that keeps all descriptors, whatever the width of the hashes,
// the cache, the candidates, the queue and the order.
//
// For the instances with up to COMBACK_BEEM_TO states. Each goes through COMBACK_BEEM_RUNS of the
// configurations; all configurations have their turn over the instances.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/search.h"
#include "tests/support/beem.h"
#include "tests/support/dve_models.h"

namespace comback::test {
namespace {

dve::RangeErrors range_errors_of(const BeemInstance& instance) {
  if (instance.range_errors == "wrap") return dve::RangeErrors::kWrap;
  if (instance.range_errors == "error-state") return dve::RangeErrors::kErrorState;
  if (instance.range_errors == "terminal") return dve::RangeErrors::kTerminal;
  return dve::RangeErrors::kStop;
}

// One of all combinations, at random but the same in every run.
SearchOptions configuration(std::mt19937& random, std::uint64_t states) {
  const char* strategies[] = {"none",    "F",       "R:0.5",   "H",    "D:5",
                              "F20-D80", "F80-D20", "F50-H50", "level"};
  const std::uint64_t candidates[] = {1, 7, 1000, ComBackOptions::kUnlimited};
  const auto one_of = [&](const auto& choices) { return choices[random() % std::size(choices)]; };
  SearchOptions options;
  options.visited = VisitedMode::kComBack;
  options.memory_bytes = 2ull << 30;
  options.order = random() % 3 == 0 ? SearchOrder::kDepthFirst : SearchOrder::kBreadthFirst;
  // Lists of hundreds of states under one hash take hours in the large instances.
  std::vector<unsigned> bits = {32, 64};
  for (const unsigned narrow : {8u, 12u, 16u}) {
    if (states >> narrow <= 32) bits.push_back(narrow);
  }
  options.hash_bits = one_of(bits);
  options.comback.cache = *parse_cache_spec(one_of(strategies));
  options.comback.cache_size = 1 + states / (random() % 2 == 0 ? 10 : 100);
  options.comback.queue =
      random() % 2 == 0 ? ComBackOptions::Queue::kStates : ComBackOptions::Queue::kIds;
  if (random() % 4 != 0) {
    options.comback.detection = ComBackOptions::Detection::kDelayed;
    options.comback.candidates = one_of(candidates);
    // A detection per candidate goes back to the initial state each time.
    if (states > 20'000 && *options.comback.candidates < 1000) options.comback.candidates = 1000;
  }
  // Deep stacks make deep trees, and every reconstruction without a cache starts at their root.
  if (options.order == SearchOrder::kDepthFirst) {
    options.comback.cache = *parse_cache_spec(states > 20'000 ? "F" : one_of(strategies));
    options.comback.cache_size = 1 + states / 2;
  }
  return options;
}

std::string describe(const SearchOptions& options) {
  return std::string(options.order == SearchOrder::kBreadthFirst ? "bfs, " : "dfs, ") +
         std::to_string(options.hash_bits) + " bits, " + to_string(options.comback.cache) + " of " +
         std::to_string(*options.comback.cache_size) + ", " +
         (options.comback.detection == ComBackOptions::Detection::kImmediate
              ? "immediate"
              : "candidates " + std::to_string(*options.comback.candidates)) +
         (options.comback.queue == ComBackOptions::Queue::kIds ? ", ids" : ", states");
}

TEST(ComBackBeem, FindsTheSameGraphs) {
  const std::vector<BeemInstance> all = beem_instances(0, COMBACK_BEEM_TO + 1);
  if (all.empty()) GTEST_SKIP() << "no BEEM models";
  std::mt19937 random(7);
  for (const BeemInstance& instance : all) {
    SCOPED_TRACE(instance.name);
    const std::unique_ptr<Model> model = loaded(dve::load_file(
        beem_dir() / (instance.name + ".dve"),
        {.range_errors = range_errors_of(instance), .backend = dve::Backend::kInterpreted}));
    ASSERT_NE(model, nullptr);
    Monitor monitor;
    SearchOptions full;
    full.memory_bytes = 2ull << 30;
    const auto expected = explore(*model, full, monitor);
    ASSERT_TRUE(expected) << expected.error().what;
    for (int run = 0; run < COMBACK_BEEM_RUNS; ++run) {
      const SearchOptions options = configuration(random, instance.states);
      SCOPED_TRACE(describe(options));
      const auto summary = explore(*model, options, monitor);
      ASSERT_TRUE(summary) << summary.error().what;
      EXPECT_EQ(summary->verdict, expected->verdict);
      EXPECT_EQ(summary->states, expected->states);
      EXPECT_EQ(summary->transitions, expected->transitions);
      EXPECT_EQ(summary->deadlocks, expected->deadlocks);
      if (options.order == SearchOrder::kBreadthFirst) {
        EXPECT_EQ(summary->level_sizes, expected->level_sizes);
      }
    }
  }
}

}  // namespace
}  // namespace comback::test

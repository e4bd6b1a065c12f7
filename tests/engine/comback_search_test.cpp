#include "engine/comback_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "tests/support/oracle.h"
#include "tests/support/random_model.h"

namespace comback {
namespace {

using test::FunctionPredicate;
using test::GridModel;
using test::Oracle;
using test::RandomModel;
using Detection = ComBackOptions::Detection;
using Queue = ComBackOptions::Queue;

constexpr const char* kStrategies[] = {"none",    "F",       "R:0.5",   "H",       "D:5",  "D:1",
                                       "F20-D80", "F50-H50", "F20/D80", "F50/H50", "level"};
constexpr unsigned kHashBits[] = {8, 12, 16, 32, 64};
constexpr std::uint64_t kCandidates[] = {1, 7, 1000, ComBackOptions::kUnlimited};

CacheSpec spec(const char* text) {
  auto parsed = parse_cache_spec(text);
  EXPECT_TRUE(parsed) << parsed.error().what;
  return *parsed;
}

// Of at least `least` reachable states.
RandomModel random_model(unsigned seed, std::uint32_t vertices, std::uint64_t least) {
  for (unsigned salt = 0;; salt += 1000) {
    RandomModel model(seed + salt, {.vertices = vertices,
                                    .max_degree = 2 + seed % 5,
                                    .width = 4 + seed % 30,
                                    .local_share = 0.3 + 0.1 * (seed % 7)});
    if (Oracle(model).states.size() >= least) return model;
  }
}

Summary explore_or_die(const Model& model, const SearchOptions& options) {
  Monitor monitor;
  auto summary = explore(model, options, monitor);
  if (!summary) {
    ADD_FAILURE() << summary.error().what;
    return {};
  }
  return *summary;
}

SearchOptions comback_options(SearchOrder order, Detection detection) {
  SearchOptions options;
  options.order = order;
  options.visited = VisitedMode::kComBack;
  options.memory_bytes = 64 << 20;
  options.comback.detection = detection;
  options.comback.cache_size = 13;
  return options;
}

std::string describe(const SearchOptions& o) {
  return std::string(o.order == SearchOrder::kBreadthFirst ? "bfs " : "dfs ") +
         (o.comback.detection == Detection::kImmediate
              ? "immediate"
              : "delayed " + std::to_string(o.comback.candidates.value_or(0))) +
         (o.comback.queue == Queue::kIds ? " ids " : " states ") + to_string(o.comback.cache) +
         " of " + std::to_string(*o.comback.cache_size) + ", " + std::to_string(o.hash_bits) +
         " bits";
}

void expect_exact(const Oracle& oracle, const Model& model, const SearchOptions& options) {
  SCOPED_TRACE(describe(options));
  const Summary summary = explore_or_die(model, options);
  EXPECT_EQ(summary.verdict, Verdict::kComplete);
  EXPECT_EQ(summary.states, oracle.states.size());
  EXPECT_EQ(summary.transitions, oracle.transitions);
  EXPECT_EQ(summary.deadlocks, oracle.deadlocks);
  EXPECT_EQ(summary.events, summary.transitions + summary.reconstruction_events);
  if (options.order == SearchOrder::kBreadthFirst) {
    EXPECT_EQ(summary.level_sizes, oracle.level_sizes);
  } else if (options.comback.detection == Detection::kImmediate) {
    EXPECT_EQ(summary.max_depth, oracle.depth_first().second);
  }
}

// Whatever the width of the hashes, the cache, the candidates and the queue: the same graph.
class ComBackExactness : public ::testing::TestWithParam<unsigned> {};

TEST_P(ComBackExactness, AgreesWithBruteForce) {
  const unsigned seed = GetParam();
  const RandomModel model = random_model(seed, 250, 120);
  const Oracle oracle(model);
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    for (const Queue queue : {Queue::kStates, Queue::kIds}) {
      for (const unsigned bits : kHashBits) {
        for (const char* strategy : kStrategies) {
          SearchOptions options = comback_options(order, Detection::kImmediate);
          options.comback.queue = queue;
          options.comback.cache = spec(strategy);
          options.comback.cache_size = seed % 3 == 0 ? 1 : 17 * (seed % 3);
          options.hash_bits = bits;
          expect_exact(oracle, model, options);
          for (const std::uint64_t candidates : kCandidates) {
            options.comback.detection = Detection::kDelayed;
            options.comback.candidates = candidates;
            expect_exact(oracle, model, options);
          }
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ComBackExactness, ::testing::Range(0u, 5u));

class ComBackProperty : public ::testing::TestWithParam<unsigned> {};

// Immediate detection numbers states as the oracle does, so everything about conflicts and the
// cost of reconstruction without a cache follows from the graph.
TEST_P(ComBackProperty, CountsReconstructionsAndConflicts) {
  const RandomModel model = random_model(GetParam(), 300, 100);
  const Oracle oracle(model);
  SearchOptions options = comback_options(SearchOrder::kBreadthFirst, Detection::kImmediate);
  options.comback.cache = spec("none");
  const Summary wide = explore_or_die(model, options);
  std::uint64_t reconstructions = 0;
  std::uint64_t events = 0;
  std::vector<bool> seen(oracle.states.size());
  seen[0] = true;
  for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
    for (const auto& [event, to] : oracle.out[id]) {
      if (seen[to]) {
        reconstructions += to != 0;
        events += oracle.depths[to];
      }
      seen[to] = true;
    }
  }
  EXPECT_EQ(wide.reconstructions, reconstructions);
  EXPECT_EQ(wide.reconstruction_events, events);
  EXPECT_EQ(wide.hash_conflicts, 0u);

  // Pairs under one hash do not depend on when they are noticed.
  options.hash_bits = 8;
  const Summary narrow = explore_or_die(model, options);
  EXPECT_GT(narrow.hash_conflicts, 0u);
  options.comback.cache = spec("D");
  options.comback.detection = Detection::kDelayed;
  options.comback.candidates = 9;
  EXPECT_EQ(explore_or_die(model, options).hash_conflicts, narrow.hash_conflicts);
}

TEST_P(ComBackProperty, ViolationsHaveTraces) {
  const RandomModel model = random_model(GetParam(), 300, 100);
  const Oracle oracle(model);
  const std::uint64_t bad = oracle.states.size() - 1 - GetParam() % 13;
  const std::uint32_t bad_vertex = model.decode(oracle.bytes(bad));
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    for (const Detection detection : {Detection::kImmediate, Detection::kDelayed}) {
      for (const Queue queue : {Queue::kStates, Queue::kIds}) {
        for (const unsigned bits : {8u, 64u}) {
          SearchOptions options = comback_options(order, detection);
          options.comback.queue = queue;
          options.hash_bits = bits;
          options.comback.candidates = 50;
          options.invariants.push_back(std::make_shared<FunctionPredicate>(
              "good", [&](const std::byte* s) { return model.decode(s) == bad_vertex ? 0 : 1; }));
          SCOPED_TRACE(describe(options));
          const Summary summary = explore_or_die(model, options);
          EXPECT_EQ(summary.verdict, Verdict::kInvariant);
          ASSERT_EQ(summary.violations.size(), 1u);
          const Trace& trace = summary.violations[0].trace;
          ASSERT_EQ(trace.states.size(), trace.events.size() + 1);
          EXPECT_EQ(oracle.id_of(trace.states[0].data()), 0u);
          EXPECT_EQ(oracle.id_of(trace.states.back().data()), bad);
          std::uint64_t at = 0;
          for (const Event event : trace.events) {
            const auto& out = oracle.out[at];
            const auto edge = std::find_if(out.begin(), out.end(),
                                           [&](const auto& e) { return e.first == event; });
            ASSERT_NE(edge, out.end());
            at = edge->second;
          }
          EXPECT_EQ(at, bad);
          EXPECT_EQ(trace.events.size(), summary.violations[0].depth);
          if (order == SearchOrder::kBreadthFirst) {
            EXPECT_EQ(trace.events.size(), oracle.depths[bad]) << "shortest";
          }
        }
      }
    }
  }
}

TEST_P(ComBackProperty, LimitsStopTheSearchWhereTheySay) {
  const RandomModel model = random_model(GetParam(), 300, 100);
  const Oracle oracle(model);
  for (const Detection detection : {Detection::kImmediate, Detection::kDelayed}) {
    for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
      for (const Queue queue : {Queue::kStates, Queue::kIds}) {
        SearchOptions options = comback_options(order, detection);
        options.comback.queue = queue;
        options.hash_bits = GetParam() % 2 == 0 ? 8 : 64;
        options.max_states = oracle.states.size() / 2;
        const Summary half = explore_or_die(model, options);
        EXPECT_EQ(half.states, *options.max_states);
        EXPECT_EQ(half.stop_reason, StopReason::kMaxStates);
        options.max_states = oracle.states.size();
        EXPECT_EQ(explore_or_die(model, options).verdict, Verdict::kComplete);
      }
    }
    SearchOptions options = comback_options(SearchOrder::kBreadthFirst, detection);
    options.hash_bits = GetParam() % 2 == 0 ? 8 : 64;
    options.max_depth = oracle.level_sizes.size() - 3;
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.stop_reason, StopReason::kMaxDepth);
    EXPECT_EQ(summary.level_sizes,
              std::vector<std::uint64_t>(oracle.level_sizes.begin(), oracle.level_sizes.end() - 1));
  }
}

// Every state is checked, also those that no longer get expanded.
TEST_P(ComBackProperty, ChecksEveryStateThatALimitLeaves) {
  const RandomModel model = random_model(GetParam(), 300, 100);
  for (const Detection detection : {Detection::kImmediate, Detection::kDelayed}) {
    for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
      for (const Queue queue : {Queue::kStates, Queue::kIds}) {
        SearchOptions options = comback_options(order, detection);
        options.comback.queue = queue;
        options.comback.candidates = 5;
        options.hash_bits = GetParam() % 2 == 0 ? 10 : 64;
        options.max_states = 60;
        std::uint64_t checked = 0;
        options.invariants.push_back(std::make_shared<FunctionPredicate>(
            "counts", [&](const std::byte*) { return static_cast<std::int64_t>(++checked); }));
        SCOPED_TRACE(describe(options));
        const Summary summary = explore_or_die(model, options);
        EXPECT_EQ(summary.states, 60u);
        if (order == SearchOrder::kBreadthFirst) {
          EXPECT_GE(checked, summary.states);
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ComBackProperty, ::testing::Range(0u, 20u));

TEST(ComBackSearch, GoesDeepAndComesBack) {
  const RandomModel model(1, {.vertices = 20'000, .max_degree = 6, .width = 12});
  const Oracle oracle(model);
  for (const Queue queue : {Queue::kStates, Queue::kIds}) {
    for (const Detection detection : {Detection::kImmediate, Detection::kDelayed}) {
      SearchOptions options = comback_options(SearchOrder::kDepthFirst, detection);
      options.comback.queue = queue;
      options.comback.cache = spec("level");
      options.comback.cache_size = 2000;
      expect_exact(oracle, model, options);
    }
  }
}

// A grid has one shortest path length to each state, and a level's states fit in the cache: no
// reconstruction is needed.
TEST(ComBackSearch, AFifoCacheOfTwoLevelsSavesAllForwardReconstructions) {
  const GridModel model(3, 20);
  SearchOptions options = comback_options(SearchOrder::kBreadthFirst, Detection::kImmediate);
  options.comback.cache_size = 700;
  const Summary summary = explore_or_die(model, options);
  EXPECT_EQ(summary.states, 8000u);
  EXPECT_EQ(summary.reconstructions, 0u);
  EXPECT_EQ(summary.events, summary.transitions);
}

TEST(ComBackSearch, TablesTakeAtMostTwentyBytesPerState) {
  const GridModel model(4, 30);
  SearchOptions options = comback_options(SearchOrder::kBreadthFirst, Detection::kImmediate);
  options.memory_bytes = 1 << 30;
  options.comback.cache_size = 60'000;
  const std::uint64_t small_constant = 1 << 20;
  const std::pair<unsigned, std::uint64_t> limits[] = {{64, 20}, {32, 15}, {22, 12}};
  for (const auto& [bits, bytes] : limits) {
    options.hash_bits = bits;
    const Summary summary = explore_or_die(model, options);
    EXPECT_EQ(summary.states, 810'000u);
    EXPECT_LE(summary.visited_bytes, summary.states * bytes + small_constant) << bits << " bits";
  }
}

TEST(ComBackSearch, ABudgetThatIsTooSmallIsAnError) {
  const GridModel model(3, 10);
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    for (const Queue queue : {Queue::kStates, Queue::kIds}) {
      SearchOptions options = comback_options(order, Detection::kDelayed);
      options.comback.queue = queue;
      options.memory_bytes = 100'000;
      Monitor monitor;
      const auto summary = explore(model, options, monitor);
      ASSERT_FALSE(summary);
      EXPECT_EQ(summary.error().code, Errc::kOutOfMemory);
    }
  }
}

TEST(ComBackSearch, AnExhaustedBudgetIsIncomplete) {
  const GridModel model(4, 120, 40);
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    for (const Detection detection : {Detection::kImmediate, Detection::kDelayed}) {
      for (const Queue queue : {Queue::kStates, Queue::kIds}) {
        for (const std::uint64_t candidates : {std::uint64_t{100}, ComBackOptions::kUnlimited}) {
          SearchOptions options = comback_options(order, detection);
          options.comback.queue = queue;
          options.comback.cache_size = 3000;
          options.comback.candidates = candidates;
          options.comback.queue_block = 100;
          options.memory_bytes = 5 << 20;
          SCOPED_TRACE(describe(options));
          const Summary summary = explore_or_die(model, options);
          EXPECT_EQ(summary.stop_reason, StopReason::kMemory);
          EXPECT_GT(summary.states, 10'000u);
        }
      }
    }
  }
}

TEST(ComBackSearch, StopsOnRequestAndOnTime) {
  const GridModel model(5, 40);
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    SearchOptions options = comback_options(order, Detection::kDelayed);
    Monitor stopped;
    stopped.request_stop();
    auto summary = explore(model, options, stopped);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->stop_reason, StopReason::kInterrupted);
    options.time_limit = std::chrono::duration<double>(0.0);
    EXPECT_EQ(explore_or_die(model, options).stop_reason, StopReason::kTimeLimit);
  }
}

TEST(ComBackSearch, ADescriptorBudgetIsSplitAsPublished) {
  for (const std::uint64_t descriptors : {10ull, 100ull, 1000ull, 10'000ull, 1'000'000ull}) {
    const ComBackOptions options = split_descriptors(descriptors, best_split(descriptors));
    EXPECT_EQ(*options.cache_size + *options.candidates + *options.queue_block, descriptors);
    EXPECT_EQ(to_string(options.cache), "F80-D20");
    EXPECT_EQ(options.queue, Queue::kIds);
    EXPECT_EQ(options.detection, Detection::kDelayed);
  }
  EXPECT_EQ(*split_descriptors(100, best_split(100)).cache_size, 50u);
  EXPECT_EQ(*split_descriptors(1000, best_split(1000)).candidates, 200u);
  EXPECT_EQ(*split_descriptors(10'000, best_split(10'000)).queue_block, 1000u);
  const ComBackOptions at_once = split_descriptors(100, {100, 0, 0});
  EXPECT_EQ(at_once.detection, Detection::kImmediate);
  EXPECT_EQ(*at_once.cache_size, 100u);
  EXPECT_EQ(*at_once.queue_block, 1u);
}

TEST(ComBackSearch, ADescriptorBudgetIsExactWhateverItsSplit) {
  const RandomModel model = random_model(3, 2000, 1000);
  const Oracle oracle(model);
  for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
    for (const std::uint64_t descriptors : {ComBackOptions::kFromMemory, std::uint64_t{10},
                                            std::uint64_t{100}, std::uint64_t{1000}}) {
      for (const DescriptorSplit split : {DescriptorSplit{60, 20, 20}, DescriptorSplit{90, 0, 10},
                                          DescriptorSplit{0, 100, 0}, DescriptorSplit{1, 98, 1}}) {
        SearchOptions options = comback_options(order, Detection::kDelayed);
        options.comback.cache = spec("F80-D20");
        options.comback.descriptors = descriptors;
        options.comback.split = split;
        options.hash_bits = 10;
        expect_exact(oracle, model, options);
      }
    }
  }
}

TEST(ComBackSearch, TooFewDescriptorsAreAnError) {
  const GridModel model(3, 10);
  SearchOptions options = comback_options(SearchOrder::kBreadthFirst, Detection::kDelayed);
  options.comback.descriptors = 9;
  Monitor monitor;
  const auto summary = explore(model, options, monitor);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, Errc::kInvalidArgument);
}

TEST(CacheSpec, ReadsItsTexts) {
  for (const char* text : {"none", "F", "R:0.5", "R:1", "H", "D:5", "D:0", "F20-D80", "F20-H80",
                           "F0-H100", "F0/H100", "F20/H80", "F80/D20:3", "F50-D50:3", "level"}) {
    auto parsed = parse_cache_spec(text);
    ASSERT_TRUE(parsed) << text;
    const std::string written = to_string(*parsed);
    if (!std::string(text).starts_with("F0")) {
      EXPECT_EQ(written, text);
    }
    EXPECT_EQ(*parse_cache_spec(written), *parsed);
  }
  EXPECT_EQ(*parse_cache_spec("R"), *parse_cache_spec("R:0.5"));
  EXPECT_EQ(*parse_cache_spec("D"), *parse_cache_spec("D:5"));
  for (const char* text :
       {"", "f", "F20", "F20-D70", "F20-D80:", "F-D", "F101-D0", "R:", "R:2", "R:-1", "R:nan",
        "D:x", "D:-1", "F20-R80", "F20-", "F20/", "F20/R80", "H5", "level:3"}) {
    auto parsed = parse_cache_spec(text);
    EXPECT_FALSE(parsed) << text;
  }
}

}  // namespace
}  // namespace comback

#include "engine/verification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/tree_digest.h"
#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/stored_oracle.h"

namespace comback {
namespace {

using test::Oracle;
using test::RandomModel;
using test::StoredOracle;
using Execution = VerifyOptions::Execution;

// A model, its states, and the run that a layout makes of them.
struct Verified {
  explicit Verified(unsigned seed, StoredOracle::Layout layout = {})
      : model(large_model(seed)),
        oracle(model),
        run(oracle, model.width(), prepared(std::move(layout), seed)),
        team(1 + seed % 3),
        small_memory(seed % 4 == 0) {
    for (const auto& [predecessor, event] : oracle.backedges) digest.add(predecessor, event);
  }

  // With some hundred states that can be reached.
  static RandomModel large_model(unsigned seed) {
    for (unsigned variant = seed;; variant += 100) {
      RandomModel model(variant, {.vertices = 3000,
                                  .max_degree = 3 + seed % 3,
                                  .width = 5 + seed % 20,
                                  .deadlock_share = 0.002,
                                  .local_share = 0.9});
      if (Oracle(model).states.size() > 500) return model;
    }
  }

  static StoredOracle::Layout prepared(StoredOracle::Layout layout, unsigned seed) {
    layout.keep = [](std::uint32_t level) { return level % 3 == 1; };
    if (seed % 3 == 0) layout.block_ids = 37;
    layout.hash_bits = seed % 2 == 0 ? 32 : 64;
    return layout;
  }

  Verification verify(Execution execution) {
    VerifiedRun verified{&model, &run.tree(), &run.database(), &run.states()};
    verified.tree_digest = digest.value();
    verified.expanded = oracle.states.size();
    verified.transitions = oracle.transitions;
    verified.deadlocks = oracle.deadlocks;
    VerifyOptions options;
    options.execution = execution;
    options.sample = 200;
    options.stream.memory_bytes = small_memory ? 0 : std::uint64_t{64} << 20;
    options.stream.temporary_dir = run.dir() / "temp";
    Monitor monitor;
    auto result = comback::verify(verified, options, team, monitor);
    EXPECT_TRUE(result) << result.error().what;
    return result ? std::move(*result) : Verification();
  }

  RandomModel model;
  Oracle oracle;
  StoredOracle run;
  ThreadTeam team;
  bool small_memory;
  TreeDigest digest;
};

std::string told(const Verification& found) {
  std::string all;
  for (const auto& problem : found.problems) {
    all += std::string(to_string(problem.part)) + ": " + problem.what + "\n";
  }
  return all;
}

constexpr Execution kAllExecutions[] = {Execution::kSample, Execution::kEach, Execution::kAll};

class VerificationProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(VerificationProperty, FindsNothingWhereNothingIsWrong) {
  Verified verified(GetParam());
  const std::uint64_t states = verified.oracle.states.size();
  for (const Execution execution : kAllExecutions) {
    const Verification found = verified.verify(execution);
    EXPECT_TRUE(found.sound()) << told(found);
    EXPECT_EQ(found.sound_levels, verified.run.tree().depth());
    EXPECT_EQ(found.backedges, states);
    EXPECT_EQ(found.table_entries, states);
    EXPECT_GT(found.database_files, 0u);
    EXPECT_GT(found.kept_states, 0u);
    EXPECT_EQ(found.executed_states, execution == Execution::kSample ? 200 : states);
    EXPECT_EQ(found.expanded_states, execution == Execution::kAll ? states : 0);
    EXPECT_EQ(found.checked_successors > 0, execution == Execution::kAll);
  }
}

// Every single wrong backedge is found, and what is on the levels above it is still vouched for.
TEST_P(VerificationProperty, FindsAWrongBackedge) {
  const Oracle oracle(Verified::large_model(GetParam()));
  const std::uint64_t states = oracle.states.size();
  const StateId bad = 1 + (GetParam() * 7919) % (states - 1);
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE("state " + std::to_string(bad) + ", way " + std::to_string(way));
    StoredOracle::Layout layout;
    Backedge altered;
    layout.alter_backedges = [&](std::vector<Backedge>& edges) {
      Backedge& edge = edges[bad];
      if (way == 0 || edge.predecessor == 0) edge.event += 1;
      if (way == 1 && edge.predecessor > 0) --edge.predecessor;
      if (way == 2) edge = {edge.predecessor / 2, edge.event + 2};
      altered = edge;
    };
    Verified verified(GetParam(), layout);
    for (const Execution execution : kAllExecutions) {
      const Verification found = verified.verify(execution);
      EXPECT_FALSE(found.sound());
      EXPECT_FALSE(found.sound(RunPart::kTree)) << told(found);  // by the digest, if nothing else
      EXPECT_TRUE(found.sound(RunPart::kDatabase)) << told(found);
    }
    // With a forged digest, executing shows it, unless that event leads to the same state.
    const auto& out = oracle.out[altered.predecessor];
    if (std::count(out.begin(), out.end(), std::pair<Event, StateId>(altered.event, bad)) > 0) {
      continue;
    }
    verified.digest = {};
    ASSERT_TRUE(verified.run.tree().backedges->for_each(0, states, [&](auto, const Backedge& edge) {
      verified.digest.add(edge.predecessor, edge.event);
    }));
    const Verification found = verified.verify(Execution::kAll);
    EXPECT_FALSE(found.sound());
    EXPECT_LE(found.sound_levels, oracle.depths[bad]) << told(found);
  }
}

TEST_P(VerificationProperty, FindsWhatIsWrongInTheStateTable) {
  const Oracle oracle(Verified::large_model(GetParam()));
  const StateId bad = (GetParam() * 104729) % oracle.states.size();
  const std::function<void(std::vector<StateEntry>&)> ways[] = {
      [&](auto& entries) { entries[bad].hash ^= std::uint64_t{1} << 40; },
      [&](auto& entries) { entries[bad].id = (bad + 1) % entries.size(); },
      [&](auto& entries) { entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(bad)); },
      [&](auto& entries) {
        std::swap(entries[bad].hash, entries[(bad + 5) % entries.size()].hash);
      },
      [&](auto& entries) {
        entries.push_back({entries[bad].hash + 1, entries.size()});
      },
  };
  int number = 0;
  for (const auto& way : ways) {
    SCOPED_TRACE("state " + std::to_string(bad) + ", way " + std::to_string(number++));
    StoredOracle::Layout layout;
    layout.alter_entries = way;
    Verified verified(GetParam(), layout);
    for (const Execution execution : {Execution::kEach, Execution::kAll}) {
      const Verification found = verified.verify(execution);
      EXPECT_FALSE(found.sound(RunPart::kStateTable)) << told(found);
      EXPECT_TRUE(found.sound(RunPart::kTree)) << told(found);
      EXPECT_TRUE(found.sound(RunPart::kLevels)) << told(found);
    }
  }
}

TEST_P(VerificationProperty, FindsAKeptDescriptorThatIsAnother) {
  const Oracle oracle(Verified::large_model(GetParam()));
  StateId bad = 1 + (GetParam() * 31) % (oracle.states.size() - 1);
  while (oracle.depths[bad] % 3 != 1) bad = bad % (oracle.states.size() - 1) + 1;
  StoredOracle::Layout layout;
  layout.alter_kept = [&](std::uint64_t id, std::string& descriptor) {
    if (id == bad) descriptor[2] = static_cast<char>(descriptor[2] ^ 4);
  };
  Verified verified(GetParam(), layout);
  verified.small_memory = false;  // or states would be made from that descriptor
  const Verification found = verified.verify(Execution::kEach);
  ASSERT_EQ(found.problems.size(), 1u) << told(found);
  EXPECT_EQ(found.problems[0].part, RunPart::kLevels);
  EXPECT_NE(found.problems[0].what.find("state " + std::to_string(bad) + " "), std::string::npos)
      << told(found);
  EXPECT_NE(found.problems[0].what.find("segment-"), std::string::npos) << told(found);
  EXPECT_EQ(found.sound_levels, verified.run.tree().depth());
}

TEST_P(VerificationProperty, FindsWrongCounts) {
  Verified verified(GetParam());
  ++verified.oracle.transitions;
  EXPECT_TRUE(verified.verify(Execution::kEach).sound());
  EXPECT_FALSE(verified.verify(Execution::kAll).sound(RunPart::kCounts));
  --verified.oracle.transitions;
  ++verified.oracle.deadlocks;
  EXPECT_FALSE(verified.verify(Execution::kAll).sound(RunPart::kCounts));
}

// A flipped byte in any file of blocks.
TEST_P(VerificationProperty, FindsFlippedBytes) {
  for (const std::string part : {"db", "levels"}) {
    Verified verified(GetParam());
    std::filesystem::path largest;
    for (const auto& entry : std::filesystem::directory_iterator(verified.run.dir() / part)) {
      if (part == "db" && entry.path().extension() != ".sst") continue;
      if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) {
        largest = entry.path();
      }
    }
    ASSERT_FALSE(largest.empty());
    {
      std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
      const auto at = static_cast<std::streamoff>(GetParam() * 13 % 200);
      file.seekg(at);
      const char byte = static_cast<char>(file.get() ^ (1 << GetParam() % 8));
      file.seekp(at);
      file.put(byte);
    }
    const Verification found = verified.verify(Execution::kEach);
    EXPECT_FALSE(found.sound()) << largest;
    EXPECT_NE(told(found).find(largest.filename().string()), std::string::npos) << told(found);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, VerificationProperty, ::testing::Range(0u, 6u));

}  // namespace
}  // namespace comback

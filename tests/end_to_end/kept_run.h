#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

// Runs that are kept in a directory, stopped and killed, and gone on with.

namespace comback::test {

struct KeptRun {
  std::string model;
  std::vector<std::string> options;
  std::string dir;

  CommandResult explore(const CommandOptions& how = {}) const {
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--run", dir, "--json", "-"});
    return test::explore(model, std::move(arguments), how);
  }
  CommandResult resume(std::vector<std::string> more = {}, const CommandOptions& how = {}) const {
    more.insert(more.begin(), {"resume", dir, "--progress", "none", "--json", "-"});
    return comback(std::move(more), how);
  }
};

inline nlohmann::json parsed(const CommandResult& result) {
  return nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
}

// What must be equal however often a run was interrupted.
inline void expect_same_findings(const nlohmann::json& a, const nlohmann::json& b) {
  for (const char* member :
       {"verdict", "stop_reason", "states", "transitions", "deadlocks", "levels", "level_sizes",
        "tree_digest", "violations", "assertion_violations", "invariant_violations", "wraps"}) {
    ASSERT_TRUE(a.contains(member) && b.contains(member)) << member;
    EXPECT_EQ(a[member], b[member]) << member;
  }
  EXPECT_EQ(a["events"].get<std::uint64_t>() - a["reconstruction_events"].get<std::uint64_t>(),
            b["events"].get<std::uint64_t>() - b["reconstruction_events"].get<std::uint64_t>());
}

struct Interruptions {
  unsigned kills = 0;    // that hit the process while it ran
  CommandResult last{};  // of the session that ended by itself
};

// Explores, killed by SIGKILL after a random time up to `most`, and goes on, at most `kills` times;
// the session after that is left alone.
inline Interruptions explore_with_kills(const KeptRun& run, std::mt19937& random, unsigned kills,
                                        std::chrono::milliseconds most) {
  Interruptions result;
  std::uniform_int_distribution<int> moment(1, static_cast<int>(most.count()));
  bool started = false;
  while (true) {
    CommandOptions how;
    if (result.kills < kills) {
      how.signal = std::pair(std::chrono::milliseconds(moment(random)), SIGKILL);
    }
    result.last = started ? run.resume({}, how) : run.explore(how);
    if (result.last.exit_code != 128 + SIGKILL) return result;
    ++result.kills;
    // Before run.json is there, it is no run yet.
    started = std::filesystem::exists(run.dir + "/run.json");
    if (!started) std::filesystem::remove_all(run.dir);
  }
}

}  // namespace comback::test

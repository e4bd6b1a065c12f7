#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"
#include "tests/support/faulty_disk.h"

// What a fault campaign does to runs: explore, let something happen, resume, and hold what comes
// out against a run to which nothing happened.

namespace comback::test {

struct CampaignRun {
  const char* model;                   // a sample
  std::vector<const char*> arguments;  // beside --run
};

// As the name of a test case.
inline std::string name_of(const CampaignRun& run) {
  std::string name = run.model;
  for (const char* argument : run.arguments) name += std::string("_") + argument;
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}
inline void PrintTo(const CampaignRun& run, std::ostream* out) { *out << name_of(run); }

// Checkpoints as often as there can be, so that there is something to lose.
inline CommandResult explore_run(const CampaignRun& run, const std::filesystem::path& dir,
                                 const CommandOptions& options = {}) {
  std::vector<std::string> arguments(run.arguments.begin(), run.arguments.end());
  arguments.insert(arguments.end(), {"--run", dir.string(), "--json", "-", "--trace", "none",
                                     "--checkpoint", "20ms"});
  return explore(sample(run.model), std::move(arguments), options);
}

inline CommandResult resume_run(const std::filesystem::path& dir,
                                const CommandOptions& options = {}) {
  return comback({"resume", dir.string(), "--json", "-", "--progress", "none", "--checkpoint",
                  "20ms", "--no-limits"},
                 options);
}

// What must not depend on what happened to a run on its way.
inline nlohmann::json outcome_of(const CommandResult& result) {
  const auto json = nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {{"no summary", result.out + result.err}};
  nlohmann::json outcome;
  for (const char* name :
       {"verdict", "states", "transitions", "deadlocks", "levels", "level_sizes", "tree_digest",
        "assertion_violations", "invariant_violations", "wraps"}) {
    outcome[name] = json.value(name, nlohmann::json());
  }
  outcome["events of exploration"] = json.value("events", std::uint64_t{0}) -
                                     json.value("reconstruction_events", std::uint64_t{0});
  for (const auto& violation : json.value("violations", nlohmann::json::array())) {
    outcome["violations"].push_back(
        {violation.value("kind", ""), violation.value("state", 0), violation.value("depth", 0)});
  }
  outcome["exit code"] = result.exit_code;
  return outcome;
}

// Ends as an error of ours, not as a crash.
inline void expect_no_crash(const CommandResult& result) {
  EXPECT_LT(result.exit_code, 5) << result.err;
  EXPECT_FALSE(result.timed_out);
  for (const char* word : {"Assertion", "Sanitizer", "terminate called", "runtime error"}) {
    EXPECT_EQ(result.err.find(word), std::string::npos) << result.err;
  }
}

// Goes on with what is left of a run, or begins again where nothing is, to the end.
inline CommandResult finish_run(const CampaignRun& run, const std::filesystem::path& dir) {
  const CommandResult result = resume_run(dir);
  if (result.exit_code != 2) return result;
  // The fault came before there was a run, and the message says so.
  EXPECT_NE(result.err.find("run"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "run.json")) << result.err;
  std::filesystem::remove_all(dir);
  return explore_run(run, dir);
}

}  // namespace comback::test

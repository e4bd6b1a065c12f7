// Every file of a run, cut and changed at many places: no command crashes, none gives a wrong
// answer, and what matters is found by comback verify.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>

#include "tests/end_to_end/survival.h"

#ifndef COMBACK_DAMAGES
#error "how often each file is cut, and how often changed"
#endif

namespace comback::test {
namespace {

namespace fs = std::filesystem;

struct Damaged {
  const char* name;
  CampaignRun run;
  bool interrupted;
};
const Damaged kRuns[] = {
    {"Finished", {"msi_bus", {"--tables", "disk", "--memory", "40M"}}, false},
    {"FinishedInMemory", {"producer_consumer", {"--tables", "memory"}}, false},
    {"Interrupted", {"msi_bus", {"--tables", "disk", "--memory", "40M"}}, true},
    {"InterruptedInMemory", {"producer_consumer", {"--tables", "memory"}}, true},
};
void PrintTo(const Damaged& damaged, std::ostream* out) { *out << damaged.name; }

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DamageCampaign : public ::testing::TestWithParam<Damaged> {
 protected:
  struct Answers {
    CommandResult trace, tree, exported;
  };
  // Commands that only read.
  static Answers ask(const fs::path& run) {
    return {comback({"trace", run.string(), "--state", "999", "--progress", "none"}),
            comback({"tree", run.string(), "--json", "--progress", "none"}),
            comback({"export", run.string(), "--format", "csv", "--progress", "none"})};
  }
  static CommandResult verify(const fs::path& run) {
    return comback(
        {"verify", run.string(), "--full", "--progress", "none", "--successors", "interpreted"});
  }

  // All that must hold of a run with some damage.
  void look_at(const fs::path& run) {
    const CommandResult verified = verify(run);
    expect_no_crash(verified);
    EXPECT_NE(verified.exit_code, 3) << verified.err;
    ++(verified.exit_code == 0 ? unnoticed_ : noticed_);
    const CommandResult status = comback({"status", run.string()});
    expect_no_crash(status);
    const Answers now = ask(run);
    const std::pair<const CommandResult*, const CommandResult*> answers[] = {
        {&now.trace, &healthy_.trace},
        {&now.tree, &healthy_.tree},
        {&now.exported, &healthy_.exported}};
    for (const auto& [answer, healthy] : answers) {
      expect_no_crash(*answer);
      if (answer->exit_code == healthy->exit_code && answer->exit_code != 4) {
        // Of a run that lost its last checkpoint, an answer about fewer states is right, too.
        if (!GetParam().interrupted) {
          EXPECT_EQ(answer->out, healthy->out);
        }
      } else {
        EXPECT_NE(answer->err, "");
      }
    }
    const CommandResult resumed = resume_run(run);
    expect_no_crash(resumed);
    if (verified.exit_code == 0 || resumed.exit_code < 2) {
      EXPECT_EQ(outcome_of(resumed), expected_) << resumed.err << verified.out;
    } else {
      EXPECT_NE(resumed.err, "");
      EXPECT_EQ(resumed.out, "");
    }
  }

  void try_damage(const fs::path& file, const std::string& what,
                  const std::function<void(std::string&)>& damage) {
    if (HasFailure()) return;
    SCOPED_TRACE(file.string() + " " + what);
    const fs::path run = dir / "damaged";
    fs::remove_all(run);
    fs::copy(dir / "run", run, fs::copy_options::recursive);
    std::string bytes = contents(run / file);
    damage(bytes);
    std::ofstream(run / file, std::ios::binary | std::ios::trunc) << bytes;
    look_at(run);
  }

  const TempDir dir;
  nlohmann::json expected_;
  Answers healthy_;
  int noticed_ = 0;
  int unnoticed_ = 0;
};

TEST_P(DamageCampaign, IsNoticedOrDoesNotMatter) {
  const CommandResult whole = explore_run(GetParam().run, dir / "whole");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  expected_ = outcome_of(whole);
  CampaignRun run = GetParam().run;
  if (GetParam().interrupted) run.arguments.insert(run.arguments.end(), {"--max-states", "3000"});
  const CommandResult explored = explore_run(run, dir / "run");
  ASSERT_EQ(explored.exit_code, GetParam().interrupted ? 3 : 0) << explored.err;
  healthy_ = ask(dir / "run");
  ASSERT_EQ(healthy_.trace.exit_code, 0) << healthy_.trace.err;
  ASSERT_LT(healthy_.tree.exit_code, 4) << healthy_.tree.err;
  ASSERT_LT(healthy_.exported.exit_code, 4) << healthy_.exported.err;

  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(dir / "run")) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), dir / "run"));
  }
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 5u);
  std::mt19937_64 random(20261118);
  for (const fs::path& file : files) {
    const std::size_t bytes = fs::file_size(dir / "run" / file);
    try_damage(file, "emptied", [](std::string& text) { text.clear(); });
    for (std::size_t i = 0; i < COMBACK_DAMAGES && bytes > 0; ++i) {
      const std::size_t keep = i == 0 ? bytes - 1 : random() % bytes;
      try_damage(file, "cut to " + std::to_string(keep),
                 [&](std::string& text) { text.resize(keep); });
      const std::size_t at = random() % bytes;
      const int bit = static_cast<int>(random() % 8);
      try_damage(file, "bit " + std::to_string(bit) + " flipped at " + std::to_string(at),
                 [&](std::string& text) { text[at] = static_cast<char>(text[at] ^ (1 << bit)); });
    }
  }
  std::printf("[ campaign ] %s: %zu files, %d damages found by verify, %d that do not matter\n",
              GetParam().name, files.size(), noticed_, unnoticed_);
}

INSTANTIATE_TEST_SUITE_P(Runs, DamageCampaign, ::testing::ValuesIn(kRuns),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace comback::test

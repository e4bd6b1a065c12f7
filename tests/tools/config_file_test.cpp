#include "tools/config_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tools/option_types.h"

namespace comback::tools {
namespace {

using test::TempDir;

// A command with one option of each kind.
class ConfigFile : public ::testing::Test {
 protected:
  ConfigFile() : root_("test", "comback"), command_(root_.add_subcommand("explore", "")) {
    root_.add_subcommand("info", "");
    add_size(*command_, "--memory", memory_, "");
    add_count(*command_, "--max-states", states_, "");
    command_->add_flag("--deadlock", deadlock_);
    command_->add_option("--invariant", invariants_)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  Status read(const std::string& toml, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "explore");
    std::reverse(arguments.begin(), arguments.end());
    root_.parse(arguments);
    return apply_config(*command_, dir_.write("config.toml", toml).string());
  }

  TempDir dir_;
  CLI::App root_;
  CLI::App* command_;
  std::optional<std::uint64_t> memory_;
  std::optional<std::uint64_t> states_;
  bool deadlock_ = false;
  std::vector<std::string> invariants_;
};

TEST_F(ConfigFile, SetsOptionsByName) {
  ASSERT_TRUE(
      read("# comment\nmemory = \"2G\"\nmax-states = 1000\ndeadlock = true\n"
           "invariant = [\"x < 3\", \"y > 2\"]\n"));
  EXPECT_EQ(memory_, 2ull << 30);
  EXPECT_EQ(states_, 1000u);
  EXPECT_TRUE(deadlock_);
  EXPECT_EQ(invariants_, (std::vector<std::string>{"x < 3", "y > 2"}));
}

TEST_F(ConfigFile, AcceptsASectionPerCommand) {
  ASSERT_TRUE(read("[explore]\nmax_states = 7\n[info]\nanything = 1\n"));
  EXPECT_EQ(states_, 7u);
}

TEST_F(ConfigFile, GivesWayToTheCommandLine) {
  ASSERT_TRUE(read("memory = \"2G\"\nmax-states = 5\n", {"--memory", "1G"}));
  EXPECT_EQ(memory_, 1ull << 30);
  EXPECT_EQ(states_, 5u);
}

TEST_F(ConfigFile, CanSayFalse) {
  ASSERT_TRUE(read("deadlock = false\n"));
  EXPECT_FALSE(deadlock_);
}

TEST_F(ConfigFile, RefusesUnknownOptionsAndSections) {
  const Status unknown = read("memry = \"2G\"\n");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find("unknown option 'memry'; did you mean memory?"),
            std::string::npos)
      << unknown.error().what;
  const Status section = read("[exlore]\nmemory = \"2G\"\n");
  ASSERT_FALSE(section);
  EXPECT_NE(section.error().what.find("[exlore]"), std::string::npos);
}

TEST_F(ConfigFile, RefusesValuesOfTheWrongKind) {
  EXPECT_THROW(static_cast<void>(read("memory = \"much\"\n")), CLI::ParseError);
}

TEST_F(ConfigFile, ThatIsMissingOrADirectoryIsRefused) {
  EXPECT_FALSE(apply_config(*command_, (dir_ / "missing.toml").string()));
  EXPECT_FALSE(apply_config(*command_, dir_.path().string()));
}

}  // namespace
}  // namespace comback::tools

// comback verify: what it says of sound and of damaged runs.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;

class CliVerify : public ::testing::Test {
 protected:
  // On disk, or in memory and written at the end.
  std::string run(const std::string& name, std::vector<std::string> arguments = {}) {
    const std::string path = (dir / name).string();
    arguments.insert(arguments.end(), {"--run", path});
    const CommandResult result = explore(sample("msi_bus"), std::move(arguments));
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
    return path;
  }
  static nlohmann::json verify(const std::string& path, std::vector<std::string> arguments,
                               int expected_code) {
    arguments.insert(arguments.begin(), {"verify", path, "--json", "--progress", "none",
                                         "--successors", "interpreted"});
    const CommandResult result = comback(std::move(arguments));
    EXPECT_EQ(result.exit_code, expected_code) << result.out << result.err;
    return nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  }
  static void flip(const fs::path& path, std::uintmax_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  const TempDir dir;
};

TEST_F(CliVerify, SoundRunsAreSound) {
  const std::vector<std::string> settings[] = {{"--tables", "disk", "--memory", "40M"},
                                               {"--tables", "memory"}};
  for (const auto& arguments : settings) {
    const std::string path = run("run-" + arguments[1], arguments);
    const std::vector<std::string> ways[] = {{}, {"--full"}, {"--sample", "40"}};
    for (const auto& way : ways) {
      const auto json = verify(path, way, 0);
      EXPECT_EQ(json["verdict"], "sound") << json;
      EXPECT_EQ(json["states"], 6357);
      EXPECT_EQ(json["sound_states"], 6357);
      EXPECT_EQ(json["checked"]["backedges"], 6357);
      EXPECT_EQ(json["checked"]["executed_states"], way.size() == 2 ? 40 : 6357);
      EXPECT_TRUE(json["problems"].empty());
    }
  }
}

TEST_F(CliVerify, SaysWhichFileIsDamagedAndWhatIsLeft) {
  const std::string path = run("run", {"--tables", "disk", "--memory", "40M"});
  fs::path segment;
  for (const auto& entry : fs::directory_iterator(path + "/levels")) {
    if (entry.path().filename().string().rfind("segment", 0) == 0) segment = entry.path();
  }
  ASSERT_FALSE(segment.empty());
  flip(segment, 40);
  const auto json = verify(path, {}, 4);
  EXPECT_EQ(json["verdict"], "damaged");
  ASSERT_EQ(json["problems"].size(), 1u) << json;
  EXPECT_EQ(json["problems"][0]["part"], "levels");
  expect_contains(json["problems"][0]["what"], segment.filename().string());
  expect_contains(json["problems"][0]["what"], "offset");
  // Levels help to read states, the tree has all of them.
  EXPECT_EQ(json["sound_states"], 6357);
  const CommandResult text = comback({"verify", path, "--progress", "none"});
  EXPECT_EQ(text.exit_code, 4);
  expect_contains(text.out, "DAMAGED");
  expect_contains(text.out, "The tree is whole");
}

TEST_F(CliVerify, AChangedModelOrHeaderIsDamage) {
  const std::string path = run("run");
  flip(path + "/model.dve", 30);
  const auto json = verify(path, {}, 4);
  expect_contains(json["problems"][0]["what"], "model.dve");
  flip(path + "/model.dve", 30);
  flip(path + "/run.json", 0);
  expect_contains(verify(path, {}, 4)["problems"][0]["what"], "run.json");
}

TEST_F(CliVerify, WhatIsNoRunIsTheUsersMistake) {
  fs::create_directories(dir / "empty");
  for (const std::string& path : {(dir / "nothing").string(), (dir / "empty").string()}) {
    const CommandResult result = comback({"verify", path});
    EXPECT_EQ(result.exit_code, 2);
    expect_contains(result.err, path);
  }
  EXPECT_EQ(comback({"verify"}).exit_code, 2);
  EXPECT_EQ(comback({"verify", "x", "--full", "--sample", "3"}).exit_code, 2);
}

}  // namespace
}  // namespace comback::test

// Native code as a user meets it: compiled once and kept, and what is said where it cannot be.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;

CommandResult explore_with(const std::string& successors, const CommandOptions& options) {
  return comback({"explore", sample("dekker"), "--successors", successors, "--json", "-"}, options);
}

std::string backend(const CommandResult& result) {
  return nlohmann::json::parse(result.out)["settings"]["successors"];
}

TEST(CliNative, CompilesOnceAndSaysSo) {
  const TempDir dir;
  const CommandOptions options{.environment = {{"COMBACK_CACHE_DIR", (dir / "cache").string()}}};
  const CommandResult first = explore_with("native", options);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(backend(first), "native");
  expect_contains(first.err, "compiling native code");
  const CommandResult second = explore_with("native", options);
  EXPECT_EQ(backend(second), "native");
  EXPECT_EQ(second.err, "");
  // Code of the cache serves `auto` from the start.
  EXPECT_EQ(backend(explore_with("auto", options)), "native");
}

TEST(CliNative, WithoutACompilerNativeIsRefusedAndAutoInterprets) {
  const TempDir dir;
  const CommandOptions options{.environment = {{"COMBACK_CACHE_DIR", (dir / "cache").string()},
                                               {"COMBACK_CXX", std::nullopt},
                                               {"CXX", std::nullopt},
                                               {"PATH", "/nowhere"}}};
  const CommandResult native = explore_with("native", options);
  EXPECT_EQ(native.exit_code, 2);
  EXPECT_EQ(native.out, "");
  expect_contains(native.err, "there is no C++ compiler");
  expect_contains(native.err, "--successors interpreted");
  const CommandResult automatic = explore_with("auto", options);
  EXPECT_EQ(automatic.exit_code, 0);
  EXPECT_EQ(backend(automatic), "interpreted");
}

TEST(CliNative, AnUnwritableCacheRefusesNativeAndNotAuto) {
  const TempDir dir;
  // A file where the directory should be stops root, too.
  const CommandOptions options{
      .environment = {{"COMBACK_CACHE_DIR", (dir.write("file", "") / "cache").string()}}};
  const CommandResult native = explore_with("native", options);
  EXPECT_EQ(native.exit_code, 2);
  expect_contains(native.err, (dir / "file/cache").string());
  expect_contains(native.err, "COMBACK_CACHE_DIR names another directory");
  EXPECT_EQ(explore_with("auto", options).exit_code, 0);
}

TEST(CliNative, ACompilerThatFailsIsNotTheModelsFault) {
  const TempDir dir;
  const CommandOptions options{.environment = {{"COMBACK_CACHE_DIR", (dir / "cache").string()},
                                               {"COMBACK_CXX", "/bin/false"}}};
  const CommandResult native = explore_with("native", options);
  EXPECT_EQ(native.exit_code, 2);
  expect_contains(native.err, "no native code: ");
  EXPECT_EQ(explore_with("auto", options).exit_code, 0);
}

}  // namespace
}  // namespace comback::test

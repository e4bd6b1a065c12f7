// A program outside this tree finds the installed package, links it and explores its own model.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

void run(const std::vector<std::string>& command) {
  const CommandResult result = run_command(command, {.timeout = std::chrono::minutes(4)});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(InstallConsumer, FindsThePackageAndExploresItsOwnModel) {
  const TempDir dir;
  const std::string prefix = (dir / "prefix").string();
  const std::string build = (dir / "build").string();
  const std::string sanitize = COMBACK_SANITIZE;

  ASSERT_NO_FATAL_FAILURE(
      run({COMBACK_CMAKE, "--install", build_dir().string(), "--prefix", prefix}));
  ASSERT_NO_FATAL_FAILURE(
      run({COMBACK_CMAKE, "-S", (source_dir() / "tests/project/consumer").string(), "-B", build,
           "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_BUILD_TYPE=Debug",
           std::string("-DCMAKE_CXX_COMPILER=") + COMBACK_CXX_COMPILER,
           "-DCMAKE_CXX_FLAGS=" + (sanitize.empty() ? "" : "-fsanitize=" + sanitize)}));
  ASSERT_NO_FATAL_FAILURE(run({COMBACK_CMAKE, "--build", build}));

  const CommandResult result = run_command({build + "/consumer"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // 4 * 5 states; 3 * 5 + 4 * 4 increments; the end is the only deadlock, 7 increments away.
  EXPECT_EQ(result.out,
            "two counters: complete, 20 states, 31 transitions, 1 deadlocks, 8 levels\n");

  // Our warning flags are ours alone.
  const std::string targets = read_file(prefix + "/lib/cmake/comback/comback-targets.cmake");
  EXPECT_NE(targets.find("comback::engine"), std::string::npos);
  EXPECT_EQ(targets.find("-Werror"), std::string::npos);
}

}  // namespace
}  // namespace comback::test

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

// The headers below `root`, as an #include names them.
Strings headers(const fs::path& root) {
  Strings found;
  for (const char* folder : {"io", "storage", "models", "engine", "tools", "tests"}) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".h") {
        found.push_back(fs::relative(entry.path(), root).string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What the compiler says about sources of one line each, one per header; empty if all is well.
std::string complaints(const fs::path& root, const Strings& headers) {
  const TempDir dir;
  Strings command = {COMBACK_CXX_COMPILER, "-std=c++20", "-fsyntax-only",     "-Wall", "-Wextra",
                     "-Wshadow",           "-Werror",    "-I" + root.string()};
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string include = "#include \"" + headers[i] + "\"\n";
    // Twice: a header without #pragma once does not survive that.
    command.push_back(dir.write(std::to_string(i) + ".cpp", include + include).string());
  }
  const CommandResult result = run_command(command, {.timeout = std::chrono::minutes(14)});
  return result.exit_code == 0 ? "" : result.err + "\nthe compiler failed";
}

TEST(HeadersCompileAlone, EveryHeader) {
  const Strings all = headers(source_dir());
  ASSERT_FALSE(all.empty());
  // Two compilers at a time, with every other header each.
  std::array<Strings, 2> shares;
  for (std::size_t i = 0; i < all.size(); ++i) shares[i % 2].push_back(all[i]);
  auto other = std::async(std::launch::async, [&] { return complaints(source_dir(), shares[1]); });
  EXPECT_EQ(complaints(source_dir(), shares[0]), "");
  EXPECT_EQ(other.get(), "");
}

TEST(HeadersCompileAlone, ThisTestFindsAHeaderThatDoesNot) {
  const TempDir dir;
  dir.write("io/good.h", "#pragma once\n#include <string>\nstruct Good { std::string s; };\n");
  dir.write("io/bad.h", "#pragma once\ninline std::string bad() { return {}; }\n");
  EXPECT_EQ(headers(dir.path()), (Strings{"io/bad.h", "io/good.h"}));
  EXPECT_EQ(complaints(dir.path(), {"io/good.h"}), "");
  EXPECT_NE(complaints(dir.path(), {"io/good.h", "io/bad.h"}).find("io/bad.h"), std::string::npos);
}

}  // namespace
}  // namespace comback::test

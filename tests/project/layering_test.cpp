// Static libraries do not notice an #include that goes against the direction of docs/design.md.
// This test does.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

// For each folder, the folders it may include from.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"io", {"io"}},
    {"storage", {"storage", "io"}},
    {"models", {"models"}},
    {"engine", {"engine", "storage", "io", "models"}},
    {"tools", {"tools", "engine", "storage", "io", "models"}},
};

// The engine sees models through their interface alone.
const std::set<std::string> kModelInterface = {"models/model.h", "models/diagnostic.h"};

bool is_source(const fs::path& path) {
  static const std::set<std::string> kExtensions = {".h", ".hpp", ".cpp", ".cc", ".inc"};
  return kExtensions.count(path.extension().string()) > 0;
}

bool allowed(const std::string& folder, const std::string& header, bool quoted) {
  const std::string target = header.substr(0, header.find('/'));
  const bool ours = kMayInclude.count(target) > 0 || target == "tests" || target == "bench";
  if (!ours || target.size() == header.size()) return !quoted;  // "" is for paths from our root
  if (folder == "engine" && target == "models") return kModelInterface.count(header) > 0;
  return kMayInclude.at(folder).count(target) > 0;
}

struct Include {
  std::string header;
  bool quoted = false;  // "header", not <header>
};

// By hand: std::regex does not compile under g++ 12's sanitizers with -Werror.
std::optional<Include> parse_include(std::string_view line) {
  const auto skip = [&](std::string_view token) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.substr(0, token.size()) != token) return false;
    line.remove_prefix(token.size());
    return true;
  };
  if (!skip("#") || !skip("include")) return std::nullopt;
  const bool quoted = skip("\"");
  if (!quoted && !skip("<")) return std::nullopt;
  const std::size_t end = line.find(quoted ? '"' : '>');
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(0, end)), quoted};
}

// "FILE:LINE includes HEADER" for every include below `root` that the rules forbid.
Strings forbidden_includes(const fs::path& root) {
  Strings found;
  for (const auto& rule : kMayInclude) {
    if (!fs::exists(root / rule.first)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / rule.first)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        const std::optional<Include> include = parse_include(line);
        if (!include || allowed(rule.first, include->header, include->quoted)) continue;
        found.push_back(fs::relative(entry.path(), root).string() + ":" + std::to_string(number) +
                        " includes " + include->header);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Layering, NoFolderIncludesUpwards) {
  for (const auto& rule : kMayInclude) {
    ASSERT_TRUE(fs::is_directory(source_dir() / rule.first)) << rule.first;
  }
  EXPECT_EQ(forbidden_includes(source_dir()), Strings{});
}

TEST(Layering, ThisTestFindsIncludesThatGoUpwards) {
  const TempDir dir;
  dir.write("io/file.h", "#pragma once\n#include \"storage/table.h\"\n");
  dir.write("storage/deep/table.cpp", "  #  include <engine/search.h>  // why\n");
  dir.write("models/dve/parser.cpp", "#include \"io/result.h\"\n");
  dir.write("engine/search.cpp", "#include \"models/dve/parser.h\"\n#include \"tools/main.h\"\n");
  dir.write("tools/main.cpp", "#include \"tests/support/paths.h\"\n");
  EXPECT_EQ(forbidden_includes(dir.path()),
            (Strings{"engine/search.cpp:1 includes models/dve/parser.h",
                     "engine/search.cpp:2 includes tools/main.h",  //
                     "io/file.h:2 includes storage/table.h",
                     "models/dve/parser.cpp:1 includes io/result.h",
                     "storage/deep/table.cpp:1 includes engine/search.h",
                     "tools/main.cpp:1 includes tests/support/paths.h"}));
}

TEST(Layering, ThisTestFindsIncludesThatAreNotFromTheRoot) {
  const TempDir dir;
  dir.write("io/file.cpp", "#include \"file.h\"\n#include \"../storage/table.h\"\n");
  EXPECT_EQ(forbidden_includes(dir.path()),
            (Strings{"io/file.cpp:1 includes file.h",  //
                     "io/file.cpp:2 includes ../storage/table.h"}));
}

TEST(Layering, IncludesThatGoDownwardsAreFine) {
  const TempDir dir;
  dir.write("storage/table.cpp",
            "#include <vector>\n#include <sys/wait.h>\n"
            "#include \"storage/table.h\"\n#include \"io/result.h\"\n");
  dir.write("engine/search.cpp",
            "#include <xxhash.h>\n#include \"models/model.h\"\n"
            "#include \"storage/table.h\"\n");
  dir.write("tools/main.cpp", "#include \"models/dve/parser.h\"\n#include \"engine/search.h\"\n");
  EXPECT_EQ(forbidden_includes(dir.path()), Strings{});
}

}  // namespace
}  // namespace comback::test

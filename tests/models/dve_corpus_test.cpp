#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "models/dve/parse.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

// Every model that we have can be read.

namespace comback::dve {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> models_in(const fs::path& dir) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(dir)) {
    if (entry.path().extension() == ".dve") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void expect_all_parse(const fs::path& dir) {
  const std::vector<fs::path> files = models_in(dir);
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const auto result = parse_program(file.string(), test::read_file(file), true);
    if (const auto* errors = std::get_if<Diagnostics>(&result)) {
      ADD_FAILURE() << to_string(*errors);
      continue;
    }
    const Program& program = std::get<Program>(result);
    EXPECT_EQ(program.name, file.filename());
    EXPECT_GT(program.width, 0u);
    EXPECT_GT(program.max_successors, 0u);
    EXPECT_EQ(program.events.empty(), program.synchronous);
  }
}

TEST(DveCorpus, EverySampleIsRead) { expect_all_parse(test::samples_dir()); }

TEST(DveCorpus, EveryBeemModelIsRead) {
  if (!fs::exists(test::beem_dir())) GTEST_SKIP() << "no BEEM models";
  expect_all_parse(test::beem_dir());
}

// DVE.md: the figures of the largest models.
TEST(DveCorpus, LayoutAndEventsOfLargeModels) {
  if (!fs::exists(test::beem_dir())) GTEST_SKIP() << "no BEEM models";
  const auto load = [](const char* name) {
    return std::get<Program>(parse_program(name, test::read_file(test::beem_dir() / name), false));
  };
  const Program tree = load("firewire_tree.8.dve");
  EXPECT_EQ(tree.width, 738u);
  EXPECT_EQ(tree.events.size(), 2745u);
  EXPECT_EQ(load("pouring.1.dve").events.size(), 2018u);
}

}  // namespace
}  // namespace comback::dve

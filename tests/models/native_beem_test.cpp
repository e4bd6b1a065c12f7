// Native code of every BEEM instance does what the interpreter does: the first states breadth
// first, and then along random walks.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/dve/native.h"
#include "models/dve/parse.h"
#include "tests/support/native_library.h"
#include "tests/support/paths.h"

namespace comback::test {
namespace {

std::vector<std::string> instances() {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(beem_dir(), none)) {
    if (entry.path().extension() == ".dve") out.push_back(entry.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class NativeBeem : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NativeBeem);

TEST_P(NativeBeem, DoesWhatTheInterpreterDoes) {
  const auto file = beem_dir() / (GetParam() + ".dve");
  const TempDir dir;
  dve::ProgramResult parsed = dve::parse_program(file.string(), read_file(file), true);
  if (auto* diagnostics = std::get_if<Diagnostics>(&parsed)) FAIL() << to_string(*diagnostics);
  const dve::DveModel model(std::get<dve::Program>(std::move(parsed)), dve::RangeErrors::kStop);
  const auto native = dve::native_executor(model.program(), {.cache_dir = dir.path()});
  if (auto* diagnostics = std::get_if<Diagnostics>(&native)) FAIL() << to_string(*diagnostics);
  expect_same_behaviour(model, *std::get<0>(native), 500, 5000);
}

INSTANTIATE_TEST_SUITE_P(Instances, NativeBeem, ::testing::ValuesIn(instances()),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

TEST(NativeBeemModels, AreThere) {
  if (!std::filesystem::exists(beem_dir())) GTEST_SKIP() << beem_dir() << " does not exist";
  EXPECT_GT(instances().size(), 100u);
}

}  // namespace
}  // namespace comback::test

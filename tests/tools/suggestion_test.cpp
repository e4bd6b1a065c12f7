#include "tools/suggestion.h"

#include <gtest/gtest.h>

namespace comback::tools {
namespace {

const std::vector<std::string> kOptions = {"--memory", "--max-depth", "--max-states", "--search",
                                           "--deadlock"};

TEST(Suggestion, FindsSlips) {
  EXPECT_EQ(closest("--memry", kOptions), "--memory");       // missing
  EXPECT_EQ(closest("--memmory", kOptions), "--memory");     // too many
  EXPECT_EQ(closest("--serach", kOptions), "--search");      // swapped
  EXPECT_EQ(closest("--deedlock", kOptions), "--deadlock");  // wrong
  EXPECT_EQ(closest("--dead", kOptions), "--deadlock");      // cut short
  EXPECT_EQ(closest("--max-state", kOptions), "--max-states");
}

TEST(Suggestion, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(closest("--frobnicate", kOptions), "");
  EXPECT_EQ(closest("x", kOptions), "");
  EXPECT_EQ(closest("", kOptions), "");
  EXPECT_EQ(did_you_mean("--frobnicate", kOptions), "");
  EXPECT_EQ(did_you_mean("--memry", kOptions), "; did you mean --memory?");
}

}  // namespace
}  // namespace comback::tools

#include "tools/svg_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace comback::tools {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(SvgPlot, DrawsEveryPointAndNamesEverySeries) {
  SvgPlot plot{.title = "a < b",
               .x_label = "cache",
               .y_label = "transitions",
               .series = {{"plain", {{1, 10}, {2, 20}, {3, 5}}},
                          {"with & bars", {{1, 1, 0.5, 2.0}, {3, 2, 1.5, 2.5}}, true}}};
  const std::string text = plot.text();
  EXPECT_EQ(count(text, "<circle"), 5u);
  EXPECT_EQ(count(text, "class=\"bar\""), 2u);
  EXPECT_EQ(count(text, "<path"), 2u);
  EXPECT_EQ(count(text, "stroke-dasharray"), 1u);
  EXPECT_NE(text.find("a &lt; b"), std::string::npos);
  EXPECT_NE(text.find(">with &amp; bars</text>"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(SvgPlot, LeavesOutWhatALogarithmCannotShow) {
  SvgPlot plot{.title = "t",
               .x_label = "x",
               .y_label = "y",
               .series = {{"s", {{0, 1}, {10, 0}, {10, 100}, {1000, 1}}}},
               .log_x = true,
               .log_y = true};
  const std::string text = plot.text();
  EXPECT_EQ(count(text, "<circle"), 2u);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(SvgPlot, HasAnAxisForASinglePoint) {
  SvgPlot plot{.title = "t", .x_label = "x", .y_label = "y", .series = {{"s", {{7, 0}}}}};
  const std::string text = plot.text();
  EXPECT_EQ(count(text, "<circle"), 1u);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace comback::tools

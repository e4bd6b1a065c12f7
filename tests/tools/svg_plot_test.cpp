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

// Its time axis ends where the time does, so that it can stand above other pictures of that time.
TEST(SvgPlot, IsPartOfAPageWithoutAStyleOrAHeadingOfItsOwn) {
  SvgPlot plot;
  plot.title = "heading";
  plot.embedded = true;
  plot.series = {{.name = "s", .points = {{0, 1}, {79, 100}}, .marks = false, .filled = true}};
  const std::string text = plot.text();
  EXPECT_EQ(count(text, "<style"), 0u);
  EXPECT_EQ(count(text, "heading"), 1u) << "the title, for those who cannot see it";
  EXPECT_EQ(count(text, "<circle"), 0u);
  EXPECT_EQ(count(text, "class=\"under\""), 1u);
  EXPECT_EQ(count(text, ">60</text>"), 2u) << "on both axes";
  EXPECT_EQ(count(text, ">80</text>"), 1u) << "past the last time";
  EXPECT_EQ(count(svg_plot_style(), "<style>"), 1u);
}

TEST(SvgPlot, HasAnAxisForASinglePoint) {
  SvgPlot plot{.title = "t", .x_label = "x", .y_label = "y", .series = {{"s", {{7, 0}}}}};
  const std::string text = plot.text();
  EXPECT_EQ(count(text, "<circle"), 1u);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace comback::tools

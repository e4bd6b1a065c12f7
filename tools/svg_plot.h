#pragma once

#include <optional>
#include <string>
#include <vector>

namespace comback::tools {

// A plot of some series over one x axis, as an SVG document that needs nothing else: it follows the
// reader's light or dark setting, and names each series beside its last point.
struct SvgPlot {
  struct Point {
    double x = 0;
    double y = 0;
    // An interval around y, drawn as a bar; empty: none.
    std::optional<double> low{};
    std::optional<double> high{};
  };
  struct Series {
    std::string name;
    std::vector<Point> points;  // by rising x
    bool dashed = false;
    bool marks = true;    // a dot at each point
    bool filled = false;  // down to the axis
  };

  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool log_x = false;  // values that are not positive are left out
  bool log_y = false;
  bool y_from_zero = true;  // of a linear axis
  // Part of a page that has svg_plot_style() and a heading of its own.
  bool embedded = false;

  // REQUIRES: there is at least one point to draw.
  std::string text() const;
};

// A <style> element: how plots look, in light and in dark.
std::string svg_plot_style();

// A number as axes have it: "2.5M".
std::string tick_text(double value);

// The text with what XML gives a meaning written as entities.
std::string xml_escaped(const std::string& text);

}  // namespace comback::tools

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
  };

  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool log_x = false;  // values that are not positive are left out
  bool log_y = false;
  bool y_from_zero = true;  // of a linear axis

  // REQUIRES: there is at least one point to draw.
  std::string text() const;
};

// The text with what XML gives a meaning written as entities.
std::string xml_escaped(const std::string& text);

}  // namespace comback::tools

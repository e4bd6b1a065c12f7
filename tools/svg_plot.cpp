#include "tools/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace comback::tools {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kEmbeddedHeight = 280;
constexpr double kLeft = 84;
constexpr double kRight = 556;      // names of series stand to the right of it
constexpr double kWideRight = 700;  // of one series that needs no name
constexpr double kTop = 48;
constexpr double kEmbeddedTop = 14;
constexpr double kBelow = 60;  // from the axis to the end

constexpr const char* kStyle = R"(<style>
  svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
  .ground { fill: #ffffff; } text { fill: #222222; } .grid { stroke: #dddddd; } .axis { stroke: #777777; }
  .s0 { --c: #0b62c4; } .s1 { --c: #c2410c; } .s2 { --c: #15803d; } .s3 { --c: #9333ea; } .s4 { --c: #be123c; } .s5 { --c: #0e7490; }
  .under { fill: var(--c); opacity: 0.18; }
  .line { fill: none; stroke: var(--c); stroke-width: 2; } .dot { fill: var(--c); } .bar { stroke: var(--c); } text.name { fill: var(--c); }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #16181d; } text { fill: #e4e4e7; } .grid { stroke: #33363d; } .axis { stroke: #8b8f98; }
    .s0 { --c: #6cb0ff; } .s1 { --c: #ff9d6c; } .s2 { --c: #6fdc8c; } .s3 { --c: #c79bff; } .s4 { --c: #ff8fa3; } .s5 { --c: #62d4e3; }
  }
</style>
)";
constexpr std::size_t kColours = 6;

// One axis: values to places, and where its ticks are.
class Axis {
 public:
  // A tight one ends with the values, else with ticks.
  Axis(bool log, double min, double max, double from, double to, bool tight = false)
      : log_(log), from_(from), to_(to), min_(place(min)), max_(place(max)) {
    if (max_ <= min_) max_ = min_ + 1;
    if (log_) {
      min_ = std::floor(min_ * 4 + 1e-9) / 4;
      max_ = std::ceil(max_ * 4 - 1e-9) / 4;
    } else {
      step_ = nice((max_ - min_) / 5);
      if (tight) return;
      min_ = std::floor(min_ / step_ + 1e-9) * step_;
      max_ = std::ceil(max_ / step_ - 1e-9) * step_;
    }
  }

  bool shows(double value) const { return !log_ || value > 0; }
  double at(double value) const {
    return from_ + (place(value) - min_) / (max_ - min_) * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (!log_) {
      const double first = std::ceil(min_ / step_ - 1e-9);
      const double last = std::floor(max_ / step_ + 1e-9);
      for (double i = first; i <= last; ++i) out.push_back(i * step_);
      return out;
    }
    const bool wide = max_ - min_ > 2.5;
    for (double decade = std::floor(min_); decade <= max_; ++decade) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10, decade);
        if (digit != 1 && wide) continue;
        if (std::log10(value) >= min_ - 1e-9 && std::log10(value) <= max_ + 1e-9) {
          out.push_back(value);
        }
      }
    }
    return out;
  }

 private:
  double place(double value) const { return log_ ? std::log10(value) : value; }
  // The nearest of 1, 2, 5 times a power of ten that is not smaller.
  static double nice(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit * power >= step * (1 - 1e-9)) return digit * power;
    }
    return 10 * power;
  }

  bool log_;
  double from_;
  double to_;
  double min_;
  double max_;
  double step_ = 1;
};

}  // namespace

std::string svg_plot_style() { return kStyle; }

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.4g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", size < 1e-12 ? 0 : value);
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string SvgPlot::text() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double x_min = kInfinity;
  double x_max = -kInfinity;
  double y_min = y_from_zero && !log_y ? 0 : kInfinity;
  double y_max = -kInfinity;
  const auto drawn = [&](const Point& p) { return (!log_x || p.x > 0) && (!log_y || p.y > 0); };
  for (const Series& s : series) {
    for (const Point& p : s.points) {
      if (!drawn(p)) continue;
      x_min = std::min(x_min, p.x);
      x_max = std::max(x_max, p.x);
      for (const double y : {p.y, p.low.value_or(p.y), p.high.value_or(p.y)}) {
        if (log_y && y <= 0) continue;
        y_min = std::min(y_min, y);
        y_max = std::max(y_max, y);
      }
    }
  }
  const double height = embedded ? kEmbeddedHeight : kHeight;
  const double top = embedded ? kEmbeddedTop : kTop;
  const double bottom = height - kBelow;
  const bool named = !embedded || series.size() > 1;
  const double right = named ? kRight : kWideRight;
  const Axis x(log_x, x_min, x_max, kLeft, right, embedded);
  const Axis y(log_y, y_min, y_max, bottom, top);

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n",
      kWidth, height, xml_escaped(title));
  if (!embedded) {
    out += kStyle;
    out += fmt::format("<rect class=\"ground\" width=\"{}\" height=\"{}\"/>\n", kWidth, height);
    out += fmt::format("<text x=\"{}\" y=\"26\" font-weight=\"600\">{}</text>\n", kLeft,
                       xml_escaped(title));
  }
  for (const double tick : y.ticks()) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, right, y.at(tick), y.at(tick), kLeft - 8, y.at(tick) + 4, tick_text(tick));
  }
  for (const double tick : x.ticks()) {
    out += fmt::format(
        "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
        x.at(tick), bottom, bottom + 5, bottom + 20, tick_text(tick));
  }
  out += fmt::format(
      "<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>"
      "<text x=\"{3}\" y=\"{4}\" text-anchor=\"middle\">{5}</text>"
      "<text transform=\"translate(20 {6}) rotate(-90)\" text-anchor=\"middle\">{7}</text>\n",
      kLeft, right, bottom, (kLeft + right) / 2, bottom + 44, xml_escaped(x_label),
      (top + bottom) / 2, xml_escaped(y_label));

  double lowest_name = -kInfinity;
  std::vector<std::pair<double, std::size_t>> names;  // where the last point of each series is
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::string path;
    std::string marks;
    std::optional<Point> last;
    double first_x = 0;
    for (const Point& p : series[i].points) {
      if (!drawn(p)) continue;
      if (path.empty()) first_x = p.x;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x.at(p.x), y.at(p.y));
      marks += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", x.at(p.x),
                           y.at(p.y));
      if (p.low && p.high && y.shows(*p.low)) {
        marks += fmt::format(
            "<line class=\"bar\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
            x.at(p.x), y.at(*p.low), y.at(*p.high));
      }
      last = p;
    }
    if (!last) continue;
    if (named) names.emplace_back(y.at(last->y), i);
    if (!series[i].marks) marks.clear();
    if (series[i].filled) {
      marks += fmt::format("<path class=\"under\" d=\"{} L{:.1f} {:.1f} L{:.1f} {:.1f} Z\"/>", path,
                           x.at(last->x), bottom, x.at(first_x), bottom);
    }
    out += fmt::format("<g class=\"s{}\"><path class=\"line\"{} d=\"{}\"/>{}</g>\n", i % kColours,
                       series[i].dashed ? " stroke-dasharray=\"6 4\"" : "", path, marks);
  }
  std::sort(names.begin(), names.end());
  for (const auto& [place, i] : names) {
    lowest_name = std::max(place, lowest_name + 16);  // names do not overlap
    out += fmt::format("<text class=\"name s{}\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", i % kColours,
                       right + 10, lowest_name + 4, xml_escaped(series[i].name));
  }
  return out + "</svg>\n";
}

}  // namespace comback::tools

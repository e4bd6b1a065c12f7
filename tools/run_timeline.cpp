#include "tools/run_timeline.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace comback::tools {

std::vector<TimelinePoint> read_timeline(const std::filesystem::path& file) {
  constexpr std::streamoff kMostBytes = std::streamoff{1} << 25;
  std::vector<TimelinePoint> points;
  std::ifstream in(file, std::ios::binary);
  if (!in) return points;
  in.seekg(0, std::ios::end);
  const std::streamoff from = std::max<std::streamoff>(0, in.tellg() - kMostBytes);
  in.seekg(from);
  std::string line;
  if (from > 0) std::getline(in, line);  // part of one
  while (std::getline(in, line)) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;
    const auto number = [&](const char* name) -> std::uint64_t {
      const auto it = json.find(name);
      return it != json.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
    };
    const auto t = json.find("t");
    const auto phase = json.find("phase");
    if (t == json.end() || !t->is_number() || phase == json.end() || !phase->is_string()) continue;
    points.push_back({t->get<double>(), phase->get<std::string>(), number("states"),
                      number("transitions"), number("level"), number("queued"), number("memory"),
                      number("disk")});
  }
  std::stable_sort(
      points.begin(), points.end(),
      [](const TimelinePoint& a, const TimelinePoint& b) { return a.seconds < b.seconds; });
  return points;
}

std::vector<TimelinePoint> thinned(const std::vector<TimelinePoint>& points, std::size_t most) {
  if (points.size() <= most || most < 2) return points;
  std::vector<TimelinePoint> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(points[i * (points.size() - 1) / (most - 1)]);
  }
  return some;
}

}  // namespace comback::tools

#include "tools/run_timeline.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace comback::tools {

std::vector<Metrics> read_timeline(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20;
  std::vector<Metrics> points = read_last_metrics(file, kMostBytes);
  std::erase_if(points, [](const Metrics& point) { return point.phase.empty(); });
  std::stable_sort(points.begin(), points.end(),
                   [](const Metrics& a, const Metrics& b) { return a.t < b.t; });
  std::string at_work = "expanding";
  for (Metrics& point : points) {
    if (point.phase == MetricsLog::kFinished || point.phase == MetricsLog::kStopped) {
      point.phase = at_work;
    }
    at_work = point.phase;
  }
  return points;
}

std::vector<Metrics> thinned(const std::vector<Metrics>& points, std::size_t most) {
  if (points.size() <= most || most < 2) return points;
  std::vector<Metrics> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(points[i * (points.size() - 1) / (most - 1)]);
  }
  return some;
}

}  // namespace comback::tools

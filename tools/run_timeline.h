#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace comback::tools {

// What a run was doing at one time: a line of its metrics.ndjson.
struct TimelinePoint {
  double seconds = 0;  // of exploration, in all sessions
  std::string phase;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t level = 0;
  std::uint64_t queued = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;
};

// By rising time; empty where there is no such file. Lines that are no metrics are left out, as the
// last one may be that somebody is writing. Of a very long file, only the end.
std::vector<TimelinePoint> read_timeline(const std::filesystem::path& file);

// At most `most` of them, evenly spread, the first and the last among them.
std::vector<TimelinePoint> thinned(const std::vector<TimelinePoint>& points, std::size_t most);

}  // namespace comback::tools

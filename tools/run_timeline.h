#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tools/metrics_log.h"

namespace comback::tools {

// What a run was doing over time, for plots: its metrics.ndjson by rising time, empty where there
// is none. The line that ends a session has the phase that was at work until then. Of a very long
// file, only the end.
std::vector<Metrics> read_timeline(const std::filesystem::path& file);

// At most `most` of them, evenly spread, the first and the last among them.
std::vector<Metrics> thinned(const std::vector<Metrics>& points, std::size_t most);

}  // namespace comback::tools

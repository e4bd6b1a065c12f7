#include "bench/ratios.h"

namespace comback::bench {

void FastestReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const auto rate = run.counters.find("items_per_second");
    if (run.run_type != Run::RT_Iteration || run.error_occurred || rate == run.counters.end()) {
      continue;
    }
    const double time = 1e9 / rate->second;
    const auto [entry, added] = fastest_.emplace(run.run_name.function_name, time);
    if (!added && time < entry->second) entry->second = time;
  }
  // One line per benchmark.
  std::vector<Run> shown;
  for (const Run& run : runs) {
    if (run.repetitions == 1 || run.error_occurred || run.aggregate_name == "median") {
      shown.push_back(run);
    }
  }
  if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
}

double FastestReporter::nanoseconds(const std::string& benchmark) const {
  const auto entry = fastest_.find(benchmark);
  return entry == fastest_.end() ? 0 : entry->second;
}

}  // namespace comback::bench

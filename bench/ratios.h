#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace comback::bench {

// Prints medians and keeps, for each benchmark, its fastest repetition: other work on the
// machine only ever adds time. Ratios of figures of one run say more than figures of two.
class FastestReporter : public benchmark::ConsoleReporter {
 public:
  FastestReporter() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override;

  // Processor time per item in nanoseconds; 0 where it did not run (it was filtered out).
  double nanoseconds(const std::string& benchmark) const;

 private:
  std::map<std::string, double> fastest_;
};

}  // namespace comback::bench

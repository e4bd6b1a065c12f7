#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/search.h"
#include "tools/progress_reporter.h"

namespace comback::tools {

// metrics.ndjson of a run: one line per interval, for plots and for `comback status`. Sessions
// append to it; a line is written at once, and what cannot be written is left out.
class MetricsLog {
 public:
  MetricsLog(const std::filesystem::path& file, std::uint64_t budget_bytes);
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  // Adds a line where it is time for one: every few seconds, and when a phase has lasted a little.
  void progress(const Progress& progress);
  // The last line of a session.
  void finish(const Summary& summary);

  static constexpr double kInterval = 2;  // seconds
  // Phases of the last line of a session.
  static constexpr const char* kFinished = "finished";
  static constexpr const char* kStopped = "stopped";

 private:
  void add(const Progress& progress);

  int fd_ = -1;
  std::uint64_t budget_bytes_;
  std::string phase_;
  double last_ = -kInterval;
  Progress newest_;
};

// Hands progress on to both.
class RunMonitor : public Monitor {
 public:
  // REQUIRES: `reporter` outlives it, and so does `metrics` where there is one.
  explicit RunMonitor(ProgressReporter& reporter) : reporter_(&reporter) {}
  void log_to(MetricsLog& metrics) { metrics_ = &metrics; }
  void progress(const Progress& progress) override {
    reporter_->progress(progress);
    if (metrics_ != nullptr) metrics_->progress(progress);
  }

 private:
  ProgressReporter* reporter_;
  MetricsLog* metrics_ = nullptr;
};

// One line of the file.
struct Metrics {
  double t = 0;     // seconds of exploration, in all sessions
  double time = 0;  // seconds since 1970
  std::string phase;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t level = 0;
  std::uint64_t queued = 0;
  std::uint64_t memory = 0;
  std::uint64_t budget = 0;
  std::uint64_t disk = 0;
};

// The last lines of a file that somebody may be writing, at most as many as `bytes` hold; what is
// no line of metrics is left out.
std::vector<Metrics> read_last_metrics(const std::filesystem::path& file,
                                       std::uint64_t bytes = std::uint64_t{64} << 10);

}  // namespace comback::tools

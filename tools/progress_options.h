#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "tools/progress_reporter.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// --progress and --progress-interval.
struct ProgressOptions {
  ProgressStyle style = ProgressStyle::kAuto;
  std::optional<std::chrono::duration<double>> interval;

  void add_to(CLI::App& command);
  ProgressReporter::Settings settings(std::uint64_t budget_bytes,
                                      std::chrono::duration<double> patience) const;
};

}  // namespace comback::tools

#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/search.h"

namespace comback::tools {

enum class ProgressStyle {
  kAuto,   // kBar on a terminal, kPlain elsewhere
  kBar,    // one line that is written over and over
  kPlain,  // a line per interval
  kNone,
};

// "exploring  1,234,567 states  2.10 M/s  level 34  queue 12,345  41.0 MiB of 1.0 GiB  12
// s"
std::string progress_line(const Progress& progress, double states_per_second,
                          std::uint64_t budget_bytes);

// Tells people on standard error what is going on, and the search when to stop.
//
// Threads: status() may be called beside the other methods.
class ProgressReporter : public Monitor {
 public:
  struct Settings {
    ProgressStyle style = ProgressStyle::kAuto;
    std::chrono::duration<double> interval{5};  // of kPlain
    // kPlain: news wait until the search takes so long that they matter.
    std::chrono::duration<double> patience{0};
    std::uint64_t budget_bytes = 0;
    int descriptor = 2;
  };
  explicit ProgressReporter(const Settings& settings);
  ~ProgressReporter() override { finish(); }

  // What is going on before the search reports progress; only a live line shows it.
  void phase(std::string_view text);
  // News that explain the speed: "compiling native code".
  void status(std::string_view text);
  void progress(const Progress& progress) override;
  // Clears the live line. Nothing is reported after that.
  void finish();

  bool quiet() const { return settings_.style == ProgressStyle::kNone; }

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::string line);
  void print(std::string_view text) const;

  Settings settings_;
  std::mutex mutex_;
  bool finished_ = false;
  bool drawn_ = false;  // there is a live line on the terminal
  std::string status_;  // the last one
  Clock::time_point status_time_;
  std::string waiting_;      // kPlain: news, in lines
  double last_printed_ = 0;  // kPlain: seconds
  double rate_seconds_ = 0;  // where the rate was last measured
  std::uint64_t rate_states_ = 0;
  double rate_ = 0;
};

}  // namespace comback::tools

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "engine/search.h"

namespace comback {

// The clock of a search: the time limit, requests to stop, and progress reports. Reading the clock
// is rare: the search asks due() per batch and calls poll() only where it says so.
class SearchControl {
 public:
  using Clock = std::chrono::steady_clock;

  // REQUIRES: both outlive it.
  SearchControl(const SearchOptions& options, Monitor& monitor)
      : options_(&options), monitor_(&monitor), start_(Clock::now()), last_poll_(start_) {}

  // Earlier sessions took so long. The time limit is for each session alone.
  void add_earlier(double seconds) { earlier_ = seconds; }

  // `done` counts up: expanded states.
  bool due(std::uint64_t done) const { return done >= next_; }

  // The search starts from the beginning, and counts from 0 again; its clock goes on.
  void start_again() { next_ = 0; }

  // Why the search must stop now, or kNone; reports progress where it is time for it.
  // `progress.seconds` is filled in here.
  StopReason poll(std::uint64_t done, Progress progress) {
    const Clock::time_point now = Clock::now();
    // About a hundred polls a second, however slow the model is.
    if (now - last_poll_ > std::chrono::milliseconds(20)) {
      step_ = std::max<std::uint64_t>(1, step_ / 2);
    } else if (now - last_poll_ < std::chrono::milliseconds(5)) {
      step_ = std::min(step_ * 2, kMaxStep);
    }
    last_poll_ = now;
    next_ = done + step_;
    const std::chrono::duration<double> elapsed = now - start_;
    if (elapsed - last_report_ >= kReportInterval) {
      last_report_ = elapsed;
      progress.seconds = seconds();
      monitor_->progress(progress);
    }
    if (monitor_->stop_requested()) return StopReason::kInterrupted;
    if (options_->time_limit && elapsed >= *options_->time_limit) return StopReason::kTimeLimit;
    return StopReason::kNone;
  }

  double seconds() const {
    return earlier_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  static constexpr std::uint64_t kMaxStep = 1 << 16;
  static constexpr std::chrono::duration<double> kReportInterval{0.2};

  const SearchOptions* options_;
  Monitor* monitor_;
  Clock::time_point start_;
  Clock::time_point last_poll_;
  std::chrono::duration<double> last_report_{0};
  double earlier_ = 0;
  std::uint64_t step_ = 64;
  std::uint64_t next_ = 0;
};

}  // namespace comback

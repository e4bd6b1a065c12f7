#include "tools/progress_reporter.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "tools/caching_report.h"
#include "tools/quantity.h"

namespace comback::tools {
namespace {

ProgressStyle resolve(ProgressStyle style, int descriptor) {
  if (style != ProgressStyle::kAuto) return style;
  const char* terminal = std::getenv("TERM");
  const bool capable = terminal != nullptr && std::string_view(terminal) != "dumb";
  return capable && ::isatty(descriptor) == 1 ? ProgressStyle::kBar : ProgressStyle::kPlain;
}

std::size_t columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string progress_line(const Progress& progress, double states_per_second,
                          std::uint64_t budget_bytes) {
  const std::string place = progress.caching
                                ? caching_in_a_line(progress)
                                : fmt::format("level {}  queue {}", format_count(progress.level),
                                              format_count(progress.queued));
  return fmt::format("{}  {} states  {}  {}  {} of {}  {}", progress.phase,
                     format_count(progress.states), format_rate(states_per_second), place,
                     format_size(progress.memory_bytes), format_size(budget_bytes),
                     format_duration(progress.seconds));
}

ProgressReporter::ProgressReporter(const Settings& settings) : settings_(settings) {
  settings_.style = resolve(settings.style, settings.descriptor);
}

void ProgressReporter::phase(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!finished_ && settings_.style == ProgressStyle::kBar) draw(std::string(text));
}

void ProgressReporter::status(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  status_ = text;
  status_time_ = Clock::now();
  if (settings_.style == ProgressStyle::kPlain) {
    waiting_ += fmt::format("{}\n", text);
    if (settings_.patience.count() <= 0) print(std::exchange(waiting_, {}));
  }
  if (settings_.style == ProgressStyle::kBar) draw(status_);
}

void ProgressReporter::progress(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (finished_ || quiet()) return;
  const bool plain = settings_.style == ProgressStyle::kPlain;
  if (plain && progress.seconds >= settings_.patience.count()) {
    settings_.patience = {};
    print(std::exchange(waiting_, {}));
  }
  if (plain && progress.seconds - last_printed_ < settings_.interval.count()) return;

  const double seconds = progress.seconds - rate_seconds_;
  // About a second's worth, so that the figure can be read.
  if (seconds >= (plain ? 0.0 : 0.9) || rate_ == 0) {
    if (seconds > 0) rate_ = static_cast<double>(progress.states - rate_states_) / seconds;
    rate_seconds_ = progress.seconds;
    rate_states_ = progress.states;
  }
  std::string line = progress_line(progress, rate_, settings_.budget_bytes);
  if (plain) {
    last_printed_ = progress.seconds;
    print(line + "\n");
    return;
  }
  if (!status_.empty() && Clock::now() - status_time_ < std::chrono::seconds(3)) {
    line += fmt::format("  ({})", status_);
  }
  draw(std::move(line));
}

void ProgressReporter::finish() {
  const std::lock_guard lock(mutex_);
  if (drawn_) print("\r\x1b[K");
  drawn_ = false;
  finished_ = true;
}

void ProgressReporter::draw(std::string line) {
  // A line that wraps could not be written over.
  const std::size_t width = columns(settings_.descriptor) - 1;
  if (line.size() > width) line.resize(width);
  print(fmt::format("\r{}\x1b[K", line));
  drawn_ = true;
}

void ProgressReporter::print(std::string_view text) const {
  // Progress that cannot be shown must not stop a search.
  const ssize_t ignored = ::write(settings_.descriptor, text.data(), text.size());
  static_cast<void>(ignored);
}

}  // namespace comback::tools

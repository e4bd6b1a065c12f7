#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "tools/progress_reporter.h"

namespace comback::tools {
namespace {

const Progress kProgress = {.phase = "exploring",
                            .states = 1'234'567,
                            .transitions = 9'000'000,
                            .queued = 12'345,
                            .level = 34,
                            .memory_bytes = 41ull << 20,
                            .seconds = 12};

// What a reporter writes.
class Written {
 public:
  Written() { EXPECT_EQ(::pipe(pipe_), 0); }
  ~Written() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  int descriptor() const { return pipe_[1]; }
  std::string take() {
    EXPECT_EQ(::write(pipe_[1], ".", 1), 1);  // so that there is something to read
    std::string text(65536, '\0');
    text.resize(static_cast<std::size_t>(::read(pipe_[0], text.data(), text.size())) - 1);
    return text;
  }

 private:
  int pipe_[2] = {-1, -1};
};

TEST(ProgressLine, ShowsWhatPeopleWatch) {
  EXPECT_EQ(progress_line(kProgress, 2.1e6, 1ull << 30),
            "exploring  1,234,567 states  2.10 M/s  level 34  queue 12,345  "
            "41.0 MiB of 1.0 GiB  12 s");
}

TEST(ProgressReporter, PlainWritesALinePerInterval) {
  Written written;
  ProgressReporter reporter({.style = ProgressStyle::kPlain,
                             .interval = std::chrono::duration<double>(5),
                             .budget_bytes = 1 << 30,
                             .descriptor = written.descriptor()});
  Progress progress = kProgress;
  for (double seconds = 0.2; seconds < 11; seconds += 0.2) {
    progress.seconds = seconds;
    reporter.progress(progress);
  }
  reporter.phase("not shown");
  reporter.status("compiling");
  reporter.finish();
  reporter.status("too late");
  const std::string text = written.take();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_NE(text.find("compiling\n"), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find("too late"), std::string::npos);
}

TEST(ProgressReporter, PlainKeepsNewsThatAShortSearchDoesNotNeed) {
  Written written;
  ProgressReporter reporter({.style = ProgressStyle::kPlain,
                             .patience = std::chrono::duration<double>(1),
                             .descriptor = written.descriptor()});
  Progress progress = kProgress;
  reporter.status("compiling");
  progress.seconds = 0.4;
  reporter.progress(progress);
  EXPECT_EQ(written.take(), "");
  progress.seconds = 1.2;
  reporter.progress(progress);
  EXPECT_EQ(written.take(), "compiling\n");
  reporter.status("ready");
  EXPECT_EQ(written.take(), "ready\n");
}

TEST(ProgressReporter, BarWritesOverOneLineThatFitsAndClearsIt) {
  Written written;
  ProgressReporter reporter(
      {.style = ProgressStyle::kBar, .budget_bytes = 1 << 30, .descriptor = written.descriptor()});
  reporter.phase("reading x.dve");
  reporter.progress(kProgress);
  reporter.finish();
  const std::string text = written.take();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.substr(0, 17), "\rreading x.dve\x1b[K");
  // A pipe has no width; 80 columns are assumed.
  const std::size_t line = text.find("exploring");
  EXPECT_EQ(text.find("\x1b[K", line) - line, 79u);
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
}

TEST(ProgressReporter, NoneAndAutoOffTheTerminal) {
  Written written;
  ProgressReporter none({.style = ProgressStyle::kNone, .descriptor = written.descriptor()});
  none.phase("x");
  none.status("x");
  none.progress(kProgress);
  none.finish();
  EXPECT_TRUE(none.quiet());
  EXPECT_EQ(written.take(), "");

  ProgressReporter chosen({.style = ProgressStyle::kAuto, .descriptor = written.descriptor()});
  chosen.progress(kProgress);
  EXPECT_EQ(written.take().back(), '\n');  // plain: not a terminal
}

}  // namespace
}  // namespace comback::tools

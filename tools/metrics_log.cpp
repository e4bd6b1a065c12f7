#include "tools/metrics_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>

#include "io/file.h"

namespace comback::tools {
namespace {

constexpr double kShortPhase = 0.5;  // seconds

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& file, std::uint64_t budget_bytes)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)),
      budget_bytes_(budget_bytes) {
  // A session that was killed may have left part of a line.
  const off_t end = fd_ < 0 ? 0 : ::lseek(fd_, 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(fd_, &last, 1, end - 1) == 1 && last != '\n') {
    [[maybe_unused]] const ssize_t ignored = ::write(fd_, "\n", 1);
  }
}

MetricsLog::~MetricsLog() {
  if (fd_ >= 0) ::close(fd_);
}

void MetricsLog::progress(const Progress& progress) {
  newest_ = progress;
  const double since = progress.seconds - last_;
  if (since >= kInterval || (since >= kShortPhase && phase_ != progress.phase)) add(progress);
}

void MetricsLog::finish(const Summary& summary) {
  Progress last = newest_;
  last.phase = summary.stop_reason == StopReason::kNone ? kFinished : kStopped;
  last.states = summary.states;
  last.transitions = summary.transitions;
  if (summary.stop_reason == StopReason::kNone) last.queued = 0;
  last.level = summary.level_sizes.empty() ? 0 : summary.level_sizes.size() - 1;
  last.disk_bytes = summary.disk_bytes;
  last.memory_bytes = summary.visited_bytes;
  last.seconds = summary.seconds;
  add(last);
}

void MetricsLog::add(const Progress& progress) {
  last_ = progress.seconds;
  phase_ = progress.phase;
  const std::string line = fmt::format(
      R"({{"t":{:.3f},"time":{:.3f},"phase":"{}","states":{},"transitions":{},"level":{},)"
      R"("queued":{},"memory":{},"budget":{},"disk":{}}})"
      "\n",
      progress.seconds, unix_time(), progress.phase, progress.states, progress.transitions,
      progress.level, progress.queued, progress.memory_bytes, budget_bytes_, progress.disk_bytes);
  if (fd_ < 0) return;
  [[maybe_unused]] const ssize_t ignored = ::write(fd_, line.data(), line.size());
}

std::vector<Metrics> read_last_metrics(const std::filesystem::path& path, std::uint64_t bytes) {
  std::vector<Metrics> lines;
  const Result<File> file = File::open(path);
  if (!file) return lines;
  const std::uint64_t size = std::min(bytes, file->end());
  std::string text(size, '\0');
  const std::span<std::byte> out(reinterpret_cast<std::byte*>(text.data()), text.size());
  if (!file->read_at(file->end() - size, out)) return lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto json = nlohmann::json::parse(text.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (!json.is_object()) continue;
    const auto number = [&](const char* name) {
      const auto it = json.find(name);
      return it != json.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
    };
    const auto real = [&](const char* name) {
      const auto it = json.find(name);
      return it != json.end() && it->is_number() ? it->get<double>() : 0.0;
    };
    const auto phase = json.find("phase");
    lines.push_back({real("t"), real("time"),
                     phase != json.end() && phase->is_string() ? phase->get<std::string>() : "",
                     number("states"), number("transitions"), number("level"), number("queued"),
                     number("memory"), number("budget"), number("disk")});
  }
  return lines;
}

}  // namespace comback::tools

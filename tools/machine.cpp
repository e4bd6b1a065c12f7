#include "tools/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace comback::tools {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

// The number at the front of a file's first line; empty for "max" and for files that are not there.
std::optional<std::int64_t> number_in(const std::optional<std::string>& line) {
  std::int64_t value = 0;
  if (!line) return std::nullopt;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// A process's group in one hierarchy: the directories from the hierarchy's root down to it. Inside
// a container the path that the kernel names may not be visible; its visible ancestors are enough.
std::vector<fs::path> directories(const fs::path& root, const std::string& group) {
  std::vector<fs::path> result = {root};
  for (const fs::path& part : fs::path(group).relative_path()) {
    result.push_back(result.back() / part);
  }
  return result;
}

struct Groups {
  std::vector<fs::path> unified;  // v2
  std::vector<fs::path> memory;   // v1
  std::vector<fs::path> cpu;      // v1
};

// /proc/self/cgroup has a line ID:CONTROLLERS:PATH per hierarchy; version 2 has no controllers.
Groups groups_of_this_process(const KernelFiles& files) {
  Groups groups;
  std::ifstream in(files.proc / "self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      // Where v1 and v2 are mounted side by side, v2 has a folder of its own.
      const fs::path beside = files.cgroup / "unified";
      std::error_code ignored;
      groups.unified = directories(fs::exists(beside, ignored) ? beside : files.cgroup, group);
      continue;
    }
    std::istringstream list(controllers);
    for (std::string controller; std::getline(list, controller, ',');) {
      if (controller == "memory") groups.memory = directories(files.cgroup / "memory", group);
      if (controller == "cpu") groups.cpu = directories(files.cgroup / "cpu", group);
    }
  }
  return groups;
}

}  // namespace

std::uint64_t granted_memory(const KernelFiles& files) {
  std::uint64_t granted = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto limit = [&](const fs::path& file) {
    // A v1 group without a limit says 2^63 - 4096, which the minimum takes care of.
    if (const auto bytes = number_in(first_line(file)); bytes && *bytes > 0) {
      granted = std::min(granted, static_cast<std::uint64_t>(*bytes));
    }
  };
  const Groups groups = groups_of_this_process(files);
  for (const fs::path& directory : groups.unified) limit(directory / "memory.max");
  for (const fs::path& directory : groups.memory) limit(directory / "memory.limit_in_bytes");
  return granted;
}

unsigned granted_cores(const KernelFiles& files) {
  double cores = 1;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    cores = CPU_COUNT(&set);
  } else {
    cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  const auto limit = [&](std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
    if (quota && period && *quota > 0 && *period > 0) {
      cores = std::min(cores, static_cast<double>(*quota) / static_cast<double>(*period));
    }
  };
  const Groups groups = groups_of_this_process(files);
  for (const fs::path& directory : groups.unified) {
    // "QUOTA PERIOD" in microseconds, or "max PERIOD".
    const std::optional<std::string> line = first_line(directory / "cpu.max");
    if (!line) continue;
    const std::size_t space = line->find(' ');
    if (space != std::string::npos) limit(number_in(line), number_in(line->substr(space + 1)));
  }
  for (const fs::path& directory : groups.cpu) {
    limit(number_in(first_line(directory / "cpu.cfs_quota_us")),
          number_in(first_line(directory / "cpu.cfs_period_us")));
  }
  return static_cast<unsigned>(std::max(1.0, std::ceil(cores)));
}

std::uint64_t peak_memory(const KernelFiles& files) {
  // getrusage's figure survives exec: it would include a large process that started this one.
  std::ifstream in(files.proc / "self/status");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "VmHWM:") return kilobytes * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace comback::tools

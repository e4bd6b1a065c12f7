#include "engine/disk_watch.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "storage/run_directory.h"

namespace comback {

bool DiskWatch::look() {
  if (last_ && Clock::now() - *last_ < kInterval) return false;
  measure();
  return true;
}

void DiskWatch::measure() {
  const std::uint64_t before = used_bytes_;
  if (const auto used = bytes_below(dir_)) used_bytes_ = *used;
  struct statvfs status {};
  if (::statvfs(dir_.c_str(), &status) == 0) {
    free_bytes_ = std::uint64_t{status.f_bavail} * status.f_frsize;
  }
  const std::uint64_t growth = last_ && used_bytes_ > before ? used_bytes_ - before : 0;
  growth_bytes_ = std::max(growth, growth_bytes_ - growth_bytes_ / 4);
  last_ = Clock::now();
}

std::optional<std::uint64_t> DiskWatch::missing(std::uint64_t wanted) const {
  wanted += kMargin + 2 * growth_bytes_;
  std::uint64_t left = free_bytes_;
  if (limit_bytes_) {
    left = std::min(left, *limit_bytes_ > used_bytes_ ? *limit_bytes_ - used_bytes_ : 0);
  }
  if (wanted <= left) return std::nullopt;
  return wanted - left;
}

}  // namespace comback

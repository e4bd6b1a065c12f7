#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace comback {

// What a run takes of its disk and what is left, measured now and then, and whether that will do
// for what comes next.
class DiskWatch {
 public:
  // `limit_bytes`: what the run may take; without it, only the disk limits it.
  DiskWatch(std::filesystem::path dir, std::optional<std::uint64_t> limit_bytes)
      : dir_(std::move(dir)), limit_bytes_(limit_bytes) {}

  // Measures where the last time is long ago. True where it did.
  bool look();
  void measure();

  std::uint64_t used_bytes() const { return used_bytes_; }
  // What is missing where `wanted` bytes more are to be written, and what was written between two
  // measurements lately may be written again; nothing where there is enough.
  std::optional<std::uint64_t> missing(std::uint64_t wanted) const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{1000};
  static constexpr std::uint64_t kMargin = std::uint64_t{4} << 20;

  std::filesystem::path dir_;
  std::optional<std::uint64_t> limit_bytes_;
  std::optional<Clock::time_point> last_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t free_bytes_ = ~std::uint64_t{0};
  std::uint64_t growth_bytes_ = 0;  // from one measurement to the next, the most of the last few
};

}  // namespace comback

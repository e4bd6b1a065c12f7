#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/result.h"

// Sizes, counts and durations as people write and read them.

namespace comback::tools {

// "512M", "1.5G", "4GiB", "65536": powers of 1024. More than zero.
Result<std::uint64_t> parse_size(std::string_view text);
// "1000000", "1M", "2.5K": powers of 1000.
Result<std::uint64_t> parse_count(std::string_view text);
// "60s", "10m", "1h30m", "500ms", "2d", "90" (seconds). More than zero.
Result<std::chrono::duration<double>> parse_duration(std::string_view text);

std::string format_size(std::uint64_t bytes);   // "512 B", "41.0 MiB"
std::string format_count(std::uint64_t count);  // "1,234,567"
// "1.23 M states/s", or without a noun "1.23 M/s".
std::string format_rate(double per_second, std::string_view what = {});
// "3.2 ms", "0.21 s", "12 s", "3 min 07 s", "2 h 05 min".
std::string format_duration(double seconds);

}  // namespace comback::tools

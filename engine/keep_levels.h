#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comback {

// Which levels' descriptors stay on disk for reconstruction to start from (--keep-levels).
struct KeepLevels {
  enum class Kind { kAuto, kAll, kEvery, kLast, kNone };
  Kind kind = Kind::kAuto;
  std::uint32_t count = 1;  // of kEvery and kLast

  // "all", "every:K", "last:W", "none", "auto"; nothing where it is none of these.
  static std::optional<KeepLevels> parse(std::string_view text);
  std::string to_string() const;

  friend bool operator==(const KeepLevels&, const KeepLevels&) = default;
};

}  // namespace comback

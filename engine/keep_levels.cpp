#include "engine/keep_levels.h"

#include <charconv>

namespace comback {

std::optional<KeepLevels> KeepLevels::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  KeepLevels keep;
  if (colon == std::string_view::npos) {
    if (word == "auto") return keep;
    if (word == "all") keep.kind = Kind::kAll;
    if (word == "none") keep.kind = Kind::kNone;
    return keep.kind == Kind::kAuto ? std::nullopt : std::optional(keep);
  }
  const std::string_view number = text.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), keep.count);
  if (error != std::errc() || end != number.data() + number.size() || keep.count == 0) return {};
  if (word == "every") keep.kind = Kind::kEvery;
  if (word == "last") keep.kind = Kind::kLast;
  return keep.kind == Kind::kAuto ? std::nullopt : std::optional(keep);
}

std::string KeepLevels::to_string() const {
  switch (kind) {
    case Kind::kAuto:
      return "auto";
    case Kind::kAll:
      return "all";
    case Kind::kEvery:
      return "every:" + std::to_string(count);
    case Kind::kLast:
      return "last:" + std::to_string(count);
    case Kind::kNone:
      return "none";
  }
  return "?";
}

}  // namespace comback

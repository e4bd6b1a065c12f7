#include "engine/cache_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace comback {
namespace {

using Strategy = CacheSpec::Strategy;

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// "x" of "Fx-Hy" or "Fx/Hy" and the strategy and percentage of the rest.
bool parse_mix(std::string_view text, CacheSpec& spec) {
  const std::size_t middle = text.find_first_of("-/");
  if (middle == std::string_view::npos || middle + 1 >= text.size()) return false;
  const auto fifo = number<unsigned>(text.substr(1, middle - 1));
  std::string_view rest = text.substr(middle + 1);
  const char kind = rest[0];
  rest.remove_prefix(1);
  if (kind == 'D') {
    spec.strategy = Strategy::kDistance;
    if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
      const auto k = number<unsigned>(rest.substr(colon + 1));
      if (!k) return false;
      spec.distance = *k;
      rest = rest.substr(0, colon);
    }
  } else if (kind == 'H') {
    spec.strategy = Strategy::kHeuristic;
  } else {
    return false;
  }
  const auto other = number<unsigned>(rest);
  if (!fifo || !other || *fifo > 100 || *fifo + *other != 100) return false;
  spec.fifo_percent = *fifo;
  spec.handed_down = text[middle] == '/' && *fifo > 0;
  return true;
}

bool parse(std::string_view text, CacheSpec& spec) {
  if (text == "none") {
    spec.strategy = Strategy::kNone;
  } else if (text == "F") {
    spec.strategy = Strategy::kFifo;
  } else if (text == "H") {
    spec.strategy = Strategy::kHeuristic;
  } else if (text == "level") {
    spec.strategy = Strategy::kLevel;
  } else if (text == "R" || text.starts_with("R:")) {
    spec.strategy = Strategy::kRandom;
    if (text.size() > 1) {
      const auto p = number<double>(text.substr(2));
      if (!p || !(*p >= 0 && *p <= 1)) return false;
      spec.probability = *p;
    }
  } else if (text == "D" || text.starts_with("D:")) {
    spec.strategy = Strategy::kDistance;
    if (text.size() > 1) {
      const auto k = number<unsigned>(text.substr(2));
      if (!k) return false;
      spec.distance = *k;
    }
  } else {
    return text.starts_with('F') && parse_mix(text, spec);
  }
  return true;
}

}  // namespace

Result<CacheSpec> parse_cache_spec(std::string_view text) {
  CacheSpec spec;
  if (parse(text, spec)) return spec;
  return Error{Errc::kInvalidArgument,
               fmt::format("cache '{}': expected F, R:p with p from 0 to 1, H, D:k, Fx-Hy or Fx-Dy "
                           "with x + y = 100 (Fx/Hy, Fx/Dy: only what leaves F gets there), level, "
                           "or none",
                           text)};
}

std::string to_string(const CacheSpec& spec) {
  const bool default_distance = spec.distance == CacheSpec{}.distance;
  const char middle = spec.handed_down ? '/' : '-';
  switch (spec.strategy) {
    case Strategy::kNone:
      return "none";
    case Strategy::kFifo:
      return "F";
    case Strategy::kRandom:
      return fmt::format("R:{}", spec.probability);
    case Strategy::kLevel:
      return "level";
    case Strategy::kHeuristic:
      return spec.fifo_percent == 0
                 ? "H"
                 : fmt::format("F{}{}H{}", spec.fifo_percent, middle, 100 - spec.fifo_percent);
    case Strategy::kDistance:
      break;
  }
  if (spec.fifo_percent == 0) return fmt::format("D:{}", spec.distance);
  return fmt::format("F{}{}D{}{}", spec.fifo_percent, middle, 100 - spec.fifo_percent,
                     default_distance ? "" : fmt::format(":{}", spec.distance));
}

}  // namespace comback

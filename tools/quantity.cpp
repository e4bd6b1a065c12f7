#include "tools/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace comback::tools {
namespace {

constexpr std::string_view kPrefixes = "KMGTPE";
constexpr double kTooMuch = 9.2e18;  // about 2^63

// A plain decimal number at the front of `text`, which it is taken from. No sign, no exponent.
std::optional<double> take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + end, value);
  if (error != std::errc() || rest != text.data() + end) return std::nullopt;
  text.remove_prefix(end);
  return value;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

// A number and an optional prefix, whole after multiplication.
std::optional<std::uint64_t> scaled(std::string_view text, double base,
                                    std::initializer_list<std::string_view> endings) {
  const std::optional<double> number = take_number(text);
  if (!number) return std::nullopt;
  std::string unit = upper(text);
  double factor = 1;
  if (!unit.empty()) {
    if (const auto prefix = kPrefixes.find(unit[0]); prefix != std::string_view::npos) {
      factor = std::pow(base, static_cast<double>(prefix + 1));
      unit.erase(0, 1);
    }
    if (std::find(endings.begin(), endings.end(), unit) == endings.end()) return std::nullopt;
  }
  const double value = *number * factor;
  if (value >= kTooMuch || (factor == 1 && value != std::floor(value))) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

Error refused(std::string_view text, std::string_view what) {
  return {Errc::kInvalidArgument, fmt::format("'{}' is not {}", text, what)};
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto bytes = scaled(text, 1024, {"", "B", "IB"});
  if (!bytes || *bytes == 0) {
    return refused(text, "a size; write a number with K, M, G or T, such as 512M or 1.5G");
  }
  return *bytes;
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const auto count = scaled(text, 1000, {""});
  if (!count)
    return refused(text, "a count; write a whole number, or one with K, M or G, such as 10M");
  return *count;
}

Result<std::chrono::duration<double>> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 5> kUnits = {
      {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  const Error error = refused(text, "a duration; write such as 60s, 10m or 1h30m");

  std::string_view rest = text;
  double total = 0;
  double smallest = kTooMuch;  // units must fall: 30m1h is a slip
  while (!rest.empty()) {
    const std::optional<double> number = take_number(rest);
    if (!number) return error;
    std::size_t end = 0;
    while (end < rest.size() && std::isalpha(static_cast<unsigned char>(rest[end])) != 0) ++end;
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end);
    const auto* unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
    // A number alone is seconds.
    const bool bare = name.empty() && rest.empty() && smallest == kTooMuch;
    if (unit == kUnits.end() && !bare) return error;
    const double seconds = bare ? 1 : unit->seconds;
    if (seconds >= smallest) return error;
    smallest = seconds;
    total += *number * seconds;
  }
  if (!(total > 0) || total > 1e9) return error;
  return std::chrono::duration<double>(total);
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t prefix = 0;
  for (value /= 1024; value >= 1023.95 && prefix + 1 < kPrefixes.size(); ++prefix) value /= 1024;
  return fmt::format("{:.1f} {}iB", value, kPrefixes[prefix]);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string format_rate(double per_second, std::string_view what) {
  const std::string unit = what.empty() ? "/s" : fmt::format(" {}/s", what);
  if (per_second < 1e4) return fmt::format("{:.0f}{}", per_second, unit);
  if (per_second < 1e6) return fmt::format("{:.0f} k{}", per_second / 1e3, unit);
  return fmt::format("{:.2f} M{}", per_second / 1e6, unit);
}

std::string format_duration(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace comback::tools

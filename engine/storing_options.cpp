#include "engine/storing_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace comback {
namespace {

using Kind = StoringRule::Kind;

struct Name {
  std::string_view word;
  Kind kind;
  double default_number;  // 0: takes none
};
// The numbers are those of the paper's Table 2; it says only "large" of successors.
constexpr Name kNames[] = {{"distance", Kind::kDistance, 10},
                           {"successors", Kind::kSuccessors, 1000},
                           {"cover", Kind::kCover, 0},
                           {"random", Kind::kRandom, 0.1},
                           {"combination", Kind::kCombination, 3}};

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

Error refused(std::string what) { return Error{Errc::kInvalidArgument, std::move(what)}; }

}  // namespace

Result<StoringRule> StoringRule::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  for (const Name& name : kNames) {
    if (word != name.word) continue;
    StoringRule rule{.kind = name.kind};
    rule.k = static_cast<std::uint32_t>(name.default_number);
    if (colon == std::string_view::npos) return rule;
    const std::string_view argument = text.substr(colon + 1);
    if (rule.kind == Kind::kCover) return refused(fmt::format("'{}': cover takes no number", text));
    if (rule.kind == Kind::kRandom) {
      const auto p = number<double>(argument);
      if (!p || !(*p >= kMinP && *p <= 1)) {
        return refused(fmt::format("'{}': expected a probability from {} to 1, such as random:0.1",
                                   text, kMinP));
      }
      rule.p = *p;
      return rule;
    }
    const auto k = number<std::uint32_t>(argument);
    if (!k || *k < 1 || *k > kMaxK) {
      return refused(fmt::format("'{}': expected a whole number from 1 to {}, such as {}:{}", text,
                                 kMaxK, word, rule.k));
    }
    rule.k = *k;
    return rule;
  }
  return refused(fmt::format(
      "'{}' is none of distance:K, successors:K, cover, random:P, combination:K", text));
}

std::string StoringRule::to_string() const {
  for (const Name& name : kNames) {
    if (kind != name.kind) continue;
    if (kind == Kind::kCover) return std::string(name.word);
    if (kind == Kind::kRandom) return fmt::format("{}:{}", name.word, p);
    return fmt::format("{}:{}", name.word, k);
  }
  return {};
}

}  // namespace comback

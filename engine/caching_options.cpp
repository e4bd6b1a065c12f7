#include "engine/caching_options.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace comback {
namespace {

constexpr std::pair<std::string_view, Replacement::Kind> kNames[] = {
    {"random", Replacement::Kind::kRandom},   {"most", Replacement::Kind::kMost},
    {"least", Replacement::Kind::kLeast},     {"class", Replacement::Kind::kClass},
    {"subtree", Replacement::Kind::kSubtree}, {"type", Replacement::Kind::kType}};

}  // namespace

Result<Replacement> Replacement::parse(std::string_view text) {
  Replacement replacement;
  for (const auto& [name, kind] : kNames) {
    replacement.kind = kind;
    if (text == name) return replacement;
  }
  constexpr std::string_view kTypeOf = "type:";
  if (text.substr(0, kTypeOf.size()) == kTypeOf) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kTypeOf.size(), end, replacement.scan);
    if (error == std::errc() && stop == end && replacement.scan >= 1 &&
        replacement.scan <= kMaxScan) {
      return replacement;
    }
    return Error{Errc::kInvalidArgument,
                 fmt::format("'{}': expected a number of states to look at, 1 to {}, such as "
                             "type:16",
                             text, kMaxScan)};
  }
  return Error{
      Errc::kInvalidArgument,
      fmt::format("'{}' is none of random, most, least, class, subtree, type, type:N", text)};
}

// In [godefroid95] a cache of the size of the stack was enough for three protocols with 4 to 11% of
// matched transitions, and not for the one with 31%.
CacheOutlook CachingCounts::outlook(std::uint64_t states, std::uint64_t transitions,
                                    std::uint64_t stack) const {
  if (cache_size != 0 && stack >= cache_size) return CacheOutlook::kOpen;
  if (replaced == 0) return CacheOutlook::kCalm;
  if (revisits > states / 2) return CacheOutlook::kExploded;
  const bool many_matched = matched > transitions / 5;
  return many_matched || stack > cache_size / 2 ? CacheOutlook::kOpen : CacheOutlook::kCalm;
}

std::string Replacement::to_string() const {
  if (kind == Kind::kType) return fmt::format("type:{}", scan);
  for (const auto& [name, of] : kNames) {
    if (of == kind) return std::string(name);
  }
  return {};
}

}  // namespace comback

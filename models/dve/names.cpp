#include "models/dve/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace comback::dve {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Changes of one character, exchanges of two neighbours included, that turn one name into the
// other; case does not count. At most `limit` + 1.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = lower(a[i]) == lower(b[j]);
      next[j + 1] = std::min({row[j] + (same ? 0 : 1), row[j + 1] + 1, next[j] + 1});
      if (i != 0 && j != 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j])) {
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
      }
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace

const Symbol* Names::find_variable(std::uint32_t process, std::string_view name) const {
  if (process != kGlobal) {
    const auto& local = processes[process].variables;
    if (const auto it = local.find(name); it != local.end()) return &it->second;
  }
  const auto it = variables.find(name);
  return it == variables.end() ? nullptr : &it->second;
}

std::vector<std::string_view> Names::visible_variables(std::uint32_t process) const {
  std::vector<std::string_view> out = names_in(variables);
  if (process != kGlobal) {
    for (const auto& [name, symbol] : processes[process].variables) out.push_back(name);
  }
  return out;
}

std::optional<std::uint32_t> Names::find_process(std::string_view name) const {
  const auto it = process_numbers.find(name);
  if (it == process_numbers.end()) return std::nullopt;
  return it->second;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestName = 100;  // of those that are compared: the cost is quadratic
  if (name.size() > kLongestName) return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t d = distance(name, candidate, best);
    // A name of one letter is not near to every other.
    if (d < best && d < std::max(name.size(), candidate.size())) {
      best = d;
      nearest = candidate;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace comback::dve

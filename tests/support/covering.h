#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace comback::test {

// Chooses combinations of parameter values so that every value, or every pair of values of two
// parameters, is used by one of them. Greedy, and the same in every run; another seed chooses other
// combinations.
class Covering {
 public:
  using Combination = std::vector<std::size_t>;  // the value of each parameter
  enum class Each { kValue, kPair };

  // cost(combination) is what it would take. Those that take more than `most` are not chosen, but
  // after afford(); those that take more than `much` only where nothing else will do.
  // REQUIRES: parameter p has the values 0 to sizes[p] - 1.
  template <class Cost>
  Covering(std::vector<std::size_t> sizes, Each each, unsigned seed, Cost&& cost, double much,
           double most)
      : sizes_(std::move(sizes)), each_(each), most_(most) {
    std::mt19937 random(seed);
    Combination combination(sizes_.size(), 0);
    do {
      for_items(combination, [&](const Item& item) { missing_.insert(item); });
      const double c = cost(combination);
      const std::uint32_t order = random();
      all_.push_back({c, c <= much, order, combination});
    } while (advance(combination));
  }

  // The combination with the most that is still missing; none where that is nothing.
  std::optional<Combination> next() {
    std::tuple<std::size_t, bool, std::uint32_t> best{0, false, 0};
    const Combination* chosen = nullptr;
    for (const auto& [cost, cheap, order, combination] : all_) {
      if (cost > most_) continue;
      const std::tuple<std::size_t, bool, std::uint32_t> rank{fresh(combination), cheap, order};
      if (std::get<0>(rank) == 0 || (chosen != nullptr && rank <= best)) continue;
      best = rank;
      chosen = &combination;
    }
    if (chosen == nullptr) return {};
    for_items(*chosen, [&](const Item& item) { missing_.erase(item); });
    return *chosen;
  }

  // Chooses also among those that take up to `most` from now on.
  void afford(double most) { most_ = most; }

  // Pairs (p, v), (q, w) with p < q; values as (p, v), (p, v).
  using Item = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
  // What no combination had so far.
  const std::set<Item>& missing() const { return missing_; }

 private:
  bool advance(Combination& combination) const {
    for (std::size_t p = 0; p < sizes_.size(); ++p) {
      if (++combination[p] < sizes_[p]) return true;
      combination[p] = 0;
    }
    return false;
  }
  template <class Visit>
  void for_items(const Combination& c, Visit&& visit) const {
    for (std::size_t p = 0; p < c.size(); ++p) {
      if (each_ == Each::kValue) visit(Item{p, c[p], p, c[p]});
      if (each_ == Each::kValue) continue;
      for (std::size_t q = p + 1; q < c.size(); ++q) visit(Item{p, c[p], q, c[q]});
    }
  }
  std::size_t fresh(const Combination& c) const {
    std::size_t count = 0;
    for_items(c, [&](const Item& item) { count += missing_.count(item); });
    return count;
  }

  std::vector<std::size_t> sizes_;
  Each each_;
  std::set<Item> missing_;
  double most_;
  std::vector<std::tuple<double, bool, std::uint32_t, Combination>> all_;
};

}  // namespace comback::test

#include "engine/storing_strategy.h"

#include <algorithm>
#include <cmath>

namespace comback {
namespace {

using Flag = StoringStrategy::Flag;

// The flag is the distance from the last stored state.
class Distance : public StoringStrategy {
 public:
  explicit Distance(std::uint32_t k) : k_(k) {}
  bool to_store(Flag flag, std::uint32_t) const override { return flag == 0; }
  Flag next_flag(Flag flag, bool, Event) override { return (flag + 1) % k_; }
  bool may_store(Flag flag) const override { return flag == 0; }

 private:
  Flag k_;
};

// The flag counts states without a choice since the last stored one.
class Successors : public StoringStrategy {
 public:
  explicit Successors(std::uint32_t k) : k_(k) {}
  bool to_store(Flag flag, std::uint32_t successors) const override {
    return successors > 1 || flag >= k_;
  }
  Flag next_flag(Flag flag, bool stored, Event) override { return stored ? 0 : flag + 1; }
  bool may_store(Flag) const override { return true; }

 private:
  Flag k_;
};

// The events of a covering set.
class Covering {
 public:
  Covering(const Model& model, const CoveringSet& cover) : events_(model.events().size()) {
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const EventInfo& event = model.events()[e];
      events_[e] =
          cover.contains(event.process, event.transition) ||
          (event.partner != kGlobal && cover.contains(event.partner, event.partner_transition));
    }
  }
  bool contains(Event event) const { return events_[event]; }

 private:
  std::vector<bool> events_;
};

// The flag: whether a covering transition led here.
class Cover : public StoringStrategy {
 public:
  Cover(const Model& model, const CoveringSet& cover) : covering_(model, cover) {}
  bool to_store(Flag flag, std::uint32_t) const override { return flag != 0; }
  Flag next_flag(Flag, bool, Event event) override { return covering_.contains(event) ? 1 : 0; }
  bool may_store(Flag flag) const override { return flag != 0; }

 private:
  Covering covering_;
};

// Differs from the paper, where termination has probability one: a state is also stored where the
// last one was so far back that chance gives it e^-20. The flag is twice that distance, plus one
// where the state is to be stored.
class Random : public StoringStrategy {
 public:
  Random(double p, std::uint64_t seed)
      : threshold_(p >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::ldexp(p, 64))),
        longest_(static_cast<Flag>(std::ceil(20 / p))),
        state_(seed) {}
  Flag first_flag() override { return draw() ? 1 : 0; }
  bool to_store(Flag flag, std::uint32_t) const override { return (flag & 1) != 0; }
  Flag next_flag(Flag flag, bool stored, Event) override {
    const Flag distance = stored ? 1 : flag / 2 + 1;
    return distance * 2 + (distance >= longest_ || draw() ? 1 : 0);
  }
  bool may_store(Flag flag) const override { return (flag & 1) != 0; }

 private:
  bool draw() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (z ^ (z >> 31)) <= threshold_;
  }

  std::uint64_t threshold_;
  Flag longest_;
  std::uint64_t state_;
};

// The flag counts covering transitions since the last stored state.
class Combination : public StoringStrategy {
 public:
  Combination(std::uint32_t k, const Model& model, const CoveringSet& cover)
      : k_(k), covering_(model, cover) {}
  bool to_store(Flag flag, std::uint32_t successors) const override {
    return (flag >= k_ && successors > 1) || flag >= k_ * k_;
  }
  Flag next_flag(Flag flag, bool stored, Event event) override {
    if (stored) return 0;
    return flag + (covering_.contains(event) ? 1 : 0);
  }
  bool may_store(Flag flag) const override { return flag >= k_; }

 private:
  Flag k_;
  Covering covering_;
};

}  // namespace

std::unique_ptr<StoringStrategy> make_storing_strategy(const StoringOptions& options,
                                                       const Model& model,
                                                       const CoveringSet& cover) {
  const StoringRule& rule = options.rule;
  switch (rule.kind) {
    case StoringRule::Kind::kDistance:
      return std::make_unique<Distance>(rule.k);
    case StoringRule::Kind::kSuccessors:
      return std::make_unique<Successors>(rule.k);
    case StoringRule::Kind::kCover:
      return std::make_unique<Cover>(model, cover);
    case StoringRule::Kind::kRandom:
      return std::make_unique<Random>(rule.p, options.seed);
    case StoringRule::Kind::kCombination:
      break;
  }
  return std::make_unique<Combination>(rule.k, model, cover);
}

}  // namespace comback

#include "engine/storing_walk.h"

#include "storage/bytes.h"

namespace comback {

using Waiting = StoringOptions::Waiting;

StoringWalk::StoringWalk(const Model& model, const SearchOptions& options, const CoveringSet& cover,
                         bool with_origin, MemoryBudget& budget)
    : model_(model),
      options_(options),
      width_(model.width()),
      strategy_(make_storing_strategy(options.storing, model, cover)),
      stored_(width_, options, budget),
      waiting_(width_, with_origin, budget),
      successors_(width_, model.max_successors()),
      state_(width_ + kDescriptorSlack) {
  if (!options.storing.rule.needs_cover()) return;
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& variable = variables[v];
    if (variable.kind != VariableInfo::Kind::kLocation) continue;
    const auto declared =
        static_cast<std::int64_t>(model.processes()[variable.process].locations.size());
    if (variable.max >= declared) undeclared_locations_.emplace_back(v, declared);
  }
}

bool StoringWalk::open() {
  if (!stored_.open() || !waiting_.open()) return false;
  model_.initial(state_.data());
  peak_waiting_ = peak_held_ = 1;
  return waiting_.add(stored_.key(state_.data()), state_.data(), {.flag = strategy_->first_flag()},
                      WaitingStates::Place::kBack, 0);
}

bool StoringWalk::take() {
  if (waiting_.empty()) return false;
  entry_ = waiting_.take(state_.data());
  key_ = stored_.key(state_.data());
  estimate_.add(key_);
  ++explored_;
  next_ = 0;
  too_deep_ = options_.max_depth && entry_.depth > *options_.max_depth;
  if (too_deep_) {
    successors_.clear();
    store_ = false;
    step_ = Step::kSuccessors;
    return true;
  }
  model_.successors(state_.data(), successors_);
  store_ = strategy_->to_store(entry_.flag, successors_.size()) || relieves() ||
           is_outside_control_graphs(state_.data());
  step_ = store_ ? Step::kStore : Step::kSuccessors;
  return true;
}

StopReason StoringWalk::go_on() {
  if (step_ == Step::kStore) {
    if (!stored_.reserve(1)) {
      return stored_.size() >= DescriptorLog::kMaxSize ? StopReason::kTableFull
                                                       : StopReason::kMemory;
    }
    if (stored_.insert(key_, state_.data()) == Insertion::kNoMemory) return StopReason::kMemory;
    step_ = Step::kSuccessors;
  }
  const Waiting order = options_.storing.waiting;
  for (; next_ < successors_.size(); ++next_) {
    // Back to front for a stack, so that the first successor is explored first.
    const std::uint32_t i = order == Waiting::kLifo ? successors_.size() - 1 - next_ : next_;
    const std::byte* const successor = successors_.descriptor(i);
    // A state that is its own successor need not be explored for that: it just was.
    if (equal_bytes(successor, state_.data(), width_)) continue;
    const std::uint64_t key = stored_.key(successor);
    if (stored_.contains(key, successor) || waiting_.contains(key, successor)) continue;
    const auto flag = strategy_->next_flag(entry_.flag, store_, successors_.event(i));
    const bool later = order == Waiting::kPriority && strategy_->may_store(flag);
    if (!waiting_.add(
            key, successor,
            {.flag = flag,
             .event = successors_.event(i),
             .depth = entry_.depth + 1,
             .explorer = number()},
            order == Waiting::kLifo ? WaitingStates::Place::kFront : WaitingStates::Place::kBack,
            later ? 1 : 0)) {
      return StopReason::kMemory;
    }
    peak_waiting_ = std::max(peak_waiting_, waiting_.size());
  }
  peak_held_ = std::max(peak_held_, stored_.size() + waiting_.size());
  return StopReason::kNone;
}

// Not in the paper: the worst case of its strategies is exponential, and depth first it is met.
bool StoringWalk::relieves() {
  if (options_.storing.overhead == 0) return false;
  if (explored_ >= next_look_) {
    // Often enough that little is lost, rarely enough that the estimate costs nothing.
    next_look_ = explored_ + std::max<std::uint64_t>(1024, explored_ / 64);
    crowded_ = static_cast<double>(explored_) > options_.storing.overhead * estimate_.value();
  }
  return crowded_ && (explored_ * 0x9e3779b97f4a7c15ull) >> 62 == 0;
}

// Error states that a model goes on from are not where the transitions of its processes lead, so a
// covering set does not know the ways through them.
bool StoringWalk::is_outside_control_graphs(const std::byte* state) const {
  return std::any_of(
      undeclared_locations_.begin(), undeclared_locations_.end(),
      [&](const auto& place) { return model_.value(state, place.first, 0) >= place.second; });
}

}  // namespace comback

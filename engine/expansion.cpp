#include "engine/expansion.h"

#include <algorithm>
#include <cstring>

#include "storage/hash.h"

namespace comback {

bool SuccessorRecords::grow() {
  const std::size_t bytes = std::max<std::size_t>(memory_.size() * 2, std::size_t{16} << 10);
  Mapping larger = Mapping::allocate(std::max(bytes, stride_ * 4), *budget_);
  if (!larger) return false;
  if (used_ != 0) std::memcpy(larger.data(), memory_.data(), used_);
  memory_ = std::move(larger);
  return true;
}

Expansion::Lane::Lane(const Model& model, MemoryBudget& budget)
    : successors(model.width(), model.max_successors()) {
  records.reserve(kPartitions);
  for (unsigned p = 0; p < kPartitions; ++p) records.emplace_back(model.width(), budget);
}

Expansion::Expansion(const Model& model, const SearchOptions& options, ThreadTeam& team,
                     MemoryBudget& budget)
    : model_(&model),
      options_(&options),
      team_(&team),
      width_(model.width()),
      looks_at_states_(model.has_assertions() || !options.invariants.empty()) {
  for (unsigned t = 0; t < team.size(); ++t) {
    lanes_.push_back(std::make_unique<Lane>(model, budget));
  }
}

void Expansion::begin() {
  for (auto& lane : lanes_) {
    for (SuccessorRecords& records : lane->records) records.clear();
    lane->outcome = Outcome::kDone;
    lane->transitions = 0;
    lane->deadlocks = 0;
    lane->first_deadlock = ~std::uint64_t{0};
    lane->suspects.clear();
  }
}

Expansion::Outcome Expansion::finish() {
  transitions_ = 0;
  deadlocks_ = 0;
  first_deadlock_ = ~std::uint64_t{0};
  suspects_.clear();
  Outcome outcome = Outcome::kDone;
  for (const auto& lane : lanes_) {
    transitions_ += lane->transitions;
    deadlocks_ += lane->deadlocks;
    first_deadlock_ = std::min(first_deadlock_, lane->first_deadlock);
    suspects_.insert(suspects_.end(), lane->suspects.begin(), lane->suspects.end());
    outcome = std::max(outcome, lane->outcome);
  }
  std::stable_sort(suspects_.begin(), suspects_.end(),
                   [](const Suspect& a, const Suspect& b) { return a.place < b.place; });
  return outcome;
}

std::uint64_t Expansion::wraps() const {
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) sum += lane->successors.wraps();
  return sum;
}

bool Expansion::violates(const std::byte* state) const {
  if (model_->failed_assertion(state) >= 0) return true;
  return std::any_of(
      options_->invariants.begin(), options_->invariants.end(),
      [&](const auto& invariant) { return invariant->evaluate(state).value_or(0) == 0; });
}

void Expansion::expand_one(Lane& lane, std::uint64_t place, const std::byte* state) {
  SuccessorBuffer& successors = lane.successors;
  model_->successors(state, successors);
  const std::uint32_t count = successors.size();
  if (looks_at_states_ && violates(state)) {
    lane.suspects.push_back({place, Suspect::Kind::kState, {}});
  }
  if (successors.faulted()) [[unlikely]] {
    lane.suspects.push_back({place, Suspect::Kind::kFault, successors.fault()});
  } else if (count == 0) {
    ++lane.deadlocks;
    lane.first_deadlock = std::min(lane.first_deadlock, place);
    if (options_->deadlock_is_violation) {
      lane.suspects.push_back({place, Suspect::Kind::kDeadlock, {}});
    }
  }
  lane.transitions += count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Event event = successors.event(i);
    if (event >> kOriginEventBits != 0) [[unlikely]] {
      lane.outcome = Outcome::kBigEvents;
      return;
    }
    const std::byte* const descriptor = successors.descriptor(i);
    const std::uint64_t hash = hash_bytes(descriptor, width_);
    if (!lane.records[partition_of(hash)].add(hash, make_origin(place, event), descriptor))
        [[unlikely]] {
      lane.outcome = Outcome::kNoMemory;
      return;
    }
  }
}

}  // namespace comback

#include "engine/synthetic_model.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace comback {

SyntheticModel::SyntheticModel(std::uint32_t states, std::uint64_t seed) : targets_(states) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> parents(states, 0);
  for (std::uint32_t v = 1; v < states; ++v) {
    // Among the last eighth before it: a level has an eighth of the states of all above.
    const std::uint32_t span = std::max<std::uint32_t>(1, v / 8);
    parents[v] = v - 1 - static_cast<std::uint32_t>(random() % span);
    targets_[parents[v]].push_back(v);
  }
  for (std::uint32_t v = 1; v < states; ++v) {
    if (random() % 4 == 0) targets_[v].push_back(parents[parents[v]]);
    const std::vector<std::uint32_t>& siblings = targets_[parents[v]];
    const std::uint32_t sibling = siblings[random() % siblings.size()];
    if (random() % 4 == 0 && targets_[sibling].empty()) targets_[v].push_back(sibling);
  }
  for (const auto& targets : targets_) max_successors_ = std::max(max_successors_, targets.size());
}

void SyntheticModel::encode(std::uint32_t vertex, std::byte* out) {
  std::memcpy(out, &vertex, 4);
  for (std::size_t i = 4; i < kWidth; ++i) out[i] = std::byte(vertex >> (i % 5) & 7);
}

std::uint32_t SyntheticModel::decode(const std::byte* state) {
  std::uint32_t vertex;
  std::memcpy(&vertex, state, 4);
  return vertex;
}

void SyntheticModel::successors(const std::byte* state, SuccessorBuffer& out) const {
  out.clear();
  for (const std::uint32_t target : targets_[decode(state)]) {
    out.view.events[out.view.count] = out.view.count;
    encode(target, out.view.descriptors + out.view.count * kWidth);
    ++out.view.count;
  }
}

void SyntheticModel::execute(std::byte* state, Event event) const {
  encode(targets_[decode(state)][event], state);
}

}  // namespace comback

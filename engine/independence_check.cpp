#include "engine/independence_check.h"

#include <fmt/format.h>

#include "storage/bytes.h"

namespace comback {

IndependenceCheck::IndependenceCheck(const Model& model, Independence& independence)
    : model_(model), independence_(independence), here_(model.width(), model.max_successors()) {}

std::optional<Error> IndependenceCheck::look_at(const std::byte* state) {
  model_.successors(state, here_);
  for (std::uint32_t i = 0; i < here_.size(); ++i) {
    if (there_.size() == i) there_.emplace_back(model_.width(), model_.max_successors());
    model_.successors(here_.descriptor(i), there_[i]);
  }
  for (std::uint32_t i = 0; i < here_.size(); ++i) {
    for (std::uint32_t j = i + 1; j < here_.size(); ++j) {
      const Event a = here_.event(i);
      const Event b = here_.event(j);
      const bool independent = independence_.independent(a, b);
      if (independent != independence_.independent(b, a)) {
        return complaint(state, a, b, "only in one direction");
      }
      if (!independent) continue;
      ++pairs_;
      const std::byte* const ab = after(there_[i], b);
      if (ab == nullptr) return complaint(state, a, b, "but the first disables the second");
      const std::byte* const ba = after(there_[j], a);
      if (ba == nullptr) return complaint(state, b, a, "but the first disables the second");
      if (!equal_bytes(ab, ba, model_.width())) {
        return complaint(state, a, b, "but their two orders lead to different states");
      }
    }
  }
  return {};
}

const std::byte* IndependenceCheck::after(const SuccessorBuffer& buffer, Event event) {
  for (std::uint32_t i = 0; i < buffer.size(); ++i) {
    if (buffer.event(i) == event) return buffer.descriptor(i);
  }
  return nullptr;
}

Error IndependenceCheck::complaint(const std::byte* state, Event a, Event b,
                                   const char* what) const {
  return {Errc::kCorruption,
          fmt::format("--check-independence: '{}' and '{}' are taken for independent, {}, in state "
                      "{}; this is an error of comback: please report it, and do without "
                      "--sleep-sets",
                      model_.describe_event(state, a), model_.describe_event(state, b), what,
                      describe_state(model_, state))};
}

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/visited.h"
#include "models/model.h"
#include "storage/memory_budget.h"

namespace comback {

// A model that remembers which of its states were expanded, exactly and beside whatever the search
// remembers: what a search that forgets or omits states has really visited.
//
// Threads: one.
class RecordingModel : public Model {
 public:
  // REQUIRES: both outlive it.
  RecordingModel(const Model& model, MemoryBudget& budget) : model_(&model), budget_(&budget) {}

  // Forgets what was expanded. False where the budget does not allow to remember anything.
  [[nodiscard]] bool begin() {
    failed_ = false;
    expanded_.reset();
    expanded_.emplace(model_->width(), SearchOptions(), *budget_);
    return expanded_->open();
  }
  // The distinct states since begin(); empty where they were too many for the budget.
  std::optional<std::uint64_t> expanded() const {
    if (failed_) return {};
    return expanded_->size();
  }

  // REQUIRES: begin().
  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    const Admission admission =
        admit(*expanded_, expanded_->key(state), state, {}, [&] { return expanded_->reserve(1); });
    failed_ = failed_ || admission.stop != StopReason::kNone;
    model_->successors(state, out);
  }

  const std::string& name() const override { return model_->name(); }
  std::size_t width() const override { return model_->width(); }
  std::size_t max_successors() const override { return model_->max_successors(); }
  void initial(std::byte* out) const override { model_->initial(out); }
  void execute(std::byte* state, Event event) const override { model_->execute(state, event); }
  bool has_assertions() const override { return model_->has_assertions(); }
  int failed_assertion(const std::byte* state) const override {
    return model_->failed_assertion(state);
  }
  std::string describe_assertion(int index) const override {
    return model_->describe_assertion(index);
  }
  std::span<const VariableInfo> variables() const override { return model_->variables(); }
  std::int64_t value(const std::byte* state, std::uint32_t variable,
                     std::uint32_t element) const override {
    return model_->value(state, variable, element);
  }
  std::string describe_event(const std::byte* state, Event event) const override {
    return model_->describe_event(state, event);
  }
  std::string explain(const Fault& fault) const override { return model_->explain(fault); }
  PredicateResult predicate(std::string_view text) const override {
    return model_->predicate(text);
  }
  std::span<const EventInfo> events() const override { return model_->events(); }
  std::span<const ProcessInfo> processes() const override { return model_->processes(); }
  std::span<const ChannelInfo> channels() const override { return model_->channels(); }
  std::string_view ignored_property() const override { return model_->ignored_property(); }
  std::string_view backend() const override { return model_->backend(); }

 private:
  const Model* model_;
  MemoryBudget* budget_;
  mutable std::optional<FullVisited> expanded_;
  mutable bool failed_ = false;
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/model.h"

namespace comback {

// A model whose events come in the order of the tool that [evangelista09] was measured with: the
// events of single processes first, then the rendezvous, by sender and then by receiver. Ours has a
// rendezvous at its receiver. Which predecessor comes first decides the backedges, so the figures
// of models with channels depend on it; docs/papers.md compares them.
//
// Threads: one. Successors are sorted, which takes time: no times should be measured.
class AuthorsOrder : public Model {
 public:
  // REQUIRES: wanted(*model).
  explicit AuthorsOrder(std::unique_ptr<Model> model);

  // Whether a model has rendezvous, and so another order.
  static bool wanted(const Model& model);

  const std::string& name() const override { return model_->name(); }
  std::size_t width() const override { return model_->width(); }
  std::size_t max_successors() const override { return model_->max_successors(); }
  void initial(std::byte* out) const override { model_->initial(out); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override;
  void execute(std::byte* state, Event event) const override {
    model_->execute(state, by_rank_[event]);
  }

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
    return model_->describe_event(state, by_rank_[event]);
  }
  std::string explain(const Fault& fault) const override;
  PredicateResult predicate(std::string_view text) const override {
    return model_->predicate(text);
  }
  std::span<const EventInfo> events() const override { return {}; }
  std::span<const ProcessInfo> processes() const override { return model_->processes(); }
  std::string_view backend() const override { return model_->backend(); }

 private:
  std::unique_ptr<Model> model_;
  std::vector<Event> by_rank_;        // our events in the authors' order
  std::vector<std::uint32_t> ranks_;  // of our events
  mutable SuccessorBuffer buffer_;
  mutable std::vector<std::uint32_t> order_;
};

}  // namespace comback

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/dve/dve.h"
#include "models/dve/executor.h"
#include "models/dve/model_info.h"
#include "models/dve/program.h"
#include "models/model.h"

namespace comback::dve {

// A model in the DVE language: interpreted, until native code takes over.
class DveModel : public Model {
 public:
  DveModel(Program program, RangeErrors range_errors);
  DveModel(const DveModel&) = delete;
  DveModel& operator=(const DveModel&) = delete;

  const Program& program() const { return program_; }
  RangeErrors range_errors() const { return range_errors_; }

  // From now on, `native` executes the model. At most once; safe while other threads use the model,
  // which see no difference but speed.
  void take_over(std::unique_ptr<const Executor> native);

  // Something that works for the model, such as what compiles native code in a thread: destroyed
  // before anything else of the model is.
  void keep(std::shared_ptr<void> helper) { helper_ = std::move(helper); }

  const std::string& name() const override { return program_.name; }
  std::size_t width() const override { return program_.width; }
  std::size_t max_successors() const override { return program_.max_successors; }
  void initial(std::byte* out) const override;
  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    executor().successors(state, out.view);
  }
  void execute(std::byte* state, Event event) const override { executor().execute(state, event); }

  bool has_assertions() const override { return !program_.assertions.empty(); }
  int failed_assertion(const std::byte* state) const override {
    return executor().failed_assertion(state);
  }
  std::string describe_assertion(int index) const override;

  std::span<const VariableInfo> variables() const override { return info_.variables(); }
  std::int64_t value(const std::byte* state, std::uint32_t variable,
                     std::uint32_t element) const override {
    return info_.value(state, variable, element);
  }
  std::string describe_event(const std::byte* state, Event event) const override;
  std::string explain(const Fault& fault) const override;
  PredicateResult predicate(std::string_view text) const override;

  std::span<const EventInfo> events() const override { return info_.events(); }
  std::span<const ProcessInfo> processes() const override { return info_.processes(); }
  std::span<const ChannelInfo> channels() const override { return info_.channels(); }
  bool values_wrap() const override { return range_errors_ == RangeErrors::kWrap; }
  std::string_view ignored_property() const override;
  std::string_view backend() const override;

 private:
  const Executor& executor() const { return *current_.load(std::memory_order_acquire); }

  Program program_;
  RangeErrors range_errors_;
  ModelInfo info_;
  std::vector<std::byte> initial_;
  std::unique_ptr<const Executor> interpreter_;
  std::unique_ptr<const Executor> native_;
  std::atomic<const Executor*> current_;
  std::shared_ptr<void> helper_;  // last, so that it goes first
};

}  // namespace comback::dve

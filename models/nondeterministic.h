#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/model.h"

namespace comback {

// A transition relation in which an event of a state can have several results.
//
// [westergaard07, section 5] reconstructs such systems over sets of states: all results of the
// stored events. Nothing of that is needed if the event that is stored says which result was taken;
// NondeterministicModel below does that. A backedge grows by the bits that the number of results
// needs, and a reconstruction stays one execution per event.
class NondeterministicRelation {
 public:
  virtual ~NondeterministicRelation() = default;

  // Descriptors of one width, packed one after the other.
  struct Results {
    std::vector<std::byte> descriptors;
    std::uint32_t count = 0;
  };

  virtual const std::string& name() const = 0;
  virtual std::size_t width() const = 0;
  virtual std::uint32_t max_results() const = 0;  // of one event in one state, > 0
  virtual std::uint32_t max_events() const = 0;   // enabled in one state
  virtual void initial(std::byte* out) const = 0;
  // Replaces `out` with the events enabled in `state`, increasing.
  virtual void enabled(const std::byte* state, std::vector<std::uint32_t>& out) const = 0;
  // Appends the results of `event` to `out`, always in the same order, each once.
  virtual void execute(const std::byte* state, std::uint32_t event, Results& out) const = 0;
  virtual std::string describe_event(std::uint32_t event) const = 0;
};

// The relation as a model with deterministic events: event * max_results + number of the result.
class NondeterministicModel : public Model {
 public:
  // REQUIRES: `relation` outlives the model; its events times max_results fit in 32 bits.
  explicit NondeterministicModel(const NondeterministicRelation& relation) : relation_(relation) {}

  const std::string& name() const override { return relation_.name(); }
  std::size_t width() const override { return relation_.width(); }
  std::size_t max_successors() const override {
    return std::size_t{relation_.max_events()} * relation_.max_results();
  }
  void initial(std::byte* out) const override { relation_.initial(out); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override;
  void execute(std::byte* state, Event event) const override;

  std::span<const VariableInfo> variables() const override { return {}; }
  std::int64_t value(const std::byte*, std::uint32_t, std::uint32_t) const override { return 0; }
  std::string describe_event(const std::byte* state, Event event) const override;
  std::string explain(const Fault& fault) const override;
  PredicateResult predicate(std::string_view text) const override;
  std::span<const EventInfo> events() const override { return {}; }
  std::span<const ProcessInfo> processes() const override { return {}; }
  std::string_view backend() const override { return "relation"; }

 private:
  const NondeterministicRelation& relation_;
};

}  // namespace comback

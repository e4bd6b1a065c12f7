#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

namespace comback {

// A random graph with the shape of a protocol that is explored with sleep sets: a tree whose depth
// is about the logarithm of its size, with edges back to ancestors and over to siblings that are
// leaves. Nearly every state is reached once, or again while it is still on the stack or was left
// just now, so that a search with a small cache visits few of its states twice.
class SyntheticModel : public Model {
 public:
  static constexpr std::size_t kWidth = 12;

  // REQUIRES: 1 <= states < 2^32.
  SyntheticModel(std::uint32_t states, std::uint64_t seed);

  const std::string& name() const override { return name_; }
  std::size_t width() const override { return kWidth; }
  std::size_t max_successors() const override { return max_successors_; }
  void initial(std::byte* out) const override { encode(0, out); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override;
  void execute(std::byte* state, Event event) const override;

  std::span<const VariableInfo> variables() const override { return {}; }
  std::int64_t value(const std::byte*, std::uint32_t, std::uint32_t) const override { return 0; }
  std::string describe_event(const std::byte*, Event event) const override {
    return std::to_string(event);
  }
  std::string explain(const Fault&) const override { return {}; }
  PredicateResult predicate(std::string_view) const override { return Diagnostics(1); }
  std::span<const EventInfo> events() const override { return {}; }
  std::span<const ProcessInfo> processes() const override { return {}; }
  std::string_view backend() const override { return "synthetic"; }

 private:
  // Four bytes number the vertex; the others follow from it, as those of a protocol's state do from
  // each other.
  static void encode(std::uint32_t vertex, std::byte* out);
  static std::uint32_t decode(const std::byte* state);

  std::string name_ = "synthetic";
  std::vector<std::vector<std::uint32_t>> targets_;  // by vertex; the event is the place
  std::size_t max_successors_ = 1;
};

}  // namespace comback

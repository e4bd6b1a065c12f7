// A program that embeds the engine, with a model of its own in C++.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search.h"
#include "models/model.h"

namespace {

// Two counters, each of which counts to its limit: (A + 1) * (B + 1) states, and A + B + 1 levels.
class TwoCounters : public comback::Model {
 public:
  TwoCounters(std::uint8_t a, std::uint8_t b) : limits_{a, b}, variables_(2) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      variables_[i].name = i == 0 ? "a" : "b";
      variables_[i].max = limits_[i];
      variables_[i].offset_bytes = i;
    }
  }

  const std::string& name() const override { return name_; }
  std::size_t width() const override { return 2; }
  std::size_t max_successors() const override { return 2; }

  void initial(std::byte* out) const override { out[0] = out[1] = std::byte{0}; }

  void successors(const std::byte* state, comback::SuccessorBuffer& out) const override {
    out.clear();
    for (comback::Event event = 0; event < 2; ++event) {
      if (std::to_integer<std::uint8_t>(state[event]) == limits_[event]) continue;
      std::byte* successor = out.view.descriptors + width() * out.view.count;
      successor[0] = state[0];
      successor[1] = state[1];
      execute(successor, event);
      out.view.events[out.view.count++] = event;
    }
  }

  void execute(std::byte* state, comback::Event event) const override {
    state[event] = std::byte(std::to_integer<unsigned>(state[event]) + 1);
  }

  std::span<const comback::VariableInfo> variables() const override { return variables_; }
  std::int64_t value(const std::byte* state, std::uint32_t variable, std::uint32_t) const override {
    return std::to_integer<std::int64_t>(state[variable]);
  }
  std::string describe_event(const std::byte*, comback::Event event) const override {
    return "increment " + variables_[event].name;
  }
  std::string explain(const comback::Fault&) const override { return {}; }
  comback::PredicateResult predicate(std::string_view) const override {
    return comback::Diagnostics{{.message = "this model has no predicates"}};
  }
  std::span<const comback::EventInfo> events() const override { return {}; }
  std::span<const comback::ProcessInfo> processes() const override { return {}; }
  std::string_view backend() const override { return "native"; }

 private:
  std::string name_ = "two counters";
  std::array<std::uint8_t, 2> limits_;
  std::vector<comback::VariableInfo> variables_;
};

}  // namespace

int main() {
  const TwoCounters model(3, 4);
  comback::SearchOptions options;
  options.visited = comback::VisitedMode::kFull;
  comback::Monitor monitor;
  const comback::Result<comback::Summary> summary = comback::explore(model, options, monitor);
  if (!summary) {
    std::fprintf(stderr, "%s\n", summary.error().what.c_str());
    return 1;
  }
  std::printf("%s: %s, %llu states, %llu transitions, %llu deadlocks, %zu levels\n",
              model.name().c_str(), comback::to_string(summary->verdict),
              static_cast<unsigned long long>(summary->states),
              static_cast<unsigned long long>(summary->transitions),
              static_cast<unsigned long long>(summary->deadlocks), summary->level_sizes.size());
}

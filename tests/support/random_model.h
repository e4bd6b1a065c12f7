#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

namespace comback::testing {

// What a model for tests does not need: nothing in it is for people.
class PlainModel : public Model {
 public:
  std::span<const VariableInfo> variables() const override { return {}; }
  std::int64_t value(const std::byte*, std::uint32_t, std::uint32_t) const override { return 0; }
  std::string describe_event(const std::byte*, Event event) const override {
    return std::to_string(event);
  }
  std::string explain(const Fault& fault) const override {
    return "fault of event " + std::to_string(fault.event);
  }
  PredicateResult predicate(std::string_view) const override {
    return Diagnostics{{.file = "<predicate>", .message = "no predicates here"}};
  }
  std::span<const EventInfo> events() const override { return {}; }
  std::span<const ProcessInfo> processes() const override { return {}; }
  std::string_view backend() const override { return "test"; }
};

// A predicate from a function of the descriptor.
class FunctionPredicate : public Predicate {
 public:
  using Function = std::function<std::optional<std::int64_t>(const std::byte*)>;
  FunctionPredicate(std::string text, Function function)
      : text_(std::move(text)), function_(std::move(function)) {}
  std::optional<std::int64_t> evaluate(const std::byte* state) const override {
    return function_(state);
  }
  const std::string& text() const override { return text_; }

 private:
  std::string text_;
  Function function_;
};

// A random graph: vertices with self loops, parallel events, sparse event numbers, deadlocks and
// vertices that are never reached. Vertex 0 is the initial state.
class RandomModel : public PlainModel {
 public:
  struct Shape {
    std::uint32_t vertices = 200;
    std::uint32_t max_degree = 5;
    std::size_t width = 9;         // >= 4
    double deadlock_share = 0.02;  // of the vertices
    double local_share = 0.5;      // of the edges that stay near their source: deeper graphs
  };

  RandomModel(std::uint64_t seed, const Shape& shape)
      : shape_(shape), name_("random-" + std::to_string(seed)), edges_(shape.vertices) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 1);
    mask_ = static_cast<std::uint32_t>(random());
    const auto chance = [&](double p) {
      return std::uniform_real_distribution<double>(0, 1)(random) < p;
    };
    const std::int64_t n = shape.vertices;
    for (std::int64_t v = 0; v < n; ++v) {
      if (v != 0 && chance(shape.deadlock_share)) continue;
      const std::uint64_t degree = 1 + random() % shape.max_degree;
      Event event = 0;
      for (std::uint64_t i = 0; i < degree; ++i) {
        event += 1 + static_cast<Event>(random() % 4);
        std::int64_t target = static_cast<std::int64_t>(random() % shape.vertices);
        if (chance(shape.local_share)) {
          target =
              std::clamp<std::int64_t>(v - 3 + static_cast<std::int64_t>(random() % 8), 0, n - 1);
        }
        if (chance(0.05)) target = v;
        if (i != 0 && chance(0.1)) target = edges_[v].back().second;
        edges_[v].emplace_back(event, static_cast<std::uint32_t>(target));
      }
    }
  }
  explicit RandomModel(std::uint64_t seed) : RandomModel(seed, Shape{}) {}

  // Vertices in which the model's only assertion fails.
  std::set<std::uint32_t> failing;
  // (vertex, event) pairs that are faults instead of successors.
  std::set<std::pair<std::uint32_t, Event>> faults;

  const std::string& name() const override { return name_; }
  std::size_t width() const override { return shape_.width; }
  std::size_t max_successors() const override { return shape_.max_degree; }
  void initial(std::byte* out) const override { encode(0, out); }

  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    out.clear();
    const std::uint32_t v = decode(state);
    for (const auto& [event, target] : edges_[v]) {
      if (faults.count({v, event}) != 0) {
        if (!out.faulted()) {
          out.view.faulted = 1;
          out.view.fault = {.event = event, .site = 0, .value = static_cast<std::int64_t>(v)};
        }
        continue;
      }
      out.view.events[out.view.count] = event;
      encode(target, out.view.descriptors + out.view.count * shape_.width);
      ++out.view.count;
    }
  }
  void execute(std::byte* state, Event event) const override {
    for (const auto& [e, target] : edges_[decode(state)]) {
      if (e == event) return encode(target, state);
    }
  }

  bool has_assertions() const override { return !failing.empty(); }
  int failed_assertion(const std::byte* state) const override {
    return failing.count(decode(state)) != 0 ? 0 : -1;
  }
  std::string describe_assertion(int) const override { return "assertion of " + name_; }

  // The first four bytes are the masked vertex; the rest follow from it.
  std::uint32_t decode(const std::byte* state) const {
    std::uint32_t x;
    std::memcpy(&x, state, 4);
    return x ^ mask_;
  }
  void encode(std::uint32_t vertex, std::byte* out) const {
    const std::uint32_t x = vertex ^ mask_;
    std::memcpy(out, &x, 4);
    for (std::size_t i = 4; i < shape_.width; ++i) out[i] = std::byte((x >> (i % 4 * 8)) + i);
  }
  const std::vector<std::pair<Event, std::uint32_t>>& edges(std::uint32_t vertex) const {
    return edges_[vertex];
  }

 private:
  Shape shape_;
  std::string name_;
  std::uint32_t mask_ = 0;
  std::vector<std::vector<std::pair<Event, std::uint32_t>>> edges_;
};

// Counters that count up one at a time from 0 to limit-1: limit^counters states, one deadlock,
// (limit-1)*counters+1 levels. With one counter, a chain. The successors are cheap, as native ones.
class GridModel : public PlainModel {
 public:
  // REQUIRES: limit <= 2^32.
  GridModel(std::uint32_t counters, std::uint64_t limit, std::size_t width = 0)
      : counters_(counters), limit_(limit), width_(std::max<std::size_t>(width, counters * 4)) {}

  const std::string& name() const override { return name_; }
  std::size_t width() const override { return width_; }
  std::size_t max_successors() const override { return counters_; }
  void initial(std::byte* out) const override { std::memset(out, 0, width_); }
  void successors(const std::byte* state, SuccessorBuffer& out) const override {
    out.clear();
    for (std::uint32_t c = 0; c < counters_; ++c) {
      if (counter(state, c) + 1ull >= limit_) continue;
      out.view.events[out.view.count] = c;
      std::byte* successor = out.view.descriptors + out.view.count * width_;
      std::memcpy(successor, state, width_);
      execute(successor, c);
      ++out.view.count;
    }
  }
  void execute(std::byte* state, Event event) const override {
    const std::uint32_t x = counter(state, event) + 1;
    std::memcpy(state + event * 4, &x, 4);
  }
  static std::uint32_t counter(const std::byte* state, std::uint32_t c) {
    std::uint32_t x;
    std::memcpy(&x, state + c * 4, 4);
    return x;
  }

 private:
  std::uint32_t counters_;
  std::uint64_t limit_;
  std::size_t width_;
  std::string name_ = "grid";
};

}  // namespace comback::testing

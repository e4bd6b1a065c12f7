#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

namespace comback::testing {

// Every reachable state of a model, found in the plainest way there is: breadth first, in
// (level, predecessor, event) order, with a std::map. A fault's event has no successor.
struct Oracle {
  using Descriptor = std::string;  // the bytes; std::string compares fast and prints

  std::vector<Descriptor> states;  // by id
  std::map<Descriptor, std::uint64_t> ids;
  std::vector<std::pair<std::uint64_t, Event>> backedges;  // by id; [0] is {0, 0}
  std::vector<std::uint64_t> depths;                       // by id
  std::vector<std::uint64_t> level_sizes;
  std::vector<std::vector<std::pair<Event, std::uint64_t>>> out;  // by id: event, successor
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;  // states without successors that do not fault either

  explicit Oracle(const Model& model) {
    const std::size_t width = model.width();
    SuccessorBuffer buffer(width, model.max_successors());
    const auto add = [&](const std::byte* bytes, std::uint64_t pred, Event event) {
      const Descriptor d(reinterpret_cast<const char*>(bytes), width);
      const auto [it, added] = ids.emplace(d, states.size());
      if (added) {
        const std::uint64_t depth = states.empty() ? 0 : depths[pred] + 1;
        states.push_back(d);
        backedges.emplace_back(pred, event);
        depths.push_back(depth);
        if (level_sizes.size() <= depth) level_sizes.push_back(0);
        ++level_sizes[depth];
      }
      return it->second;
    };
    std::vector<std::byte> initial(width);
    model.initial(initial.data());
    add(initial.data(), 0, 0);
    for (std::uint64_t id = 0; id < states.size(); ++id) {
      const Descriptor d = states[id];
      model.successors(reinterpret_cast<const std::byte*>(d.data()), buffer);
      out.emplace_back();
      if (buffer.size() == 0 && !buffer.faulted()) ++deadlocks;
      transitions += buffer.size();
      for (std::uint32_t i = 0; i < buffer.size(); ++i) {
        const std::uint64_t to = add(buffer.descriptor(i), id, buffer.event(i));
        out[id].emplace_back(buffer.event(i), to);
      }
    }
  }

  const std::byte* bytes(std::uint64_t id) const {
    return reinterpret_cast<const std::byte*>(states[id].data());
  }
  std::uint64_t id_of(const std::byte* state) const {
    return ids.at(Descriptor(reinterpret_cast<const char*>(state), states[0].size()));
  }

  // States by recursive depth-first search with successors in event order: the preorder, and the
  // most edges on the stack at any time.
  std::pair<std::vector<std::uint64_t>, std::uint64_t> depth_first() const {
    std::vector<std::uint64_t> preorder{0};
    std::vector<bool> seen(states.size());
    seen[0] = true;
    std::vector<std::pair<std::uint64_t, std::size_t>> stack{{0, 0}};
    std::uint64_t deepest = 0;
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      if (next == out[id].size()) {
        stack.pop_back();
        continue;
      }
      const std::uint64_t to = out[id][next++].second;
      if (seen[to]) continue;
      seen[to] = true;
      preorder.push_back(to);
      stack.emplace_back(to, 0);
      deepest = std::max<std::uint64_t>(deepest, stack.size() - 1);
    }
    return {preorder, deepest};
  }
};

}  // namespace comback::testing

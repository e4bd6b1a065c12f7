#pragma once

#include <string>
#include <unordered_map>

#include "models/model.h"

namespace comback::tools {

// Events in words, each described once: whatever the state is in which they happen.
class EventLabels {
 public:
  // REQUIRES: `model` outlives it.
  explicit EventLabels(const Model& model) : model_(&model) {}

  // "P_0 line 16: NCS -> p1 { effect x = 1 }". Valid until the next call.
  const std::string& operator()(Event event) {
    // Of models whose events have no fixed numbers there may be any number.
    if (labels_.size() >= kMost) labels_.clear();
    const auto [place, added] = labels_.try_emplace(event);
    if (added) place->second = model_->describe_event(nullptr, event);
    return place->second;
  }

  // The same without guard and effect: "P_0 line 16: NCS -> p1".
  std::string brief(Event event) {
    std::string label = (*this)(event);
    for (std::size_t from = label.find(" {"); from != std::string::npos;
         from = label.find(" {", from)) {
      const std::size_t to = label.find('}', from);
      label.erase(from, to == std::string::npos ? to : to + 1 - from);
    }
    return label;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  const Model* model_;
  std::unordered_map<Event, std::string> labels_;
};

}  // namespace comback::tools

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/dve/dve.h"
#include "models/model.h"

namespace comback::test {

inline constexpr dve::RangeErrors kAllRangeErrors[] = {
    dve::RangeErrors::kStop, dve::RangeErrors::kWrap, dve::RangeErrors::kErrorState,
    dve::RangeErrors::kTerminal};

// The model, or null with a failure that says why.
inline std::unique_ptr<Model> loaded(dve::LoadResult result) {
  if (auto* diagnostics = std::get_if<Diagnostics>(&result)) {
    ADD_FAILURE() << to_string(*diagnostics);
    return nullptr;
  }
  return std::get<std::unique_ptr<Model>>(std::move(result));
}

inline std::unique_ptr<Model> dve_model(const std::string& text,
                                        dve::RangeErrors range_errors = dve::RangeErrors::kStop,
                                        dve::Backend backend = dve::Backend::kInterpreted) {
  return loaded(
      dve::load_text("test.dve", text, {.range_errors = range_errors, .backend = backend}));
}

inline std::string bytes_of(const std::byte* state, std::size_t width) {
  return std::string(reinterpret_cast<const char*>(state), width);
}
inline const std::byte* state_of(const std::string& bytes) {
  return reinterpret_cast<const std::byte*>(bytes.data());
}

inline std::string initial_state(const Model& model) {
  std::string state(model.width(), '\xee');
  model.initial(reinterpret_cast<std::byte*>(state.data()));
  return state;
}

// "EVENT: STATE" for each successor.
inline std::vector<std::string> steps(const Model& model, const std::string& state) {
  SuccessorBuffer buffer(model.width(), model.max_successors());
  model.successors(state_of(state), buffer);
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < buffer.size(); ++i) {
    out.push_back(std::to_string(buffer.event(i)) + ": " +
                  describe_state(model, buffer.descriptor(i)));
  }
  return out;
}

// The state after the events, each of which must be enabled.
inline std::string after(const Model& model, std::string state, const std::vector<Event>& events) {
  SuccessorBuffer buffer(model.width(), model.max_successors());
  for (const Event event : events) {
    model.successors(state_of(state), buffer);
    bool found = false;
    for (std::uint32_t i = 0; i < buffer.size() && !found; ++i) {
      found = buffer.event(i) == event;
      if (found) state = bytes_of(buffer.descriptor(i), model.width());
    }
    EXPECT_TRUE(found) << "event " << event << " is not enabled";
  }
  return state;
}

}  // namespace comback::test

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/random_model.h"

namespace comback::test {

// A location, a scalar and an array, one byte each.
class SmallModel : public PlainModel {
 public:
  SmallModel() {
    variables_.resize(3);
    variables_[0].name = "P";
    variables_[0].kind = VariableInfo::Kind::kLocation;
    variables_[0].value_names = {"idle", "busy"};
    variables_[1].name = "x";
    variables_[1].offset_bytes = 1;
    variables_[2].name = "fork";
    variables_[2].length = 2;
    variables_[2].offset_bytes = 2;
  }
  const std::string& name() const override { return name_; }
  std::size_t width() const override { return 4; }
  std::size_t max_successors() const override { return 1; }
  void initial(std::byte* out) const override { std::fill_n(out, 4, std::byte{0}); }
  void successors(const std::byte*, SuccessorBuffer& out) const override { out.clear(); }
  void execute(std::byte*, Event) const override {}
  std::span<const VariableInfo> variables() const override { return variables_; }
  std::int64_t value(const std::byte* state, std::uint32_t v, std::uint32_t e) const override {
    return static_cast<std::int64_t>(state[variables_[v].offset_bytes + e]);
  }
  std::string describe_event(const std::byte*, Event event) const override {
    return "event " + std::to_string(event);
  }

 protected:
  std::vector<VariableInfo> variables_;

 private:
  std::string name_ = "small";
};

}  // namespace comback::test

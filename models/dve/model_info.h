#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dve/dve.h"
#include "models/dve/program.h"
#include "models/model.h"

namespace comback::dve {

// What a program says about itself through models/model.h: its variables (globals, buffered
// channels, then each process's location and locals), processes, channels and events.
class ModelInfo {
 public:
  // REQUIRES: `program` outlives this.
  ModelInfo(const Program& program, RangeErrors range_errors);

  const std::vector<VariableInfo>& variables() const { return variables_; }
  const std::vector<ProcessInfo>& processes() const { return processes_; }
  const std::vector<ChannelInfo>& channels() const { return channels_; }
  const std::vector<EventInfo>& events() const { return events_; }

  std::int64_t value(const std::byte* state, std::uint32_t variable, std::uint32_t element) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void add_variables(RangeErrors range_errors);
  void add_data(std::uint32_t variable);
  void add_channels();
  TransitionInfo transition_info(const Transition& transition) const;
  EffectInfo effect_info(const Assignment& assignment) const;
  EventInfo event_info(const StaticEvent& event, RangeErrors range_errors) const;

  VariableUse use_of(const Lvalue& target) const;
  std::optional<VariableUse> use_of(const Expr& operand) const;
  void add_reads(const Expr& expr, std::vector<VariableUse>& uses) const;
  void add_comparisons(const Expr& guard, bool negated, std::vector<ComparisonInfo>& out) const;

  const Program& program_;
  std::vector<VariableInfo> variables_;
  std::vector<std::uint32_t> of_data_;      // by Program::variables; kNone for constants
  std::vector<std::uint32_t> of_channel_;   // by Program::channels; kNone for rendezvous
  std::vector<std::uint32_t> of_location_;  // by Program::processes
  std::vector<std::uint32_t> channel_of_;   // by variable of the model; kNone for others
  std::vector<ProcessInfo> processes_;
  std::vector<ChannelInfo> channels_;
  std::vector<EventInfo> events_;
};

}  // namespace comback::dve

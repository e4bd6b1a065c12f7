#include "engine/survey.h"

#include <algorithm>
#include <array>
#include <memory>

namespace comback {
namespace {

// What one thread counts, beside the buffer it expands into.
struct Lane {
  explicit Lane(const Model& model) : buffer(model.width(), model.max_successors()) {
    fired.resize(model.events().size());
  }
  void count(Event event) {
    if (event >= fired.size()) {
      ++rare[event];
    } else {
      ++fired[event];
    }
  }
  SuccessorBuffer buffer;
  std::vector<std::uint64_t> fired;
  std::map<Event, std::uint64_t> rare;  // of models whose events have no fixed numbers
};

struct TaskCounts {
  std::uint32_t level = 0;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t faults = 0;
  std::vector<StateId> first_deadlocks;
};

}  // namespace

Result<Survey> survey(const Model& model, const StoredTree& tree, const SurveyOptions& what,
                      ThreadTeam& team, const StateStream::Options& options, Monitor& monitor) {
  Survey result;
  result.levels.resize(tree.depth());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (unsigned t = 0; t < team.size(); ++t) lanes.push_back(std::make_unique<Lane>(model));
  std::array<TaskCounts, StateStream::kMaxBatchTasks> tasks;

  const auto visit = [&](unsigned thread, std::size_t task, const StateRows& rows) {
    Lane& lane = *lanes[thread];
    TaskCounts& counts = tasks[task];
    counts.level = rows.level;
    counts.states = rows.count;
    counts.transitions = counts.deadlocks = counts.faults = 0;
    counts.first_deadlocks.clear();
    for (std::size_t i = 0; i < rows.count; ++i) {
      model.successors(rows.row(i), lane.buffer);
      counts.transitions += lane.buffer.size();
      for (std::uint32_t s = 0; s < lane.buffer.size(); ++s) lane.count(lane.buffer.event(s));
      if (lane.buffer.faulted()) {
        ++counts.faults;
      } else if (lane.buffer.size() == 0) {
        ++counts.deadlocks;
        if (counts.first_deadlocks.size() < what.deadlocks) {
          counts.first_deadlocks.push_back(rows.first_id + i);
        }
      }
    }
  };
  const auto after = [&](std::size_t count) -> Result<bool> {
    for (std::size_t task = 0; task < count; ++task) {
      const TaskCounts& counts = tasks[task];
      result.levels[counts.level].transitions += counts.transitions;
      result.levels[counts.level].deadlocks += counts.deadlocks;
      result.states += counts.states;
      result.transitions += counts.transitions;
      result.deadlocks += counts.deadlocks;
      result.faults += counts.faults;
      for (const StateId id : counts.first_deadlocks) {
        if (result.first_deadlocks.size() < what.deadlocks) result.first_deadlocks.push_back(id);
      }
    }
    return !(what.stop_at_first_deadlock && result.deadlocks > 0);
  };
  StateStream stream(model, tree, team, options);
  if (const Status status = stream.run(visit, after, monitor); !status) return status.error();
  result.interrupted = stream.stopped();
  for (const auto& lane : lanes) {
    for (Event event = 0; event < lane->fired.size(); ++event) {
      if (lane->fired[event] > 0) result.fired[event] += lane->fired[event];
    }
    for (const auto& [event, count] : lane->rare) result.fired[event] += count;
  }
  return result;
}

}  // namespace comback

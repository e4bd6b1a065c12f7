#include "models/dve/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace comback::dve {
namespace {

using TransitionId = std::pair<std::uint32_t, std::uint32_t>;  // process, number

// Nothing where there are too many.
std::optional<std::vector<StaticEvent>> static_events(const Program& program) {
  const auto rendezvous = [&](const Transition& t) {
    return t.sync != SyncKind::kNone && program.channels[t.channel].capacity == 0;
  };
  std::vector<std::vector<TransitionId>> senders(program.channels.size());
  for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
    const auto& transitions = program.processes[p].transitions;
    for (std::uint32_t t = 0; t < transitions.size(); ++t) {
      if (rendezvous(transitions[t]) && transitions[t].sync == SyncKind::kSend) {
        senders[transitions[t].channel].emplace_back(p, t);
      }
    }
  }
  std::vector<StaticEvent> events;
  for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
    const auto& transitions = program.processes[p].transitions;
    for (std::uint32_t t = 0; t < transitions.size(); ++t) {
      if (!rendezvous(transitions[t])) {
        events.push_back({.process = p, .transition = t});
      } else if (transitions[t].sync == SyncKind::kReceive) {
        for (const auto& [sender, number] : senders[transitions[t].channel]) {
          if (sender == p) continue;
          events.push_back(
              {.process = p, .transition = t, .sender = sender, .sender_transition = number});
        }
      }
      if (events.size() > kMaxEvents) return std::nullopt;
    }
  }
  return events;
}

// The most events that can be enabled in one state. Each process is at one location; a rendezvous
// is counted at its receiver, and of the receiver's partners each is at one location too.
std::size_t bound_asynchronous(const Program& program) {
  // Process, location, partner or kGlobal, its location (0 for kGlobal, so these add up).
  std::vector<std::array<std::uint32_t, 4>> keys;
  keys.reserve(program.events.size());
  for (const StaticEvent& event : program.events) {
    const Transition& t = program.processes[event.process].transitions[event.transition];
    std::uint32_t partner_location = 0;
    if (event.sender != kGlobal) {
      partner_location =
          program.processes[event.sender].transitions[event.sender_transition].source;
    }
    keys.push_back({event.process, t.source, event.sender, partner_location});
  }
  std::sort(keys.begin(), keys.end());

  std::size_t total = 0;
  std::size_t i = 0;
  while (i < keys.size()) {
    const std::uint32_t process = keys[i][0];
    std::size_t most_of_process = 0;
    while (i < keys.size() && keys[i][0] == process) {
      const std::uint32_t location = keys[i][1];
      std::size_t of_location = 0;
      while (i < keys.size() && keys[i][0] == process && keys[i][1] == location) {
        const std::uint32_t partner = keys[i][2];
        std::size_t most_of_partner = 0;
        while (i < keys.size() && keys[i][0] == process && keys[i][1] == location &&
               keys[i][2] == partner) {
          const auto key = keys[i];
          std::size_t same = 0;
          for (; i < keys.size() && keys[i] == key; ++i) ++same;
          most_of_partner = std::max(most_of_partner, same);
        }
        of_location += most_of_partner;
      }
      most_of_process = std::max(most_of_process, of_location);
    }
    total += most_of_process;
  }
  return total;
}

// Every process takes one transition: the product of the most that each has at one location.
std::size_t bound_synchronous(const Program& program) {
  std::size_t product = 1;
  for (const Process& process : program.processes) {
    std::vector<std::size_t> degree(process.locations.size());
    for (const Transition& t : process.transitions) ++degree[t.source];
    product *= *std::max_element(degree.begin(), degree.end());
    if (product > kMaxSuccessors) break;
  }
  return product;
}

}  // namespace

void number_events(Program& program, SourceRange system, Report& report) {
  if (program.synchronous) {
    program.max_successors = bound_synchronous(program);
  } else {
    std::optional<std::vector<StaticEvent>> events = static_events(program);
    if (!events) {
      report.error(system, fmt::format("the model has more than {} events, counting every pair of "
                                       "transitions that can meet on a channel",
                                       kMaxEvents));
      return;
    }
    program.events = std::move(*events);
    program.max_successors = bound_asynchronous(program);
  }
  if (program.max_successors > kMaxSuccessors) {
    report.error(
        system,
        fmt::format("one state of this model may have more than {} successors", kMaxSuccessors),
        program.synchronous
            ? "in 'system sync' every combination of the processes' transitions is a step"
            : "");
  }
}

}  // namespace comback::dve

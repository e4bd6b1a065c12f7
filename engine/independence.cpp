#include "engine/independence.h"

#include <algorithm>

namespace comback {
namespace {

bool overlap(const VariableUse& a, const VariableUse& b) {
  return a.variable == b.variable &&
         (a.element == b.element || a.element == kWholeArray || b.element == kWholeArray);
}

// The one or two transitions of an event, with their processes.
template <class Visit>
void for_each_side(const Model& model, const EventInfo& event, Visit&& visit) {
  const auto processes = model.processes();
  const auto side = [&](std::uint32_t process, std::uint32_t transition) {
    if (process == kGlobal || process >= processes.size()) return;
    visit(process, processes[process], processes[process].transitions[transition]);
  };
  side(event.process, event.transition);
  side(event.partner, event.partner_transition);
}

}  // namespace

Independence::Independence(const Model& model, MemoryBudget& budget) : charge_(budget) {
  const auto processes = model.processes();
  for (const VariableInfo& variable : model.variables()) {
    is_channel_.push_back(variable.kind == VariableInfo::Kind::kChannel);
    bool commits = false;
    if (variable.kind == VariableInfo::Kind::kLocation && variable.process < processes.size()) {
      const auto& locations = processes[variable.process].locations;
      commits = std::any_of(locations.begin(), locations.end(),
                            [](const LocationInfo& location) { return location.committed; });
    }
    may_commit_.push_back(commits);
  }
  uses_.reserve(model.events().size());
  for (const EventInfo& event : model.events()) uses_.push_back(uses_of(model, event));
  rows_.resize(uses_.size());
}

Independence::Uses Independence::uses_of(const Model& model, const EventInfo& event) const {
  Uses uses{.reads = event.reads, .writes = event.writes};
  const bool buffered =
      std::any_of(uses.writes.begin(), uses.writes.end(),
                  [&](const VariableUse& use) { return is_channel_[use.variable]; });
  uses.sends = buffered && event.partner == kGlobal && event.kind == EventKind::kSend;
  uses.receives = buffered && event.partner == kGlobal && event.kind == EventKind::kReceive;

  // What is read for no other reason than to know whether its process is committed.
  if (std::find(may_commit_.begin(), may_commit_.end(), true) == may_commit_.end()) return uses;
  std::vector<VariableUse> also_read;
  bool from_committed = false;
  bool to_committed = false;
  for_each_side(model, event,
                [&](std::uint32_t, const ProcessInfo& process, const TransitionInfo& t) {
                  also_read.insert(also_read.end(), t.reads.begin(), t.reads.end());
                  from_committed = from_committed || process.locations[t.source].committed;
                  to_committed = to_committed || process.locations[t.target].committed;
                });
  uses.commits = to_committed && !from_committed;
  std::erase_if(uses.reads, [&](const VariableUse& use) {
    const std::uint32_t owner = model.variables()[use.variable].process;
    return may_commit_[use.variable] && owner != event.process && owner != event.partner &&
           std::find(also_read.begin(), also_read.end(), use) == also_read.end();
  });
  return uses;
}

// Whether `writer` writes one of `uses` of `other` in a way that matters.
bool Independence::meet(const Uses& writer, const Uses& other,
                        const std::vector<VariableUse>& uses) const {
  const bool opposite = (writer.sends && other.receives) || (writer.receives && other.sends);
  return std::any_of(writer.writes.begin(), writer.writes.end(), [&](const VariableUse& write) {
    if (opposite && is_channel_[write.variable]) return false;
    return std::any_of(uses.begin(), uses.end(),
                       [&](const VariableUse& use) { return overlap(write, use); });
  });
}

bool Independence::compute(Event a, Event b) const {
  const Uses& left = uses_[a];
  const Uses& right = uses_[b];
  return a != b && !left.commits && !right.commits && !meet(left, right, right.reads) &&
         !meet(left, right, right.writes) && !meet(right, left, left.reads);
}

bool Independence::compute_row(Event a) {
  const std::size_t words = (uses_.size() + 63) / 64;
  if (!charge_.raise_to(charged_ + words * sizeof(std::uint64_t))) return false;
  charged_ += words * sizeof(std::uint64_t);
  std::vector<std::uint64_t> row(words);
  for (Event b = 0; b < uses_.size(); ++b) {
    if (compute(a, b)) row[b / 64] |= std::uint64_t{1} << (b % 64);
  }
  rows_[a] = std::move(row);
  return true;
}

}  // namespace comback

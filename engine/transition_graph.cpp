#include "engine/transition_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "engine/search_control.h"
#include "storage/bytes.h"
#include "storage/hash.h"

namespace comback {
namespace {

// Records are a word, most significant byte first so that memcmp orders them, and an event.
constexpr std::size_t kPayload = 12;
// Of the word in a record by hash: it is a transition's source; else it is the state itself.
constexpr std::uint64_t kIsSource = std::uint64_t{1} << 63;

void store_record(std::byte* to, std::uint64_t word, Event event) {
  const std::uint64_t big_word = __builtin_bswap64(word);
  const std::uint32_t big_event = __builtin_bswap32(event);
  std::memcpy(to, &big_word, 8);
  std::memcpy(to + 8, &big_event, 4);
}
std::uint64_t word_of(const std::byte* record) { return __builtin_bswap64(load_word(record)); }
Event event_of(const std::byte* record) {
  std::uint32_t big = 0;
  std::memcpy(&big, record + 8, 4);
  return __builtin_bswap32(big);
}

// By source a record begins with the event, so that the transitions of a state are in its order.
void store_target(std::byte* to, Event event, StateId target) {
  const std::uint32_t big_event = __builtin_bswap32(event);
  const std::uint64_t big_target = __builtin_bswap64(target);
  std::memcpy(to, &big_event, 4);
  std::memcpy(to + 4, &big_target, 8);
}
GraphTransition transition_of(std::uint64_t key, const std::byte* record) {
  std::uint32_t big_event = 0;
  std::memcpy(&big_event, record, 4);
  return {key, __builtin_bswap32(big_event), __builtin_bswap64(load_word(record + 4))};
}

RecordSorter::Options sorter_options(const TransitionGraph::Options& options, unsigned threads,
                                     unsigned share_percent, const char* name) {
  RecordSorter::Options result;
  result.payload_bytes = kPayload;
  result.share_bytes = options.memory_bytes / 100 * share_percent;
  result.lanes = threads;
  result.readers = threads;
  result.dir = options.temporary_dir / "sort";
  result.name = name;
  result.io = options.io;
  return result;
}

// While states are streamed, they meet one sort; then that meets the other.
constexpr unsigned kStreamPercent = 45;
constexpr unsigned kSortPercent = 45;

}  // namespace

TransitionGraph::TransitionGraph(const Model& model, const StoredTree& tree, ThreadTeam& team,
                                 const Options& options)
    : model_(&model),
      tree_(&tree),
      team_(&team),
      options_(options),
      width_(model.width()),
      expanded_(std::min(options.expanded.value_or(tree.states()), tree.states())),
      by_hash_(sorter_options(options, team.size(), kSortPercent, "by-hash"), budget_),
      by_source_(sorter_options(options, team.size(), kSortPercent, "by-source"), budget_) {
  for (unsigned t = 0; t < team.size(); ++t) lanes_.push_back(std::make_unique<Lane>(model));
}

TransitionGraph::~TransitionGraph() {
  by_hash_.clear();
  by_source_.clear();
  std::error_code ignored;
  if (!options_.temporary_dir.empty()) {
    std::filesystem::remove_all(options_.temporary_dir, ignored);
  }
}

std::uint64_t TransitionGraph::hash_of(const std::byte* state) const {
  const std::uint64_t hash = hash_bytes(state, width_);
  return hash >> (64 - options_.hash_bits) << (64 - options_.hash_bits);
}

Status TransitionGraph::first_error() const {
  for (const auto& lane : lanes_) {
    if (!lane->status) return lane->status;
  }
  return Done{};
}

Error TransitionGraph::missing(StateId from, Event event) const {
  return {Errc::kCorruption,
          fmt::format("the successor of state {} by event {} is not among the run's states", from,
                      event)};
}

// --- the pass over the states ---

Status TransitionGraph::build(Monitor& monitor) {
  StateStream stream(*model_, *tree_, *team_,
                     {.memory_bytes = options_.memory_bytes / 100 * kStreamPercent,
                      .io = options_.io,
                      .temporary_dir = options_.temporary_dir / "levels",
                      .phase = "expanding"});
  const Status streamed = stream.run(
      [&](unsigned thread, std::size_t, const StateRows& rows) {
        Lane& lane = *lanes_[thread];
        if (lane.status) expand(lane, thread, rows);
      },
      [&](std::size_t) -> Result<bool> {
        if (const Status status = first_error(); !status) return status.error();
        return true;
      },
      monitor);
  if (!streamed) return streamed;
  if (stream.stopped()) {
    stopped_ = true;
    return Done{};
  }
  return join(monitor);
}

void TransitionGraph::expand(Lane& lane, unsigned thread, const StateRows& rows) {
  lane.keys.clear();
  lane.payloads.clear();
  const auto add = [&](const std::byte* state, std::uint64_t word, Event event) {
    lane.keys.push_back(hash_of(state));
    lane.payloads.resize(lane.payloads.size() + kPayload);
    store_record(lane.payloads.data() + lane.payloads.size() - kPayload, word, event);
  };
  for (std::size_t i = 0; i < rows.count; ++i) {
    const StateId id = rows.first_id + i;
    add(rows.row(i), id, 0);
    if (id >= expanded_) continue;
    model_->successors(rows.row(i), lane.successors);
    for (std::uint32_t s = 0; s < lane.successors.size(); ++s) {
      add(lane.successors.descriptor(s), id | kIsSource, lane.successors.event(s));
    }
  }
  lane.status = by_hash_.add(thread, lane.keys, lane.payloads.data());
}

// --- states meet successors ---

Status TransitionGraph::join(Monitor& monitor) {
  if (Status status = by_hash_.finish(); !status) return status;
  spilled_bytes_ = by_hash_.spilled_bytes();
  by_source_.expect_keys(0, tree_->states());
  Groups groups;
  const SearchOptions no_limits;
  SearchControl control(no_limits, monitor);
  // A few slices at a time, so that there is somebody to report progress in between.
  const std::size_t slices = by_hash_.slice_count();
  for (std::size_t first = 0; first < slices;) {
    const std::size_t count = std::min<std::size_t>(slices - first, 4 * team_->size());
    team_->for_each(count, [&](unsigned thread, std::size_t i) {
      Lane& lane = *lanes_[thread];
      if (lane.status) lane.status = join_slice(lane, thread, first + i, groups);
    });
    if (Status status = first_error(); !status) return status;
    first += count;
    const std::uint64_t states = tree_->states() / slices * first;
    if (control.poll(first, {.phase = "joining",
                             .states = states,
                             .transitions = by_source_.size(),
                             .queued = tree_->states() - states,
                             .level = tree_->depth(),
                             .memory_bytes = budget_.used(),
                             .seconds = 0}) != StopReason::kNone) {
      stopped_ = true;
      return Done{};
    }
  }
  by_hash_.clear();
  by_hash_.release_memory();
  if (Status status = resolve(groups, monitor); !status || stopped_) return status;
  for (const auto& lane : lanes_) lane->slice.release_memory();
  return by_source_.finish();
}

// Records with one hash are neighbours, and states come before transitions.
Status TransitionGraph::join_slice(Lane& lane, unsigned thread, std::size_t slice, Groups& groups) {
  if (Status status = by_hash_.read_slice(slice, lane.slice); !status) return status;
  const std::span<const std::uint64_t> hashes = lane.slice.keys();
  const std::byte* const records = lane.slice.payloads();
  const auto record = [&](std::size_t i) { return records + i * kPayload; };
  lane.keys.clear();
  lane.payloads.clear();
  for (std::size_t begin = 0, end = 0; begin < hashes.size(); begin = end) {
    std::size_t states_end = begin;
    while (end < hashes.size() && hashes[end] == hashes[begin]) {
      if ((word_of(record(end)) & kIsSource) == 0) states_end = end + 1;
      ++end;
    }
    if (states_end == end) continue;  // nobody's successors
    if (states_end == begin) {
      return missing(word_of(record(begin)) & ~kIsSource, event_of(record(begin)));
    }
    if (states_end - begin == 1) {
      const StateId target = word_of(record(begin));
      for (std::size_t i = states_end; i < end; ++i) {
        lane.keys.push_back(word_of(record(i)) & ~kIsSource);
        lane.payloads.resize(lane.payloads.size() + kPayload);
        store_target(lane.payloads.data() + lane.payloads.size() - kPayload, event_of(record(i)),
                     target);
      }
      continue;
    }
    const std::lock_guard lock(groups.mutex);
    std::vector<StateId>& states = groups.states.emplace_back();
    for (std::size_t i = begin; i < states_end; ++i) states.push_back(word_of(record(i)));
    for (std::size_t i = states_end; i < end; ++i) {
      groups.transitions.push_back(
          {groups.states.size() - 1, word_of(record(i)) & ~kIsSource, event_of(record(i))});
    }
  }
  return by_source_.add(thread, lane.keys, lane.payloads.data());
}

// Makes the states of all groups once more, and the successors that lead to one of them.
Status TransitionGraph::resolve(Groups& groups, Monitor& monitor) {
  ambiguous_ = groups.transitions.size();
  if (groups.transitions.empty()) return Done{};
  std::uint64_t descriptors = groups.transitions.size();
  for (const auto& states : groups.states) descriptors += states.size();
  if (descriptors * (width_ + 64) > options_.memory_bytes) {
    return Error{Errc::kOutOfMemory,
                 "the states that share a hash do not fit; a larger --memory helps"};
  }
  std::unordered_map<StateId, std::vector<std::byte>> states;
  for (const auto& group : groups.states) {
    for (const StateId id : group) states[id];
  }
  std::unordered_map<StateId, std::vector<std::size_t>> sources;  // transitions by their source
  for (std::size_t t = 0; t < groups.transitions.size(); ++t) {
    sources[groups.transitions[t].from].push_back(t);
  }
  std::vector<std::vector<std::byte>> successors(groups.transitions.size());
  StateStream stream(*model_, *tree_, *team_,
                     {.memory_bytes = options_.memory_bytes / 100 * kStreamPercent,
                      .io = options_.io,
                      .temporary_dir = options_.temporary_dir / "levels",
                      .phase = "comparing"});
  // Each state and each source is one thread's, and neither map changes any more.
  const auto visit = [&](unsigned, std::size_t, const StateRows& rows) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::byte* const row = rows.row(i);
      if (const auto found = states.find(rows.first_id + i); found != states.end()) {
        found->second.assign(row, row + width_);
      }
      const auto source = sources.find(rows.first_id + i);
      if (source == sources.end()) continue;
      for (const std::size_t t : source->second) {
        std::vector<std::byte> successor(row, row + width_);
        successor.resize(width_ + kDescriptorSlack);
        model_->execute(successor.data(), groups.transitions[t].event);
        successor.resize(width_);
        successors[t] = std::move(successor);
      }
    }
  };
  const Status streamed = stream.run(
      visit, [](std::size_t) -> Result<bool> { return true; }, monitor);
  if (!streamed) return streamed;
  if (stream.stopped()) {
    stopped_ = true;
    return Done{};
  }
  for (std::size_t t = 0; t < groups.transitions.size(); ++t) {
    const Ambiguous& transition = groups.transitions[t];
    const std::vector<StateId>& group = groups.states[transition.group];
    const auto target = std::find_if(group.begin(), group.end(),
                                     [&](StateId id) { return states.at(id) == successors[t]; });
    if (target == group.end()) return missing(transition.from, transition.event);
    std::byte payload[kPayload];
    store_target(payload, transition.event, *target);
    const std::uint64_t key = transition.from;
    if (Status status = by_source_.add(0, {&key, 1}, payload); !status) return status;
  }
  return Done{};
}

// --- what came out ---

Status TransitionGraph::visit(const Visit& visit) const {
  constexpr std::size_t kGroup = 4096;
  SliceBuffer slice;
  std::vector<GraphTransition> group;
  for (std::size_t s = 0; s < by_source_.slice_count(); ++s) {
    if (Status status = by_source_.read_slice(s, slice); !status) return status;
    for (std::size_t from = 0; from < slice.size(); from += kGroup) {
      const std::size_t to = std::min(slice.size(), from + kGroup);
      group.clear();
      for (std::size_t i = from; i < to; ++i) {
        group.push_back(transition_of(slice.keys()[i], slice.payloads() + i * kPayload));
      }
      const Result<bool> go_on = visit(group);
      if (!go_on) return go_on.error();
      if (!*go_on) return Done{};
    }
  }
  return Done{};
}

}  // namespace comback

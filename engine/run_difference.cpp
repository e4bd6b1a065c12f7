#include "engine/run_difference.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/hash.h"

namespace comback {
namespace {

const Error kInterrupted{Errc::kInvalidArgument, "interrupted"};

// A sum over the hashes of a set of states, whatever their order.
struct SetHash {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  void add(std::uint64_t hash) {
    sum += (hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15ull;
    ++count;
  }
  friend bool operator==(const SetHash&, const SetHash&) = default;
};

// Calls visit for the rows of a range of levels.
template <class Visit, class After>
Status pass(const ComparedRun& run, ThreadTeam& team, const StateStream::Options& options,
            Monitor& monitor, Visit&& visit, After&& after) {
  StateStream stream(*run.model, *run.tree, team, options);
  Status status = stream.run(visit, after, monitor);
  if (status && stream.stopped()) return kInterrupted;
  return status;
}

Result<std::vector<SetHash>> level_hashes(const ComparedRun& run, ThreadTeam& team,
                                          const StateStream::Options& options, Monitor& monitor) {
  std::vector<SetHash> levels(run.tree->depth());
  std::array<SetHash, StateStream::kMaxBatchTasks> tasks;
  std::uint32_t level = 0;
  const Status status = pass(
      run, team, options, monitor,
      [&](unsigned, std::size_t task, const StateRows& rows) {
        SetHash hash;
        for (std::size_t i = 0; i < rows.count; ++i) hash.add(hash_bytes(rows.row(i), rows.width));
        tasks[task] = hash;
        if (task == 0) level = rows.level;
      },
      [&](std::size_t count) -> Result<bool> {
        for (std::size_t task = 0; task < count; ++task) {
          levels[level].sum += tasks[task].sum;
          levels[level].count += tasks[task].count;
        }
        return true;
      });
  if (!status) return status.error();
  return levels;
}

// The hashes of the states of one level, sorted.
Result<std::vector<std::uint64_t>> hashes_of(const ComparedRun& run, std::uint32_t level,
                                             ThreadTeam& team, StateStream::Options options,
                                             Monitor& monitor) {
  std::vector<std::uint64_t> hashes;
  if (level >= run.tree->depth()) return hashes;
  if (run.tree->size(level) * sizeof(std::uint64_t) > options.memory_bytes) {
    return Error{Errc::kOutOfMemory,
                 "the hashes of level " + std::to_string(level) +
                     ", where the runs differ, do not fit; a larger --memory helps"};
  }
  hashes.resize(run.tree->size(level));
  options.from_level = level;
  options.end_level = level + 1;
  const StateId first = run.tree->first(level);
  const Status status = pass(
      run, team, options, monitor,
      [&](unsigned, std::size_t, const StateRows& rows) {
        for (std::size_t i = 0; i < rows.count; ++i) {
          hashes[rows.first_id - first + i] = hash_bytes(rows.row(i), rows.width);
        }
      },
      [](std::size_t) -> Result<bool> { return true; });
  if (!status) return status.error();
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

// States of `run` on `level` whose hash is not among `hashes`: at most so many, by id.
constexpr std::size_t kMostCandidates = 4096;

Result<std::vector<StateOfOne>> states_without(const ComparedRun& run, unsigned number,
                                               std::uint32_t level,
                                               const std::vector<std::uint64_t>& hashes,
                                               ThreadTeam& team, StateStream::Options options,
                                               Monitor& monitor) {
  std::vector<StateOfOne> found;
  if (level >= run.tree->depth()) return found;
  options.from_level = level;
  options.end_level = level + 1;
  std::array<std::vector<StateOfOne>, StateStream::kMaxBatchTasks> tasks;
  const Status status = pass(
      run, team, options, monitor,
      [&](unsigned, std::size_t task, const StateRows& rows) {
        for (std::size_t i = 0; i < rows.count && tasks[task].size() < kMostCandidates; ++i) {
          const std::byte* const row = rows.row(i);
          if (std::binary_search(hashes.begin(), hashes.end(), hash_bytes(row, rows.width))) {
            continue;
          }
          tasks[task].push_back({number, rows.first_id + i, level,
                                 std::vector<std::byte>(row, row + rows.width), std::nullopt});
        }
      },
      [&](std::size_t count) -> Result<bool> {
        for (std::size_t task = 0; task < count; ++task) {
          std::move(tasks[task].begin(), tasks[task].end(), std::back_inserter(found));
          tasks[task].clear();
        }
        return found.size() < kMostCandidates;
      });
  if (!status) return status.error();
  return found;
}

std::string_view as_key(const std::byte* state, std::size_t width) {
  return {reinterpret_cast<const char*>(state), width};
}

// The first of `candidates` that `other` has nowhere; else the first, with where it is there.
Result<std::optional<StateOfOne>> choose(std::vector<StateOfOne> candidates,
                                         const ComparedRun& other, ThreadTeam& team,
                                         const StateStream::Options& options, Monitor& monitor) {
  if (candidates.empty()) return std::optional<StateOfOne>();
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    places.emplace(as_key(candidates[i].state.data(), candidates[i].state.size()), i);
  }
  std::array<std::vector<std::pair<std::size_t, StateId>>, StateStream::kMaxBatchTasks> tasks;
  const Status status = pass(
      other, team, options, monitor,
      [&](unsigned, std::size_t task, const StateRows& rows) {
        for (std::size_t i = 0; i < rows.count; ++i) {
          const auto place = places.find(as_key(rows.row(i), rows.width));
          if (place != places.end()) tasks[task].emplace_back(place->second, rows.first_id + i);
        }
      },
      [&](std::size_t count) -> Result<bool> {
        for (std::size_t task = 0; task < count; ++task) {
          for (const auto& [place, id] : tasks[task]) candidates[place].elsewhere = id;
          tasks[task].clear();
        }
        return true;
      });
  if (!status) return status.error();
  const auto only = std::find_if(candidates.begin(), candidates.end(),
                                 [](const StateOfOne& state) { return !state.elsewhere; });
  return std::optional<StateOfOne>(only != candidates.end() ? *only : candidates.front());
}

}  // namespace

Result<RunDifference> find_difference(const ComparedRun& a, const ComparedRun& b, ThreadTeam& team,
                                      const StateStream::Options& options, Monitor& monitor) {
  const std::array<ComparedRun, 2> runs{a, b};
  std::array<std::vector<SetHash>, 2> hashes;
  for (unsigned r = 0; r < 2; ++r) {
    auto levels = level_hashes(runs[r], team, options, monitor);
    if (!levels) return levels.error();
    hashes[r] = std::move(*levels);
  }
  RunDifference difference;
  const auto [at, other] =
      std::mismatch(hashes[0].begin(), hashes[0].end(), hashes[1].begin(), hashes[1].end());
  if (at == hashes[0].end() && other == hashes[1].end()) return difference;
  const auto level = static_cast<std::uint32_t>(at - hashes[0].begin());
  difference.level = level;
  for (unsigned r = 0; r < 2; ++r) {
    const ComparedRun& mine = runs[r];
    const ComparedRun& others = runs[1 - r];
    auto theirs = hashes_of(others, level, team, options, monitor);
    if (!theirs) return theirs.error();
    auto candidates = states_without(mine, r, level, *theirs, team, options, monitor);
    if (!candidates) return candidates.error();
    auto example = choose(std::move(*candidates), others, team, options, monitor);
    if (!example) return example.error();
    if (*example) difference.examples.push_back(std::move(**example));
  }
  return difference;
}

}  // namespace comback

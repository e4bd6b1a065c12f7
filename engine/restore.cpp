#include "engine/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "engine/entries_by_hash.h"
#include "engine/state_stream.h"
#include "engine/stored_trace.h"
#include "engine/tree_digest.h"
#include "storage/commit.h"

namespace comback {
namespace {

constexpr std::uint64_t kGroup = 1 << 15;

Error wrong_backedge(StateId id) {
  return {Errc::kCorruption,
          fmt::format("the backedge of state {} breaks the order of ids, or has an event that the "
                      "model does not have",
                      id)};
}

// Takes states in, level by level, in the order of ids.
class OntoDiskWriter {
 public:
  OntoDiskWriter(const OntoDisk& what, KeptLevels& kept, ThreadTeam& team, DiskPart& disk)
      : what_(&what), kept_(&kept), disk_(&disk), entries_(disk.levels().width(), team) {}

  // `rows`: of one level, side by side.
  Status append(const StateRows& rows) {
    while (disk_->levels().levels() < rows.level + 1) {
      if (Status status = next_level(); !status) return status;
    }
    if (Status status = disk_->writer().append(rows.rows, rows.count); !status) return status;
    if (!what_->into_table) return Done{};
    const auto entries = entries_.make(rows.first_id, rows.first_id + rows.count,
                                       [&](StateId id) { return rows.row(id - rows.first_id); });
    return disk_->insert(entries);
  }

  Status finish() {
    return disk_->levels().levels() == what_->ended && in_level_ ? end_level() : Status(Done{});
  }

 private:
  Status next_level() {
    if (in_level_) {
      if (Status status = end_level(); !status) return status;
    }
    in_level_ = true;
    return disk_->levels().begin_level(kept_->keeps(disk_->levels().levels()));
  }
  // The level above the one that ended was expanded.
  Status end_level() {
    in_level_ = false;
    if (Status status = disk_->writer().end_level(); !status) return status;
    return kept_->drop(disk_->levels(), disk_->levels().levels() - 1,
                       disk_->plan().level_cache_bytes);
  }

  const OntoDisk* what_;
  KeptLevels* kept_;
  DiskPart* disk_;
  EntriesByHash entries_;
  bool in_level_ = false;
};

}  // namespace

Status check_digest(const StoredRun& run) {
  TreeDigest digest;
  Status read = run.tree().backedges->for_each(
      0, run.tree().states(),
      [&](std::uint64_t, const Backedge& edge) { digest.add(edge.predecessor, edge.event); });
  if (!read) return read;
  if (digest.value() == run.record().summary.tree_digest) return Done{};
  return Error{Errc::kCorruption, "the digest of the run's backedges is not the one in its record"};
}

Status restore_traces(const Model& model, const StoredTree& tree,
                      std::vector<Violation>& violations) {
  for (Violation& violation : violations) {
    auto trace = stored_trace(model, tree, violation.state);
    if (!trace) return trace.error();
    violation.trace = std::move(*trace);
  }
  return Done{};
}

Result<bool> replay_into_memory(const Model& model, const StoredTree& tree, Numbering& numbering,
                                StateArchive& archive, SearchControl& control) {
  const std::size_t events =
      model.events().empty() ? std::numeric_limits<std::size_t>::max() : model.events().size();
  DiskBackedges::Reader reader(*tree.backedges);
  std::vector<Backedge> edges;
  for (std::uint32_t level = 1; level < tree.depth(); ++level) {
    archive.begin_level(tree.first(level));
    for (StateId first = tree.first(level); first < tree.end(level); first += kGroup) {
      const StateId end = std::min<StateId>(first + kGroup, tree.end(level));
      edges.clear();
      for (StateId id = first; id < end; ++id) {
        const Result<Backedge> edge = reader.find(id);
        if (!edge) return edge.error();
        if (edge->predecessor < tree.first(level - 1) || edge->predecessor >= tree.first(level) ||
            edge->event >= events) {
          return wrong_backedge(id);
        }
        edges.push_back(*edge);
      }
      const Result<bool> restored = numbering.restore(model, edges);
      if (!restored || !*restored) return restored;
      if (control.due(end)) {
        control.poll(end, {.phase = "restoring",
                           .states = end,
                           .transitions = 0,
                           .queued = tree.states() - end,
                           .level = level,
                           .memory_bytes = archive.log().bytes(),
                           .seconds = 0});
      }
    }
  }
  return true;
}

Result<bool> replay_onto_disk(const Model& model, const StoredTree& tree, const OntoDisk& what,
                              KeptLevels& kept, ThreadTeam& team, DiskPart& disk, IoKind io,
                              Monitor& monitor) {
  StateStream::Options options;
  options.memory_bytes = disk.plan().candidate_bytes + disk.plan().detection_bytes;
  options.io = io;
  options.temporary_dir = what.temporary_dir;
  options.from_level = what.from_level;
  options.phase = "restoring";
  StateStream stream(model, tree, team, options);
  OntoDiskWriter writer(what, kept, team, disk);
  std::vector<StateRows> tasks(StateStream::kMaxBatchTasks);
  Status status =
      stream.run([&](unsigned, std::size_t task, const StateRows& rows) { tasks[task] = rows; },
                 [&](std::size_t count) -> Result<bool> {
                   for (std::size_t first = 0; first < count;) {
                     StateRows rows = tasks[first];
                     for (++first; first < count && tasks[first].level == rows.level &&
                                   tasks[first].rows == rows.row(rows.count);
                          ++first) {
                       rows.count += tasks[first].count;
                     }
                     if (Status appended = writer.append(rows); !appended) return appended.error();
                   }
                   return true;
                 },
                 monitor);
  if (!status) return status.error();
  if (stream.stopped()) return false;
  if (Status finished = writer.finish(); !finished) return finished.error();
  return true;
}

Status checkpoint_memory(const std::filesystem::path& run_dir, const StateArchive& archive,
                         const RunRecord& record, ThreadTeam& team) {
  MemoryBudget budget;  // what the search keeps free for its move to disk
  auto database = RunDatabase::open(run_dir / "db", {}, budget);
  if (!database) return database.error();
  auto table = DiskBackedges::open(**database, {}, budget);
  if (!table) return table.error();
  StateArchive::BackedgeReader reader(archive);
  std::vector<Backedge> edges;
  const StateId end = archive.size();
  for (StateId id = (*table)->size(); id < end;) {
    edges.clear();
    for (; id < end && edges.size() < 16 * kMaxBackedges; ++id) {
      const Result<Backedge> edge = reader.find(id);
      if (!edge) return edge.error();
      edges.push_back(*edge);
    }
    if (Status status = (*table)->append(edges, team.for_tables()); !status) return status;
  }
  Commit commit(**database);
  if (Status status = (*table)->stage(commit); !status) return status;
  commit.put_meta(RunRecord::kKey, record.encode());
  return commit.finish();
}

}  // namespace comback

#include "engine/disk_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/level_reader.h"
#include "engine/recent_states.h"

namespace comback {

MemoryPlan::MemoryPlan(std::uint64_t budget_bytes) {
  const auto percent = [&](std::uint64_t share) { return budget_bytes * share / 100; };
  window_bytes = percent(18);
  recent_bytes = percent(8);
  candidate_bytes = percent(12);
  detection_bytes = percent(20);
  filter_bytes = percent(12);
  delta_bytes = percent(8);
  level_cache_bytes = percent(12);
  block_cache_bytes = std::max(percent(6), RunDatabase::kLeastBlockCacheBytes);
}

DiskPart::DiskPart(const SearchOptions& options, ThreadTeam& team)
    : plan_(options.memory_bytes), dir_(options.levels.run_dir), team_(&team) {}

Result<std::unique_ptr<DiskPart>> DiskPart::open(const Model& model, const SearchOptions& options,
                                                 StateArchive& archive, ThreadTeam& team,
                                                 MemoryBudget& budget, const RunRecord* from) {
  std::unique_ptr<DiskPart> part(new DiskPart(options, team));
  RunDatabase::Options database_options;
  database_options.block_cache_bytes = part->plan_.block_cache_bytes;
  database_options.durable = options.levels.write_run;
  auto database = RunDatabase::open(part->dir_ / "db", database_options, budget);
  if (!database) return database.error();
  part->database_ = std::move(*database);

  DiskStateTable::Options table_options;
  table_options.hash_bits = options.levels.hash_bits;
  table_options.empty = from == nullptr;
  auto table = DiskStateTable::open(*part->database_, table_options, budget);
  if (!table) return table.error();
  part->table_ = std::move(*table);
  auto backedges = DiskBackedges::open(*part->database_, {}, budget);
  if (!backedges) return backedges.error();
  part->backedges_ = std::move(*backedges);

  if (from != nullptr && (part->table_->size() != from->summary.states ||
                          part->backedges_->size() != from->summary.states)) {
    return Error{Errc::kCorruption,
                 fmt::format("the run has {} states; its state table has {} and its backedge "
                             "table {}",
                             from->summary.states, part->table_->size(), part->backedges_->size())};
  }
  if (Status status = part->open_levels(model, budget, from); !status) return status.error();
  if (Status status = archive.attach(*part->levels_, *part->backedges_, team.for_tables());
      !status) {
    return status.error();
  }
  part->writer_.emplace(*part->levels_, team);
  auto frontier = Frontier::open(archive, team, options.levels.io);
  if (!frontier) return frontier.error();
  part->frontier_.emplace(std::move(*frontier));

  DuplicateDetection::Options detection_options;
  detection_options.memory_bytes = part->plan_.detection_bytes;
  detection_options.dir = part->dir_ / "spill";
  detection_options.io = options.levels.io;
  auto detection =
      DuplicateDetection::open(model, archive, *part->table_, team, budget, detection_options);
  if (!detection) return detection.error();
  part->detection_ = std::move(*detection);
  return part;
}

Status DiskPart::open_levels(const Model& model, MemoryBudget& budget, const RunRecord* from) {
  const std::filesystem::path dir = dir_ / "levels";
  LevelStore::Options level_options;
  level_options.budget = &budget;
  if (from == nullptr) {
    std::error_code error;  // of a move to disk that was not finished
    std::filesystem::remove_all(dir, error);
    if (error) return Error{Errc::kIo, "cannot remove " + dir.string() + ": " + error.message()};
  }
  auto levels = from == nullptr ? LevelStore::create(dir, model.width(), level_options)
                                : LevelStore::open(dir, model.width(), level_options, from->levels);
  if (!levels) return levels.error();
  levels_ = std::make_unique<LevelStore>(std::move(*levels));
  return Done{};
}

Status DiskPart::insert(std::span<const StateEntry> entries) {
  if (table_->delta().bytes() + backedges_->uncommitted_bytes() > plan_.delta_bytes ||
      !table_->insert(entries, team_->for_tables())) {
    if (Status status = commit(); !status) return status;
    if (!table_->insert(entries, team_->for_tables())) {
      return Error{Errc::kOutOfMemory, "the memory budget is too small for the state table"};
    }
  }
  return Done{};
}

Status DiskPart::freeze_levels() {
  auto contents = levels_->checkpoint();
  if (!contents) return contents.error();
  frozen_ = std::move(*contents);
  return Done{};
}

Status DiskPart::commit(bool in_level) {
  Commit commit(*database_);
  if (Status status = table_->stage(commit, team_->for_tables()); !status) return status;
  if (Status status = backedges_->stage(commit); !status) return status;
  bool levels_committed = false;
  if (recorder_) {
    RunRecord record = recorder_();
    if (record.on_disk) {
      auto contents = frozen_ ? Result<LevelStore::Contents>(*frozen_) : levels_->checkpoint();
      if (!contents) return contents.error();
      record.levels = std::move(*contents);
      levels_committed = true;
    }
    commit.put_meta(RunRecord::kKey, record.encode());
  }
  if (Status status = commit.finish(); !status) return status;
  if (levels_committed) {
    if (Status status = levels_->remove_dropped(); !status) return status;
  }
  overhead_bytes_ = measure_overhead();
  if (!in_level && table_->committed() >= 2 * filter_made_for_) {
    return make_filter();
  }
  return Done{};
}

// What nobody asks the budget for: RocksDB's open tables, memtables and one compaction, the index
// of the level store, and for each thread its codecs and the blocks that it reads, encodes and
// decodes.
std::uint64_t DiskPart::measure_overhead() const {
  constexpr std::uint64_t kCompaction = std::uint64_t{3} << 20;
  constexpr std::uint64_t kCodecs = std::uint64_t{1} << 20;  // zstd takes 0.6 MB to compress with
  const RunDatabase::Statistics database = database_->statistics();
  return database.table_reader_bytes + database.memtable_bytes + kCompaction +
         levels_->index_bytes() + team_->size() * kCodecs +
         LevelReader::memory_bytes(levels_->width(), team_->size());
}

// In a model with thin levels the candidates and the sorts leave most of their shares. What they do
// not get back in time, when levels grow, they spill earlier for.
void DiskPart::share_out(const DescriptorLog& log, MemoryBudget& budget) {
  const auto without = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  // Counted where that leaves the others room: what is needed is needed.
  if (!overhead_) overhead_.emplace(budget);
  if (budget.left() > overhead_bytes_ + budget.limit() / 8) {
    [[maybe_unused]] const bool counted = overhead_->raise_to(overhead_bytes_);
  }
  const std::uint64_t others = without(budget.take_peak(), log.bytes());
  const std::uint64_t growth =
      without(plan_.detection_bytes, detection_->memory_bytes()) / 2 +
      without(plan_.delta_bytes, table_->delta().bytes() + backedges_->uncommitted_bytes()) +
      budget.limit() / 16;
  const std::uint64_t most = RecentStates::states_in(plan_.recent_bytes) * log.width();
  window_bytes_ =
      std::max(plan_.window_bytes, std::min(most, without(budget.limit(), others + growth)));
}

void DiskPart::make_room_to_sort(const MemoryBudget& budget) {
  const std::uint64_t held = detection_->memory_bytes();
  const std::uint64_t needed = plan_.detection_bytes > held ? plan_.detection_bytes - held : 0;
  if (budget.left() >= needed) return;
  const std::uint64_t missing = needed - budget.left();
  window_bytes_ = std::max(plan_.window_bytes, window_bytes_ - std::min(window_bytes_, missing));
}

bool DiskPart::give_way() {
  constexpr std::uint64_t kLeastWindow = std::uint64_t{64} << 10;
  if (overhead_) {
    overhead_.reset();
    return true;
  }
  if (window_bytes_ <= kLeastWindow) return false;
  window_bytes_ /= 2;
  return true;
}

}  // namespace comback

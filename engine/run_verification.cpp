#include "engine/run_verification.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/stored_run.h"
#include "storage/disk_backedges.h"
#include "storage/disk_state_table.h"
#include "storage/level_store.h"
#include "storage/run_database.h"

namespace comback {
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t{8} << 20;
constexpr int kTries = 20;  // where another process changes the files
constexpr std::chrono::milliseconds kPause{50};

// The parts of a run, each as far as it can be opened.
struct Parts {
  std::unique_ptr<RunDatabase> database;
  std::optional<RunRecord> record;
  std::unique_ptr<DiskBackedges> backedges;
  std::unique_ptr<DiskStateTable> table;
  std::unique_ptr<LevelStore> levels;
  std::vector<Verification::Problem> problems;

  void problem(RunPart part, const Error& error) { problems.push_back({part, error.what}); }
};

Result<Parts> open_parts(const std::filesystem::path& run_dir, std::size_t width,
                         MemoryBudget& budget) {
  Parts parts;
  RunDatabase::Options database_options;
  database_options.block_cache_bytes = kCacheBytes;
  database_options.read_only = true;
  auto database = RunDatabase::open(run_dir / "db", database_options, budget);
  if (!database) {
    if (database.error().code == Errc::kOutOfMemory) return database.error();
    parts.problem(RunPart::kDatabase, database.error());
    return parts;
  }
  parts.database = std::move(*database);
  auto record = read_record(*parts.database);
  if (!record) {
    if (record.error().code == Errc::kNotFound) return record.error();
    parts.problem(RunPart::kFiles, record.error());
    return parts;
  }
  parts.record = std::move(*record);
  auto backedges = DiskBackedges::open(*parts.database, {.cache_bytes = kCacheBytes}, budget);
  if (!backedges) {
    if (backedges.error().code == Errc::kOutOfMemory) return backedges.error();
    parts.problem(RunPart::kTree, backedges.error());
    return parts;
  }
  parts.backedges = std::move(*backedges);
  if (!parts.record->on_disk) return parts;

  auto table = DiskStateTable::open(*parts.database, {}, budget);
  if (table) {
    parts.table = std::move(*table);
  } else {
    parts.problem(RunPart::kStateTable, table.error());
  }
  LevelStore::Options level_options;
  level_options.read_only = true;
  auto levels = LevelStore::open(run_dir / "levels", width, level_options, parts.record->levels);
  if (levels) {
    parts.levels = std::make_unique<LevelStore>(std::move(*levels));
  } else {
    parts.problem(RunPart::kLevels, levels.error());
  }
  return parts;
}

}  // namespace

Result<RunVerification> verify_run(const std::filesystem::path& run_dir, const Model& model,
                                   const VerifyOptions& options, bool changing, ThreadTeam& team,
                                   MemoryBudget& budget, Monitor& monitor) {
  std::error_code ignored;
  if (!std::filesystem::exists(run_dir / "db", ignored)) {
    return Error{Errc::kNotFound, run_dir.string() + " has no checkpoint yet"};
  }
  auto parts = open_parts(run_dir, model.width(), budget);
  for (int i = 1; changing && i < kTries && (!parts || !parts->problems.empty()); ++i) {
    std::this_thread::sleep_for(kPause);
    parts = open_parts(run_dir, model.width(), budget);
  }
  if (!parts) return parts.error();

  RunVerification result;
  if (parts->backedges == nullptr) {
    // Without the tree there is nothing to hold against each other. Which files are damaged?
    const auto on_damage = [&](const Error& error) { parts->problem(RunPart::kDatabase, error); };
    const auto files = parts->database != nullptr
                           ? parts->database->verify_files(on_damage)
                           : RunDatabase::verify_files_in(run_dir / "db", on_damage);
    if (files) result.found.database_files = *files;
    result.found.problems = std::move(parts->problems);
    result.record = std::move(parts->record);
    return result;
  }

  StoredTree tree;
  tree.first_ids = parts->record->first_ids();
  tree.backedges = parts->backedges.get();
  tree.levels = parts->levels.get();
  VerifiedRun run{&model, &tree, parts->database.get(), parts->table.get()};
  run.tree_digest = parts->record->summary.tree_digest;
  run.expanded = parts->record->expanded;
  // A search that ended at a violation has stored states that it did not expand, and does not say
  // which: nothing is counted again there.
  if (parts->record->finished && !parts->record->summary.violations.empty()) run.expanded = 0;
  const bool all = run.expanded == tree.states();
  run.transitions = all ? parts->record->summary.transitions : parts->record->counts.transitions;
  run.deadlocks = all ? parts->record->summary.deadlocks : parts->record->counts.deadlocks;
  run.changing = changing;
  auto found = verify(run, options, team, monitor);
  if (!found) return found.error();
  result.found = std::move(*found);
  result.found.problems.insert(result.found.problems.begin(), parts->problems.begin(),
                               parts->problems.end());
  result.can_resume = result.found.problems.empty();
  result.record = std::move(parts->record);
  return result;
}

}  // namespace comback

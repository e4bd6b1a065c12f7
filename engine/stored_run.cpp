#include "engine/stored_run.h"

#include <chrono>
#include <system_error>
#include <thread>

namespace comback {
namespace {

constexpr int kTries = 20;
constexpr std::chrono::milliseconds kPause{50};

Error no_checkpoint(const std::filesystem::path& run_dir) {
  return {Errc::kNotFound, run_dir.string() + " has no checkpoint yet: nothing of it is stored"};
}

Result<std::unique_ptr<RunDatabase>> open_database(const std::filesystem::path& run_dir,
                                                   std::uint64_t cache_bytes,
                                                   MemoryBudget& budget) {
  const std::filesystem::path folder = run_dir / "db";
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "CURRENT", ignored)) return no_checkpoint(run_dir);
  RunDatabase::Options options;
  options.block_cache_bytes = cache_bytes;
  options.read_only = true;
  auto database = RunDatabase::open(folder, options, budget);
  if (!database && database.error().code == Errc::kNotFound) return no_checkpoint(run_dir);
  return database;
}

// Whoever writes the run may delete a file between the moment that its name was read and the one
// when it is opened.
template <class Try>
auto try_again(Try&& attempt) {
  auto result = attempt();
  for (int i = 1; i < kTries && !result; ++i) {
    const Errc code = result.error().code;
    if (code == Errc::kOutOfMemory || code == Errc::kUnsupported) break;
    if (code == Errc::kNotFound && i > 2) break;
    std::this_thread::sleep_for(kPause);
    result = attempt();
  }
  return result;
}

}  // namespace

Result<RunRecord> read_record(const RunDatabase& database) {
  auto text = database.meta(RunRecord::kKey);
  if (!text) return text.error();
  if (!*text) return Error{Errc::kNotFound, "the run has no checkpoint yet"};
  return RunRecord::decode(**text);
}

Result<RunRecord> read_record(const std::filesystem::path& run_dir) {
  return try_again([&]() -> Result<RunRecord> {
    MemoryBudget budget;
    auto database = open_database(run_dir, RunDatabase::kLeastBlockCacheBytes, budget);
    if (!database) return database.error();
    return read_record(**database);
  });
}

Result<std::unique_ptr<StoredRun>> StoredRun::open(const std::filesystem::path& run_dir,
                                                   const Options& options, MemoryBudget& budget) {
  return try_again([&] { return try_open(run_dir, options, budget); });
}

Result<std::unique_ptr<StoredRun>> StoredRun::try_open(const std::filesystem::path& run_dir,
                                                       const Options& options,
                                                       MemoryBudget& budget) {
  std::unique_ptr<StoredRun> run(new StoredRun());
  auto database = open_database(run_dir, options.block_cache_bytes, budget);
  if (!database) return database.error();
  run->database_ = std::move(*database);
  auto record = read_record(*run->database_);
  if (!record) return record.error();
  run->record_ = std::move(*record);

  DiskBackedges::Options backedge_options;
  backedge_options.cache_bytes = options.backedge_cache_bytes;
  auto backedges = DiskBackedges::open(*run->database_, backedge_options, budget);
  if (!backedges) return backedges.error();
  run->backedges_ = std::move(*backedges);
  if (run->record_.on_disk) {
    LevelStore::Options level_options;
    level_options.read_only = true;
    auto levels =
        LevelStore::open(run_dir / "levels", options.width, level_options, run->record_.levels);
    if (!levels) return levels.error();
    run->levels_ = std::make_unique<LevelStore>(std::move(*levels));
  }
  run->tree_.first_ids = run->record_.first_ids();
  run->tree_.backedges = run->backedges_.get();
  run->tree_.levels = run->levels_.get();
  if (Status checked = run->tree_.check(); !checked) return checked.error();
  return run;
}

}  // namespace comback

#include "storage/commit.h"

#include <rocksdb/env.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_writer.h>

#include <cassert>
#include <system_error>

#include "storage/rocks.h"

namespace comback {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kFileBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostSortedRuns = 12;

// Sorted files and levels, each of which has to be read for a page.
std::uint64_t sorted_runs(rocksdb::DB& db, const Family& family) {
  rocksdb::ColumnFamilyMetaData data;
  db.GetColumnFamilyMetaData(family.handle, &data);
  std::uint64_t runs = 0;
  for (const rocksdb::LevelMetaData& level : data.levels) {
    runs += level.level == 0 ? level.files.size() : level.files.empty() ? 0 : 1;
  }
  return runs;
}

// Where commits come faster than compaction can follow, they wait for it.
void wait_for_compaction(rocksdb::DB& db, const Family& family) {
  while (sorted_runs(db, family) > kMostSortedRuns) {
    std::uint64_t running = 0;
    db.GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
    if (running == 0) return;
    rocksdb::Env::Default()->SleepForMicroseconds(1000);
  }
}

}  // namespace

Commit::Commit(RunDatabase& database) : database_(&database) { assert(!database.read_only()); }

Commit::~Commit() {
  std::error_code ignored;  // open() removes what is left
  fs::remove_all(staging_folder(database_->folder_), ignored);
}

void Commit::put_meta(std::string_view key, std::string_view value) {
  meta_.insert_or_assign(std::string(key), std::string(value));
}

std::uint64_t Commit::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

fs::path Commit::next_file() {
  const std::lock_guard lock(mutex_);
  return staging_folder(database_->folder_) / (std::to_string(next_file_++) + ".sst");
}

Status Commit::finish() {
  if (!meta_.empty()) {
    SortedWriter writer(*this, *database_->rocks_->meta);
    for (const auto& [key, value] : meta_) {
      if (auto s = writer.put(key, value); !s) return s;
    }
    if (auto s = writer.finish(); !s) return s;
  }
  std::vector<rocksdb::IngestExternalFileArg> args;
  for (const auto& [family, files] : files_) {
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = family->handle;
    arg.external_files = files;
    arg.options.move_files = true;
    arg.options.write_global_seqno = false;  // the manifest has it; the file is not touched again
    args.push_back(std::move(arg));
  }
  if (!args.empty()) {
    const RunDatabase::Rocks& rocks = *database_->rocks_;
    const rocksdb::Status s = rocks.believed(rocks.db->IngestExternalFiles(args));
    if (!s.ok()) return to_error(s, "commit to database " + database_->folder_.string());
  }
  for (const auto& entry : files_) wait_for_compaction(*database_->rocks_->db, *entry.first);
  files_.clear();
  meta_.clear();
  for (const auto& action : std::exchange(actions_, {})) action();
  return Done{};
}

struct SortedWriter::Rocks {
  std::unique_ptr<rocksdb::SstFileWriter> writer;  // null between files
  std::string path;
  std::vector<std::string> finished;
  std::uint64_t finished_bytes = 0;
};

SortedWriter::SortedWriter(Commit& commit, Family& family)
    : commit_(&commit), family_(&family), rocks_(std::make_unique<Rocks>()) {}
SortedWriter::SortedWriter(SortedWriter&&) noexcept = default;
SortedWriter::~SortedWriter() = default;

Status SortedWriter::make_room() {
  if (rocks_->writer != nullptr && rocks_->writer->FileSize() >= kFileBytes) {
    if (auto s = close_file(); !s) return s;
  }
  if (rocks_->writer != nullptr) return Done{};
  const fs::path path = commit_->next_file();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return to_error(error, "create " + path.string());
  rocks_->path = path.string();
  rocks_->writer = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), family_->options,
                                                            family_->handle,
                                                            /*invalidate_page_cache=*/false);
  const rocksdb::Status s = rocks_->writer->Open(rocks_->path);
  if (!s.ok()) return to_error(s, "create " + rocks_->path);
  return Done{};
}

Status SortedWriter::close_file() {
  rocksdb::ExternalSstFileInfo info;
  const rocksdb::Status s = commit_->database_->rocks_->believed(rocks_->writer->Finish(&info));
  rocks_->writer.reset();
  if (!s.ok()) return to_error(s, "write " + rocks_->path);
  rocks_->finished.push_back(rocks_->path);
  rocks_->finished_bytes += info.file_size;
  return Done{};
}

Status SortedWriter::put(std::string_view key, std::string_view value) {
  if (auto s = make_room(); !s) return s;
  const rocksdb::Status s = rocks_->writer->Put(slice(key), slice(value));
  if (!s.ok()) return to_error(s, "write " + rocks_->path);
  return Done{};
}

Status SortedWriter::merge(std::string_view key, std::string_view value) {
  if (auto s = make_room(); !s) return s;
  const rocksdb::Status s = rocks_->writer->Merge(slice(key), slice(value));
  if (!s.ok()) return to_error(s, "write " + rocks_->path);
  return Done{};
}

Status SortedWriter::finish() {
  if (rocks_->writer != nullptr) {
    if (auto s = close_file(); !s) return s;
  }
  const std::lock_guard lock(commit_->mutex_);
  std::vector<std::string>& files = commit_->files_[family_];
  files.insert(files.end(), rocks_->finished.begin(), rocks_->finished.end());
  if (files.empty()) commit_->files_.erase(family_);
  commit_->bytes_ += std::exchange(rocks_->finished_bytes, 0);
  rocks_->finished.clear();
  return Done{};
}

}  // namespace comback

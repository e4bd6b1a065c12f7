#include "storage/run_database.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "storage/page_merge.h"
#include "storage/rocks.h"

namespace comback {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMeta = "meta";
constexpr std::string_view kPagesPrefix = "states";
constexpr std::uint64_t kFileBytes = std::uint64_t{64} << 20;
constexpr std::size_t kBlockBytes = 4096;
constexpr std::size_t kMemtableBytes = std::size_t{64} << 10;  // nothing is ever written to them
constexpr int kOpenFiles = 512;

rocksdb::ColumnFamilyOptions family_options(std::string_view name,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions o;
  o.write_buffer_size = kMemtableBytes;
  o.arena_block_size = 4096;
  o.compression = rocksdb::kNoCompression;  // values come packed
  o.target_file_size_base = kFileBytes;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = kBlockBytes;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  // The index of a file stays in memory while the file is open: 0.005 bytes per state. In the cache
  // and in two levels it would be bounded, but a page takes a quarter more time to read.
  table.index_block_restart_interval = 16;
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (name.substr(0, kPagesPrefix.size()) == kPagesPrefix) {
    o.merge_operator = make_page_merge();
    // A page is spread over as many sorted files or levels as there are, and to read it takes 4 us
    // in one and 2 more in each other. Universal compaction keeps them few, and rewrites less than
    // leveled.
    o.compaction_style = rocksdb::kCompactionStyleUniversal;
    o.level0_file_num_compaction_trigger = 3;
    o.compaction_options_universal.size_ratio = 10;
    o.compaction_options_universal.max_size_amplification_percent = 100;
  }
  return o;
}

// A table file: its footer, its index and every block.
Status verify_file(const rocksdb::Options& options, const std::string& path) {
  rocksdb::SstFileReader reader(options);
  rocksdb::Status s = reader.Open(path);
  if (s.ok()) s = reader.VerifyChecksum();
  if (s.ok()) return Done{};
  return to_error(s, "verify " + path);
}

}  // namespace

rocksdb::DBOptions RunDatabase::Rocks::database_options() const {
  rocksdb::DBOptions o;
  o.env = env.get();
  o.info_log = make_silent_logger();
  o.create_if_missing = true;
  // Whoever writes the database deletes files that a reader has not opened yet.
  o.max_open_files = read_only ? -1 : kOpenFiles;
  o.max_background_jobs = 2;  // one of them compacts
  o.max_subcompactions = 1;
  o.bytes_per_sync = 1 << 20;  // write back as we go: a sync at the end takes less time
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;
  o.recycle_log_file_num = 0;
  o.max_total_wal_size = 1 << 20;
  return o;
}

Family* RunDatabase::Rocks::add(std::string name, rocksdb::ColumnFamilyHandle* handle,
                                const rocksdb::ColumnFamilyOptions& options) {
  families.push_back(std::make_unique<Family>(
      Family{std::move(name), handle, rocksdb::Options(database_options(), options)}));
  return families.back().get();
}

rocksdb::Status RunDatabase::Rocks::open(const std::string& path) {
  rocksdb::DBOptions options = database_options();
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(options, path, &names);
  if (!listed.ok()) {
    if (read_only || !listed.IsPathNotFound()) return listed;
    names = {rocksdb::kDefaultColumnFamilyName};
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    descriptors.emplace_back(name, family_options(name, cache));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status =
      read_only ? rocksdb::DB::OpenForReadOnly(options, path, descriptors, &handles, &opened)
                : rocksdb::DB::Open(options, path, descriptors, &handles, &opened);
  if (!status.ok()) return status;
  db.reset(opened);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    Family* const family = add(names[i], handles[i], descriptors[i].options);
    if (family->name == kMeta) meta = family;
  }
  return status;
}

RunDatabase::RunDatabase(std::unique_ptr<Rocks> rocks, fs::path folder, MemoryBudget& budget)
    : rocks_(std::move(rocks)), folder_(std::move(folder)), budget_(&budget) {}

RunDatabase::~RunDatabase() {
  rocks_.reset();
  budget_->give(block_cache_bytes_);
}

Result<std::unique_ptr<RunDatabase>> RunDatabase::open(const fs::path& folder,
                                                       const Options& options,
                                                       MemoryBudget& budget) {
  const std::string operation = "open database " + folder.string();
  std::error_code error;
  if (!options.read_only) {
    fs::create_directories(folder, error);
    if (error) return to_error(error, operation);
  }
  auto rocks = std::make_unique<Rocks>(options.durable);
  rocks->read_only = options.read_only;
  rocksdb::LRUCacheOptions cache;
  cache.capacity = kLeastBlockCacheBytes;
  cache.num_shard_bits = 0;  // shards would share out the limit, and a block must fit its shard
  cache.strict_capacity_limit = true;
  rocks->cache = rocksdb::NewLRUCache(cache);

  std::unique_ptr<RunDatabase> database(new RunDatabase(std::move(rocks), folder, budget));
  if (auto s = database->set_block_cache_bytes(options.block_cache_bytes); !s) return s.error();
  const rocksdb::Status opened = database->rocks_->open(folder.string());
  if (const auto s = database->rocks_->believed(opened); !s.ok()) return to_error(s, operation);
  if (!options.read_only) {
    fs::remove_all(staging_folder(folder), error);  // not before RocksDB says that we are alone
    if (error) return to_error(error, operation);
  }
  if (database->rocks_->meta == nullptr) {
    if (options.read_only) return Error{Errc::kNotFound, operation + ": it has no meta data yet"};
    auto meta = database->create_family(kMeta);
    if (!meta) return meta.error();
    database->rocks_->meta = *meta;
  }
  return database;
}

bool RunDatabase::read_only() const { return rocks_->read_only; }

Result<std::optional<std::string>> RunDatabase::meta(std::string_view key) const {
  std::string value;
  const auto found = get(*rocks_->meta, key, value);
  if (!found) return found.error();
  if (!*found) return std::optional<std::string>();
  return std::optional<std::string>(std::move(value));
}

Family* RunDatabase::find_family(std::string_view name) const {
  for (const auto& family : rocks_->families) {
    if (family->name == name) return family.get();
  }
  return nullptr;
}

std::vector<Family*> RunDatabase::families(std::string_view name_prefix) const {
  std::vector<Family*> found;
  for (const auto& family : rocks_->families) {
    if (family->name.compare(0, name_prefix.size(), name_prefix) == 0) {
      found.push_back(family.get());
    }
  }
  return found;
}

Result<Family*> RunDatabase::create_family(std::string_view name) {
  const rocksdb::ColumnFamilyOptions options = family_options(name, rocks_->cache);
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  const rocksdb::Status created =
      rocks_->db->CreateColumnFamily(options, std::string(name), &handle);
  Family* const family = created.ok() ? rocks_->add(std::string(name), handle, options) : nullptr;
  if (const auto s = rocks_->believed(created); !s.ok()) {
    return to_error(s, "create family " + std::string(name));
  }
  return family;
}

Status RunDatabase::drop_family(Family& family) {
  const rocksdb::Status s = rocks_->believed(rocks_->db->DropColumnFamily(family.handle));
  if (!s.ok()) return to_error(s, "drop family " + family.name);
  rocks_->release(family);
  std::erase_if(rocks_->families, [&](const auto& f) { return f.get() == &family; });
  return Done{};
}

Result<bool> RunDatabase::get(const Family& family, std::string_view key,
                              std::string& value) const {
  const ReadingPages reading;
  const rocksdb::Status s =
      rocks_->db->Get(rocks_->read_options(), family.handle, slice(key), &value);
  if (s.IsNotFound()) return false;
  if (!s.ok()) return to_error(s, "read family " + family.name);
  return true;
}

Status RunDatabase::get_many(
    const Family& family, std::span<const std::string_view> keys,
    const std::function<Status(std::size_t, std::string_view)>& on_value) const {
  const ReadingPages reading;
  constexpr std::size_t kAtOnce = 32;  // what RocksDB handles without allocating
  std::array<rocksdb::Slice, kAtOnce> wanted;
  std::array<rocksdb::PinnableSlice, kAtOnce> values;
  std::array<rocksdb::Status, kAtOnce> statuses;
  rocksdb::ReadOptions options = rocks_->read_options();
  options.fill_cache = false;  // pages are too many to meet one again soon
  for (std::size_t first = 0; first < keys.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) wanted[i] = slice(keys[first + i]);
    rocks_->db->MultiGet(options, family.handle, count, wanted.data(), values.data(),
                         statuses.data(), /*sorted_input=*/true);
    for (std::size_t i = 0; i < count; ++i) {
      if (!statuses[i].ok() && !statuses[i].IsNotFound()) {
        return to_error(statuses[i], "read family " + family.name);
      }
      if (statuses[i].ok()) {
        if (auto s = on_value(first + i, view(values[i])); !s) return s;
      }
      values[i].Reset();
    }
  }
  return Done{};
}

Status RunDatabase::compact(bool all) {
  if (all) {
    for (const auto& family : rocks_->families) {
      rocksdb::CompactRangeOptions o;
      o.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
      const rocksdb::Status s =
          rocks_->believed(rocks_->db->CompactRange(o, family->handle, nullptr, nullptr));
      if (!s.ok()) return to_error(s, "compact family " + family->name);
    }
    return Done{};
  }
  // 7.8 has no WaitForCompact; and what it calls pending it need not be able to pick.
  constexpr int kQuietPolls = 10;
  for (int quiet = 0; quiet < kQuietPolls; ++quiet) {
    std::uint64_t running = 0;
    rocks_->db->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
    if (running != 0) quiet = 0;
    std::uint64_t errors = 0;
    rocks_->db->GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &errors);
    if (errors != 0) return Error{Errc::kIo, "compact database " + folder_.string()};
    rocksdb::Env::Default()->SleepForMicroseconds(1000);
  }
  return Done{};
}

Status RunDatabase::verify_checksums() const {
  const rocksdb::Status s = rocks_->db->VerifyChecksum();
  if (!s.ok()) return to_error(s, "verify database " + folder_.string());
  return Done{};
}

Result<std::uint64_t> RunDatabase::verify_files(const std::function<void(Error)>& on_damage) const {
  std::vector<rocksdb::LiveFileMetaData> files;
  rocks_->db->GetLiveFilesMetaData(&files);
  for (const rocksdb::LiveFileMetaData& file : files) {
    const Family* const family = find_family(file.column_family_name);
    if (family == nullptr) continue;
    Status verified = verify_file(family->options, file.db_path + file.name);
    if (!verified) on_damage(verified.error());
  }
  return files.size();
}

Result<std::uint64_t> RunDatabase::verify_files_in(const fs::path& folder,
                                                   const std::function<void(Error)>& on_damage) {
  const rocksdb::Options options(rocksdb::DBOptions(),
                                 family_options(kPagesPrefix, rocksdb::NewLRUCache(1 << 20)));
  std::uint64_t files = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".sst") continue;
    ++files;
    if (Status verified = verify_file(options, it->path().string()); !verified) {
      on_damage(verified.error());
    }
  }
  if (error) return to_error(error, "list " + folder.string());
  return files;
}

Status RunDatabase::set_block_cache_bytes(std::uint64_t bytes) {
  bytes = std::max(bytes, kLeastBlockCacheBytes);
  if (bytes > block_cache_bytes_ && !budget_->take(bytes - block_cache_bytes_)) {
    return Error{Errc::kOutOfMemory, "grow the block cache to " + std::to_string(bytes)};
  }
  if (bytes < block_cache_bytes_) budget_->give(block_cache_bytes_ - bytes);
  rocks_->cache->SetCapacity(bytes);
  block_cache_bytes_ = bytes;
  return Done{};
}

std::uint64_t RunDatabase::block_cache_bytes() const { return block_cache_bytes_; }

RunDatabase::Statistics RunDatabase::statistics() const {
  Statistics result;
  const auto sum = [&](const std::string& property) {
    std::uint64_t value = 0;
    rocks_->db->GetAggregatedIntProperty(property, &value);
    return value;
  };
  result.file_bytes = sum(rocksdb::DB::Properties::kTotalSstFilesSize);
  result.table_reader_bytes = sum(rocksdb::DB::Properties::kEstimateTableReadersMem);
  result.memtable_bytes = sum(rocksdb::DB::Properties::kSizeAllMemTables);
  result.block_cache_used = rocks_->cache->GetUsage();
  std::vector<rocksdb::LiveFileMetaData> files;
  rocks_->db->GetLiveFilesMetaData(&files);
  result.files = files.size();
  return result;
}

std::uint64_t RunDatabase::file_bytes(const Family& family) const {
  std::uint64_t bytes = 0;
  rocks_->db->GetIntProperty(family.handle, rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

struct FamilyCursor::Rocks {
  std::unique_ptr<rocksdb::Iterator> iterator;
  const Family* family;
};

FamilyCursor::FamilyCursor(const RunDatabase& database, const Family& family,
                           const Options& options) {
  rocksdb::ReadOptions o = database.rocks_->read_options();
  o.readahead_size = options.read_ahead_bytes;
  o.fill_cache = options.read_ahead_bytes == 0;
  rocks_ = std::make_unique<Rocks>(
      Rocks{std::unique_ptr<rocksdb::Iterator>(database.rocks_->db->NewIterator(o, family.handle)),
            &family});
}
FamilyCursor::FamilyCursor(FamilyCursor&&) noexcept = default;
FamilyCursor& FamilyCursor::operator=(FamilyCursor&&) noexcept = default;
FamilyCursor::~FamilyCursor() = default;

void FamilyCursor::seek_to_first() {
  const ReadingPages reading;
  rocks_->iterator->SeekToFirst();
}
void FamilyCursor::seek(std::string_view key) {
  const ReadingPages reading;
  rocks_->iterator->Seek(slice(key));
}
void FamilyCursor::seek_for_previous(std::string_view key) {
  const ReadingPages reading;
  rocks_->iterator->SeekForPrev(slice(key));
}
void FamilyCursor::next() {
  const ReadingPages reading;
  rocks_->iterator->Next();
}
void FamilyCursor::previous() {
  const ReadingPages reading;
  rocks_->iterator->Prev();
}
bool FamilyCursor::valid() const { return rocks_->iterator->Valid(); }
Status FamilyCursor::status() const {
  const rocksdb::Status s = rocks_->iterator->status();
  if (!s.ok()) return to_error(s, "read family " + rocks_->family->name);
  return Done{};
}
std::string_view FamilyCursor::key() const { return view(rocks_->iterator->key()); }
std::string_view FamilyCursor::value() const { return view(rocks_->iterator->value()); }

}  // namespace comback

#include "storage/level_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstring>
#include <set>
#include <system_error>

#include "io/little_endian.h"
#include "storage/hash.h"
#include "storage/level_block.h"

namespace comback {
namespace {

constexpr std::size_t kEntryBytes = 28;
constexpr std::size_t kTrailerBytes = 32;
constexpr char kMagic[9] = "CBlevel1";

struct Trailer {
  std::uint64_t index_offset = 0;
  std::uint32_t index_bytes = 0;
  std::uint32_t width = 0;

  std::array<std::byte, kTrailerBytes> encode() const {
    std::array<std::byte, kTrailerBytes> out;
    std::memcpy(out.data() + 8, kMagic, 8);
    store_le(out.data() + 16, index_offset);
    store_le(out.data() + 24, index_bytes);
    store_le(out.data() + 28, width);
    store_le(out.data(), hash_bytes(out.data() + 8, kTrailerBytes - 8));
    return out;
  }

  static Result<Trailer> decode(const std::array<std::byte, kTrailerBytes>& in) {
    if (std::memcmp(in.data() + 8, kMagic, 8) != 0) {
      return Error{Errc::kCorruption, "no footer; the file was not closed"};
    }
    if (load_le<std::uint64_t>(in.data()) != hash_bytes(in.data() + 8, kTrailerBytes - 8)) {
      return Error{Errc::kCorruption, "the footer's checksum does not match"};
    }
    return Trailer{load_le<std::uint64_t>(in.data() + 16), load_le<std::uint32_t>(in.data() + 24),
                   load_le<std::uint32_t>(in.data() + 28)};
  }
};

Error corrupt_entry(std::size_t entry, std::string_view what) {
  return {Errc::kCorruption, fmt::format("entry {} of the level index: {}", entry, what)};
}

}  // namespace

Result<LevelStore> LevelStore::create(const std::filesystem::path& dir, std::size_t width,
                                      const Options& options) {
  assert(width > 0);
  if (auto made = make_directories(dir); !made) return made.error();
  return LevelStore(dir, width, options);
}

Result<LevelStore> LevelStore::open(const std::filesystem::path& dir, std::size_t width,
                                    const Options& options, const Contents& contents) {
  assert(width > 0);
  LevelStore store(dir, width, options);
  const std::vector<std::uint64_t>& first = contents.first_ids;
  if (first.empty() || first[0] != 0 ||
      std::adjacent_find(first.begin(), first.end(), std::greater()) != first.end()) {
    return Error{Errc::kCorruption, "the first ids of the levels of " + dir.string()};
  }
  store.levels_.resize(first.size() - 1);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) store.levels_[i].first_id = first[i];
  store.next_id_ = first.back();
  if (!options.read_only) {
    if (auto removed = store.remove_strangers(contents); !removed) return removed.error();
  }
  for (const FileName& name : contents.files) {
    if (auto loaded = store.load(name); !loaded) return loaded.error();
  }
  return store;
}

Status LevelStore::remove_strangers(const Contents& contents) const {
  std::set<std::string> named;
  for (const FileName& file : contents.files) named.insert(file.name);
  std::error_code error;
  std::filesystem::directory_iterator it(dir_, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (named.count(it->path().filename().string()) > 0) continue;
    if (auto removed = remove_file(it->path()); !removed) return removed;
  }
  if (error) return system_error("list directory", dir_.string(), error.value());
  return Done{};
}

Status LevelStore::load(const FileName& name) {
  auto file = File::open(dir_ / name.name);
  if (!file) return file.error();
  const std::string& path = file->path();
  if (name.bytes < kTrailerBytes) {
    return located({Errc::kCorruption, "shorter than a footer"}, path, name.bytes);
  }
  const std::uint64_t trailer_at = name.bytes - kTrailerBytes;
  std::array<std::byte, kTrailerBytes> trailer_bytes;
  if (auto read = file->read_at(trailer_at, trailer_bytes); !read) return read;
  auto trailer = Trailer::decode(trailer_bytes);
  if (!trailer) return located(trailer.error(), path, trailer_at);
  if (trailer->index_bytes > trailer_at ||
      trailer->index_offset != trailer_at - trailer->index_bytes) {
    return located({Errc::kCorruption, "the footer's index is not in front of it"}, path,
                   trailer_at);
  }
  if (trailer->width != width_) {
    return located(
        {Errc::kCorruption, fmt::format("descriptors of {} bytes, not {}", trailer->width, width_)},
        path, trailer_at);
  }
  std::vector<std::byte> block(trailer->index_bytes);
  if (auto read = file->read_at(trailer->index_offset, block); !read) return read;
  auto header = read_block_header(block);
  if (!header) return located(header.error(), path, trailer->index_offset);
  std::vector<std::byte> entries(header->raw_bytes);
  BlockDecoder decoder;
  auto decoded = decoder.decode(BlockKind::kLevelIndex, block, entries);
  if (!decoded) return located(decoded.error(), path, trailer->index_offset);
  if (*decoded % kEntryBytes != 0) {
    return located({Errc::kCorruption, "a level index with part of an entry"}, path,
                   trailer->index_offset);
  }

  const auto index = static_cast<std::uint32_t>(files_.size());
  auto stored = std::make_unique<StoredFile>(std::move(*file));
  const auto wrong = [&](std::size_t i, std::string_view what) {
    return located(corrupt_entry(i, what), stored->file.path(), trailer->index_offset);
  };
  std::uint64_t end = 0;  // of the blocks so far
  for (std::size_t i = 0; i < entries.size() / kEntryBytes; ++i) {
    const std::byte* const entry = entries.data() + i * kEntryBytes;
    const auto number = load_le<std::uint32_t>(entry);
    const Block b{load_le<std::uint64_t>(entry + 8), load_le<std::uint64_t>(entry + 16),
                  load_le<std::uint32_t>(entry + 24), load_le<std::uint32_t>(entry + 4)};
    if (number >= levels_.size()) return wrong(i, "no such level");
    Level& level = levels_[number];
    const std::uint64_t level_end = first_id(number + 1);
    if (level.file != kNoFile && level.file != index) return wrong(i, "a level in two files");
    const std::uint64_t expected = level.blocks.empty()
                                       ? level.first_id
                                       : level.blocks.back().first_id + level.blocks.back().count;
    if (b.first_id != expected || b.count == 0 || b.count > level_end - b.first_id ||
        b.count > level_block_states(width_, b.count)) {
      return wrong(i, "ids out of order");
    }
    if (b.offset < end || b.offset > trailer->index_offset || b.bytes < kBlockHeaderBytes ||
        b.bytes > trailer->index_offset - b.offset) {
      return wrong(i, "a block outside of the file");
    }
    end = b.offset + b.bytes;
    if (level.file == kNoFile) {
      level.file = index;
      level.keep = name.name.rfind("segment", 0) == 0;
      stored->levels.push_back(number);
      ++stored->held_levels;
    }
    level.blocks.push_back(b);
  }
  for (const std::uint32_t number : stored->levels) {
    Level& level = levels_[number];
    if (level.blocks.back().first_id + level.blocks.back().count != first_id(number + 1)) {
      return located({Errc::kCorruption, fmt::format("level {} is not complete", number)},
                     stored->file.path(), trailer->index_offset);
    }
    level.blocks.shrink_to_fit();
  }
  if (!options_.read_only && stored->file.end() > name.bytes) {
    if (auto cut = truncate_file(stored->file.path(), name.bytes); !cut) return cut;
    auto shorter = File::open(dir_ / name.name);  // a File knows its size from when it was opened
    if (!shorter) return shorter.error();
    stored->file = std::move(*shorter);
  }

  std::uint32_t number = 0;
  const std::size_t digits = name.name.find_last_not_of("0123456789") + 1;
  std::from_chars(name.name.data() + digits, name.name.data() + name.name.size(), number);
  next_file_ = std::max(next_file_, number + 1);
  stored->checkpointed = name.bytes;
  stored->dirty = false;
  files_.push_back(std::move(stored));
  return Done{};
}

Result<std::uint32_t> LevelStore::new_file(const char* kind) {
  auto file = File::create(dir_ / fmt::format("{}-{:06}", kind, next_file_));
  if (!file) return file.error();
  ++next_file_;
  files_.push_back(std::make_unique<StoredFile>(std::move(*file)));
  files_.back()->writer.emplace(files_.back()->file);
  return static_cast<std::uint32_t>(files_.size() - 1);
}

Status LevelStore::begin_level(bool keep) {
  assert(!in_level_ && !options_.read_only);
  std::uint32_t file = segment_;
  if (!keep || segment_ == kNoFile) {
    auto made = new_file(keep ? "segment" : "level");
    if (!made) return made.error();
    file = *made;
    if (keep) segment_ = file;
  }
  Level level;
  level.first_id = next_id_;
  level.file = file;
  level.keep = keep;
  levels_.push_back(std::move(level));
  files_[file]->levels.push_back(levels() - 1);
  ++files_[file]->held_levels;
  in_level_ = true;
  return Done{};
}

Status LevelStore::append_block(std::span<const std::byte> encoded, std::uint32_t count) {
  assert(in_level_ && count > 0);
  Level& level = levels_.back();
  StoredFile& stored = *files_[level.file];
  const std::uint64_t first = level.blocks.empty()
                                  ? level.first_id
                                  : level.blocks.back().first_id + level.blocks.back().count;
  const Block block{first, stored.writer->end(), static_cast<std::uint32_t>(encoded.size()), count};
  if (auto written = stored.writer->append(encoded); !written) return written;
  level.blocks.push_back(block);
  stored.dirty = true;
  bytes_written_ += encoded.size();
  return Done{};
}

Status LevelStore::end_level() {
  assert(in_level_);
  Level& level = levels_.back();
  StoredFile& stored = *files_[level.file];
  level.blocks.shrink_to_fit();
  in_level_ = false;
  if (!level.blocks.empty()) next_id_ = level.blocks.back().first_id + level.blocks.back().count;
  if (auto flushed = stored.writer->flush(); !flushed) return flushed;
  const bool full = stored.file.end() >= options_.segment_bytes;
  if (level.keep && !full) return Done{};
  if (auto closed = write_footer(level.file); !closed) return closed;
  stored.writer.reset();
  if (level.keep) segment_ = kNoFile;
  return Done{};
}

Status LevelStore::write_footer(std::uint32_t file) {
  StoredFile& stored = *files_[file];
  std::vector<std::byte> entries;
  for (const std::uint32_t number : stored.levels) {
    if (in_level_ && number + 1 == levels()) continue;
    for (const Block& block : levels_[number].blocks) {
      std::array<std::byte, kEntryBytes> entry;
      store_le(entry.data(), number);
      store_le(entry.data() + 4, block.count);
      store_le(entry.data() + 8, block.first_id);
      store_le(entry.data() + 16, block.offset);
      store_le(entry.data() + 24, block.bytes);
      entries.insert(entries.end(), entry.begin(), entry.end());
    }
  }
  BlockEncoder encoder;
  const std::span<const std::byte> index = encoder.encode(BlockKind::kLevelIndex, entries);
  const Trailer trailer{stored.writer->end(), static_cast<std::uint32_t>(index.size()),
                        static_cast<std::uint32_t>(width_)};
  if (auto written = stored.writer->append(index); !written) return written;
  if (auto written = stored.writer->append(trailer.encode()); !written) return written;
  if (auto flushed = stored.writer->flush(); !flushed) return flushed;
  bytes_written_ += index.size() + kTrailerBytes;
  stored.dirty = in_level_ && levels_.back().file == file;
  return Done{};
}

Result<LevelStore::Contents> LevelStore::checkpoint() {
  Contents contents;
  bool names_changed = false;
  const std::uint32_t ended = levels() - (in_level_ ? 1 : 0);
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    if (!files_[i]) continue;
    StoredFile& stored = *files_[i];
    if (std::none_of(stored.levels.begin(), stored.levels.end(), [&](std::uint32_t number) {
          return number < ended && levels_[number].file == i;
        })) {
      continue;
    }
    if (stored.dirty) {
      if (auto written = write_footer(i); !written) return written.error();
    }
    if (stored.checkpointed != stored.file.end()) {
      if (auto synced = stored.file.sync(); !synced) return synced.error();
      names_changed |= stored.checkpointed == 0;
      stored.checkpointed = stored.file.end();
    }
    contents.files.push_back(
        {std::filesystem::path(stored.file.path()).filename().string(), stored.checkpointed});
  }
  if (names_changed) {
    if (auto synced = sync_directory(dir_); !synced) return synced.error();
  }
  for (std::uint32_t i = 0; i < ended; ++i) contents.first_ids.push_back(levels_[i].first_id);
  contents.first_ids.push_back(next_id_);
  return contents;
}

Status LevelStore::drop_level(std::uint32_t number) {
  assert(number < levels() && !(in_level_ && number + 1 == levels()));
  Level& level = levels_[number];
  level.blocks = {};
  if (level.memory) {
    level.memory.reset();
    options_.budget->give(level.memory_bytes);
    memory_bytes_ -= level.memory_bytes;
  }
  return level.file == kNoFile ? Status(Done{}) : leave_file(level);
}

Result<bool> LevelStore::move_to_memory(std::uint32_t number) {
  Level& level = levels_[number];
  assert(level.file != kNoFile && !(in_level_ && number + 1 == levels()));
  if (level.blocks.empty()) return false;
  // They lie one behind the other.
  const std::uint64_t first = level.blocks.front().offset;
  const std::uint64_t bytes = level.blocks.back().offset + level.blocks.back().bytes - first;
  if (!options_.budget->take(bytes)) return false;
  auto memory = std::make_unique<std::byte[]>(bytes);
  if (auto read = files_[level.file]->file.read_at(first, {memory.get(), bytes}); !read) {
    options_.budget->give(bytes);
    return read.error();
  }
  for (Block& block : level.blocks) block.offset -= first;
  level.memory = std::move(memory);
  level.memory_bytes = bytes;
  memory_bytes_ += bytes;
  if (Status left = leave_file(level); !left) return left.error();
  return true;
}

// The file goes with its last level, unless more may be written to it or a checkpoint has it.
Status LevelStore::leave_file(Level& level) {
  const std::uint32_t file = level.file;
  level.file = kNoFile;
  StoredFile& stored = *files_[file];
  if (--stored.held_levels > 0 || stored.writer || stored.checkpointed > 0) return Done{};
  return remove(file);
}

Status LevelStore::remove_dropped() {
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    if (!files_[i] || files_[i]->held_levels > 0 || files_[i]->writer) continue;
    if (auto removed = remove(i); !removed) return removed;
  }
  return Done{};
}

Status LevelStore::remove(std::uint32_t file) {
  const std::string path = files_[file]->file.path();
  files_[file].reset();
  return remove_file(path);
}

std::uint64_t LevelStore::first_id(std::uint32_t level) const {
  return level == levels() ? next_id_ : levels_[level].first_id;
}

std::uint32_t LevelStore::level_of(std::uint64_t id) const {
  assert(id < next_id_);
  const auto after =
      std::upper_bound(levels_.begin(), levels_.end(), id,
                       [](std::uint64_t i, const Level& level) { return i < level.first_id; });
  return static_cast<std::uint32_t>(after - levels_.begin() - 1);
}

LevelStore::Blocks LevelStore::blocks(std::uint32_t number) const {
  const Level& level = levels_[number];
  if (level.memory) return {nullptr, level.memory.get(), level.blocks};
  if (level.file == kNoFile) return {};
  return {&files_[level.file]->file, nullptr, level.blocks};
}

std::optional<LevelStore::BlockRef> LevelStore::find_block(std::uint64_t id) const {
  if (id >= next_id_) return std::nullopt;
  const std::uint32_t level = level_of(id);
  if (!held(level) || (in_level_ && level + 1 == levels())) return std::nullopt;
  const Blocks all = blocks(level);
  const auto after =
      std::upper_bound(all.blocks.begin(), all.blocks.end(), id,
                       [](std::uint64_t i, const Block& block) { return i < block.first_id; });
  return BlockRef{all.file, all.memory, level, *(after - 1)};
}

std::optional<std::uint32_t> LevelStore::nearest_kept(std::uint32_t level) const {
  for (std::uint32_t l = level + 1; l-- > 0;) {
    if (kept(l)) return l;
  }
  return std::nullopt;
}

std::uint64_t LevelStore::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& stored : files_) {
    if (stored) sum += stored->writer ? stored->writer->end() : stored->file.end();
  }
  return sum;
}

std::size_t LevelStore::index_bytes() const {
  std::size_t sum = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) sum += level.blocks.capacity() * sizeof(Block);
  return sum;
}

}  // namespace comback

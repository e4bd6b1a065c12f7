#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/block_codec.h"
#include "io/buffered_writer.h"
#include "io/file.h"
#include "io/result.h"
#include "storage/memory_budget.h"

namespace comback {

// The descriptors of a search on disk, in id order, level by level: the queue of the search, and
// the levels that are kept are where reconstruction starts.
//
// A level's descriptors are blocks of storage/level_block.h, all in one file. Levels that are kept
// share segment files; a level that is not kept has a file of its own, which drop_level() deletes.
//
// A file is blocks, then, written when it is closed or checkpointed, a footer: an index block with
// an entry for every level block before it, and 32 bytes that say where the index is. A segment
// that was checkpointed and then grew has older footers between its blocks.
//
//   index entry, 28 bytes: level 4, count 4, first id 8, offset 8, bytes 4
//   trailer, 32 bytes: XXH3-64 of the other 24, "CBlevel1" 8, index offset 8, index bytes 4, width
//   4
//
// Invariants:
//   I1  Levels are numbered 0, 1, ...; the ids of a level follow those of the level before.
//   I2  The blocks of a level that is held cover its ids, in order.
//
// Threads: one writer; blocks(), find_block() and the files may be used beside append_block(), for
// levels that ended. begin_level(), end_level(), drop_level() and checkpoint() run alone.
class LevelStore {
 public:
  struct Block {
    std::uint64_t first_id = 0;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t count = 0;  // of descriptors
  };
  static_assert(sizeof(Block) == 24, "one of these stays in memory for every block");

  // The blocks of a level, and the file that they are in. Both last until the level is dropped.
  struct Blocks {
    const File* file = nullptr;
    const std::byte* memory = nullptr;  // instead of the file, where the level was moved there
    std::span<const Block> blocks;
  };
  struct BlockRef {
    const File* file = nullptr;
    const std::byte* memory = nullptr;  // likewise; offsets count from here
    std::uint32_t level = 0;
    Block block;
  };

  struct Options {
    std::uint64_t segment_bytes = std::uint64_t{256} << 20;  // a longer one gets no more levels
    bool read_only = false;                                  // open() changes nothing in `dir`
    MemoryBudget* budget = nullptr;  // for move_to_memory(); outlives the store
  };

  // What open() must be told, because it is nowhere in the files: which of them count, up to where,
  // and where the levels begin that are no longer there.
  struct FileName {
    std::string name;
    std::uint64_t bytes = 0;
  };
  struct Contents {
    std::vector<std::uint64_t> first_ids;  // of every level that ended, then the next id
    std::vector<FileName> files;
  };

  // Makes `dir` and an empty store in it. REQUIRES: width > 0.
  static Result<LevelStore> create(const std::filesystem::path& dir, std::size_t width,
                                   const Options& options);
  // As it was at the checkpoint() that returned `contents`. Other files in `dir`, and what the
  // files hold beyond it, are removed.
  static Result<LevelStore> open(const std::filesystem::path& dir, std::size_t width,
                                 const Options& options, const Contents& contents);

  // Starts level levels(), whose first id is next_id().
  Status begin_level(bool keep);
  // Appends a block of level_block.h with the next `count` ids. REQUIRES: in a level; count > 0.
  Status append_block(std::span<const std::byte> encoded, std::uint32_t count);
  // The level can be read from now on.
  Status end_level();
  // Forgets the descriptors of a level that ended. A file with no other levels, unless more may be
  // written to it, is deleted: now, or in remove_dropped() if a checkpoint has it. A level that
  // shared a file with others may be held again after open().
  Status drop_level(std::uint32_t level);

  // Drops a level that ended, but holds its blocks in memory from now on. False where the budget
  // does not allow it, and nothing has changed. REQUIRES: it is in a file; there is a budget.
  Result<bool> move_to_memory(std::uint32_t level);
  std::uint64_t memory_bytes() const { return memory_bytes_; }  // of levels moved there

  // All levels that ended and were not dropped survive a crash once the caller has committed what
  // this returns; until then a crash goes back to the checkpoint before. A level that has not ended
  // is as if it had not begun.
  Result<Contents> checkpoint();
  // Deletes the files that only earlier checkpoints need. Call it when the last one is committed.
  Status remove_dropped();

  std::uint32_t levels() const { return static_cast<std::uint32_t>(levels_.size()); }
  // Behind the last level that ended.
  std::uint64_t next_id() const { return next_id_; }
  // REQUIRES: level < levels(), or level == levels() and not in a level.
  std::uint64_t first_id(std::uint32_t level) const;
  // REQUIRES: id < next_id().
  std::uint32_t level_of(std::uint64_t id) const;
  bool held(std::uint32_t level) const {
    return levels_[level].file != kNoFile || in_memory(level);
  }
  bool in_memory(std::uint32_t level) const { return levels_[level].memory != nullptr; }
  bool kept(std::uint32_t level) const { return held(level) && levels_[level].keep; }

  // Of a level that ended; empty where it was dropped.
  Blocks blocks(std::uint32_t level) const;
  // The block with the descriptor of `id`; none where its level was dropped or has not ended.
  std::optional<BlockRef> find_block(std::uint64_t id) const;
  // The last level up to `level` that is kept.
  std::optional<std::uint32_t> nearest_kept(std::uint32_t level) const;

  std::size_t width() const { return width_; }
  std::uint64_t bytes() const;                                    // of the files, now
  std::uint64_t bytes_written() const { return bytes_written_; }  // since create() or open()
  std::size_t index_bytes() const;                                // in memory

 private:
  static constexpr std::uint32_t kNoFile = 0xffffffff;

  struct Level {
    std::uint64_t first_id = 0;
    std::uint32_t file = kNoFile;  // in files_
    bool keep = false;
    std::vector<Block> blocks;
    std::unique_ptr<std::byte[]> memory;  // the blocks, where the level was moved there
    std::uint64_t memory_bytes = 0;
  };
  struct StoredFile {
    explicit StoredFile(File opened) : file(std::move(opened)) {}
    File file;
    std::optional<BufferedWriter> writer;  // while it may be appended to
    std::vector<std::uint32_t> levels;     // with blocks in it, dropped or not
    std::uint32_t held_levels = 0;
    std::uint64_t checkpointed = 0;  // bytes, with the footer
    bool dirty = true;               // has blocks behind the last footer
  };

  LevelStore(std::filesystem::path dir, std::size_t width, const Options& options)
      : dir_(std::move(dir)), width_(width), options_(options) {}

  Result<std::uint32_t> new_file(const char* kind);
  Status write_footer(std::uint32_t file);
  Status load(const FileName& name);
  Status remove_strangers(const Contents& contents) const;
  Status remove(std::uint32_t file);
  Status leave_file(Level& level);

  std::filesystem::path dir_;
  std::size_t width_;
  Options options_;
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<StoredFile>> files_;  // null where it was deleted
  std::uint32_t segment_ = kNoFile;                 // that the next kept level goes to
  std::uint32_t next_file_ = 0;                     // number in its name
  bool in_level_ = false;
  std::uint64_t next_id_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/thread_team.h"
#include "io/async_reader.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/level_block.h"
#include "storage/level_store.h"

namespace comback {

// The descriptors of a held level by rising id: some blocks at a time, decoded by all threads,
// while the next are being read.
class LevelReader {
 public:
  // REQUIRES: both outlive it.
  static Result<LevelReader> open(const LevelStore& store, ThreadTeam& team, IoKind io);
  LevelReader(LevelReader&&) noexcept = default;
  ~LevelReader();

  // Makes `id` and some states behind it available, up to `end` at the most; returns the id behind
  // the last. Ids rise from call to call within a level. REQUIRES: id < end, in the same level.
  Result<std::uint64_t> load(std::uint64_t id, std::uint64_t end);
  // REQUIRES: load() made it available.
  const std::byte* row(std::uint64_t id) const {
    return rows_.data() + (id - rows_first_) * width_;
  }
  std::string_view io() const { return reader_->name(); }
  // Forgets what is available and what is being read, so that another level can be read.
  Status forget();

  // The most that it holds, for blocks of the default size.
  static std::uint64_t memory_bytes(std::size_t width, unsigned threads);

 private:
  struct Group {
    std::vector<LevelStore::BlockRef> blocks;
    RawBuffer bytes;
    std::vector<std::size_t> offsets;  // in bytes, by block
    std::uint64_t first = 0;           // ids
    std::uint64_t end = 0;
  };

  LevelReader(const LevelStore& store, ThreadTeam& team, std::unique_ptr<AsyncReader> reader);

  Status start(Group& group, std::uint64_t first, std::uint64_t end);
  Status wait_all();

  const LevelStore* store_;
  ThreadTeam* team_;
  std::size_t width_;
  std::unique_ptr<AsyncReader> reader_;
  std::vector<std::unique_ptr<LevelBlockDecoder>> decoders_;  // by thread
  Group ahead_;                                               // being read
  Group current_;                                             // being decoded
  RawBuffer rows_;
  std::uint64_t rows_first_ = 0;
  std::uint64_t rows_end_ = 0;
};

}  // namespace comback

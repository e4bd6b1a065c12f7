#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/state_archive.h"
#include "engine/thread_team.h"
#include "io/async_reader.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/level_block.h"

namespace comback {

// The queue of the search: the descriptors of one level by rising id, from memory where they are
// there, else from the level store: some blocks at a time, decoded by all threads, while the next
// are being read.
class Frontier {
 public:
  // REQUIRES: all outlive it.
  static Result<Frontier> open(const StateArchive& archive, ThreadTeam& team, IoKind io);

  // Makes `id` and some states behind it available, up to `end` at the most; returns the id behind
  // the last. Ids rise from call to call within a level. REQUIRES: id < end, in the same level.
  Result<std::uint64_t> load(std::uint64_t id, std::uint64_t end);
  // REQUIRES: load() made it available.
  const std::byte* row(std::uint64_t id) const {
    return id >= memory_from_ ? archive_->log().get(id)
                              : rows_.data() + (id - rows_first_) * width_;
  }

 private:
  struct Group {
    std::vector<LevelStore::BlockRef> blocks;
    RawBuffer bytes;
    std::vector<std::size_t> offsets;  // in bytes, by block
    std::uint64_t first = 0;           // ids
    std::uint64_t end = 0;
  };

  Frontier(const StateArchive& archive, ThreadTeam& team, std::unique_ptr<AsyncReader> reader);

  Status start(Group& group, std::uint64_t first, std::uint64_t end);
  Status wait_all();

  const StateArchive* archive_;
  ThreadTeam* team_;
  std::size_t width_;
  std::unique_ptr<AsyncReader> reader_;
  std::vector<std::unique_ptr<LevelBlockDecoder>> decoders_;  // by thread
  Group ahead_;                                               // being read
  RawBuffer rows_;
  std::uint64_t rows_first_ = 0;
  std::uint64_t rows_end_ = 0;
  std::uint64_t memory_from_ = 0;
};

}  // namespace comback

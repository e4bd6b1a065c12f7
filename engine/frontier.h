#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/level_reader.h"
#include "engine/state_archive.h"

namespace comback {

// The queue of the search: the descriptors of one level by rising id, from memory where they are
// there, else from the level store.
class Frontier {
 public:
  // REQUIRES: `archive` is on disk; both outlive it.
  static Result<Frontier> open(const StateArchive& archive, ThreadTeam& team, IoKind io) {
    auto reader = LevelReader::open(archive.store(), team, io);
    if (!reader) return reader.error();
    return Frontier(archive, std::move(*reader));
  }

  // Makes `id` and some states behind it available, up to `end` at the most; returns the id behind
  // the last. Ids rise from call to call within a level. REQUIRES: id < end, in the same level.
  Result<std::uint64_t> load(std::uint64_t id, std::uint64_t end) {
    memory_from_ = archive_->log().released_below();
    return id >= memory_from_ ? Result<std::uint64_t>(end) : reader_.load(id, end);
  }
  // REQUIRES: load() made it available.
  const std::byte* row(std::uint64_t id) const {
    return id >= memory_from_ ? archive_->log().get(id) : reader_.row(id);
  }
  std::string_view io() const { return reader_.io(); }

 private:
  Frontier(const StateArchive& archive, LevelReader reader)
      : archive_(&archive), reader_(std::move(reader)) {}

  const StateArchive* archive_;
  LevelReader reader_;
  std::uint64_t memory_from_ = 0;
};

}  // namespace comback

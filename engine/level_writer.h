#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/thread_team.h"
#include "io/result.h"
#include "storage/level_block.h"
#include "storage/level_store.h"

namespace comback {

// Writes descriptors of consecutive states to the level store: all threads encode blocks, which are
// appended in order.
class LevelWriter {
 public:
  // REQUIRES: both outlive it.
  LevelWriter(LevelStore& store, ThreadTeam& team);

  // `rows`: `count` descriptors of the level that the store is in. A last part of a block waits for
  // more.
  Status append(const std::byte* rows, std::size_t count);
  // Writes what waits and ends the level.
  Status end_level();

 private:
  Status write_blocks(const std::byte* rows, std::size_t count);

  LevelStore* store_;
  ThreadTeam* team_;
  std::size_t width_;
  std::size_t block_states_;
  std::vector<std::unique_ptr<LevelBlockEncoder>> encoders_;  // by thread
  struct Encoded {
    std::vector<std::byte> bytes;
    std::uint32_t count = 0;
  };
  std::vector<Encoded> blocks_;
  std::vector<std::byte> waiting_;  // less than a block
};

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/state_archive.h"
#include "io/async_reader.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/level_block.h"

namespace comback {

// Grouped reconstruction [evangelista09, section 4], streamed: many states at once, by rising id.
//
// Up: from the marked ids of the deepest level, backedge by backedge, to ids whose descriptors are
// held in memory or on disk. Predecessors never decrease as ids grow, so each level's needs are a
// sorted list, and what several share is in it once. Down: each level's needs are read or made from
// the level above by executing one event each. Blocks are read in the order of ids, several ahead
// of their use.
//
// One per thread.
class StreamedReconstruction {
 public:
  // REQUIRES: `model` and `archive` outlive it.
  static Result<StreamedReconstruction> open(const Model& model, const StateArchive& archive,
                                             IoKind io);

  // Calls on_state(i, descriptor) for every i, by rising i. REQUIRES: `ids` rise strictly.
  Status run(std::span<const std::uint64_t> ids,
             const std::function<void(std::size_t, const std::byte*)>& on_state);

  std::uint64_t events() const { return events_; }  // executed so far
  std::uint64_t blocks_read() const { return blocks_read_; }

 private:
  static constexpr std::uint32_t kHeld = 0xffffffff;  // instead of a place in the level above
  static constexpr std::uint32_t kNotMarked = 0xffffffff;
  static constexpr std::size_t kReadsAhead = 8;

  // What is needed of one level.
  struct Need {
    std::uint64_t id;
    std::uint32_t above;  // place of the predecessor in the layer above, or kHeld
    Event event;
    std::uint32_t mark;  // place in `ids`, or kNotMarked
  };
  struct Layer {
    std::uint32_t level;
    std::vector<Need> needs;
  };
  struct Read {
    LevelStore::BlockRef ref;
    RawBuffer bytes;
    bool done = false;
  };

  StreamedReconstruction(const Model& model, const StateArchive& archive,
                         std::unique_ptr<AsyncReader> reader);

  Status climb(std::span<const std::uint64_t> ids);
  void list_blocks();
  Status descend(const std::function<void(std::size_t, const std::byte*)>& on_state);
  Result<const std::byte*> held_row(std::uint64_t id);
  Status read_ahead();

  const Model* model_;
  const StateArchive* archive_;
  std::size_t width_;
  std::unique_ptr<AsyncReader> reader_;
  LevelBlockDecoder decoder_;

  std::vector<Layer> layers_;                 // the deepest first
  std::vector<LevelStore::BlockRef> blocks_;  // to read, in order
  std::size_t next_block_ = 0;                // of blocks_, to be submitted
  std::deque<Read> reads_;                    // submitted, in order
  std::uint64_t first_read_ = 0;              // number of reads_.front() since the beginning
  std::vector<ReadRequest> requests_;
  std::vector<RawBuffer> spare_;
  LevelStore::BlockRef loaded_;  // the block in rows_
  RawBuffer rows_;
  RawBuffer above_;    // descriptors of one layer
  RawBuffer current_;  // and of the next
  std::uint64_t events_ = 0;
  std::uint64_t blocks_read_ = 0;
};

}  // namespace comback

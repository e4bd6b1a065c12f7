#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/level_candidates.h"
#include "engine/state_archive.h"
#include "engine/streamed_reconstruction.h"
#include "engine/thread_team.h"
#include "io/async_reader.h"
#include "storage/disk_state_table.h"
#include "storage/record_sorter.h"

namespace comback {

// Delayed duplicate detection [evangelista09], streamed: any number of candidates in bounded
// memory. Three external sorts bring together what belongs together:
//
//   by hash    candidates meet their equals, and the state table, which is in hash order too: those
//              that share a hash with stored states mark them
//   by id      marked states meet their reconstruction, which is in id order; a candidate that
//              equals one is a duplicate
//   by origin  what is not a duplicate is new, in the order in which it is numbered
//
// Exact whatever the width of the stored hashes: narrow ones only mark more.
class DuplicateDetection {
 public:
  struct Options {
    std::uint64_t memory_bytes = 0;  // for all three sorts
    std::filesystem::path dir;       // for spilled runs
    IoKind io = IoKind::kAuto;
  };
  // REQUIRES: all outlive it.
  static Result<std::unique_ptr<DuplicateDetection>> open(const Model& model,
                                                          const StateArchive& archive,
                                                          const DiskStateTable& table,
                                                          ThreadTeam& team, MemoryBudget& budget,
                                                          const Options& options);

  // Takes all candidates out of `sets`.
  Status add(std::span<LevelCandidates> sets);
  std::uint64_t size() const { return by_hash_.size(); }  // candidates added, not yet detected
  std::uint64_t spilled_bytes() const { return by_hash_.spilled_bytes(); }  // of them, on disk

  // Decides about all that was added: candidates whose predecessors are at places below
  // `level_size`, where the states below `states` are stored.
  Status detect(std::uint64_t level_size, std::uint64_t states);

  // The new ones, by origin: on_new(origins, rows) gets them in groups, each row a descriptor; then
  // forgets all candidates.
  Status take_new(const std::function<Status(std::span<const Origin>, const std::byte*)>& on_new);

  // Held by the sorts between levels.
  std::uint64_t memory_bytes() const {
    return by_hash_.memory_bytes() + by_id_.memory_bytes() + by_origin_.memory_bytes();
  }

  struct Counters {
    std::uint64_t candidates = 0;  // distinct
    std::uint64_t marks = 0;       // pairs of a candidate and a stored state with its hash
    std::uint64_t conflicts = 0;   // of those, pairs of different states
    std::uint64_t spilled_bytes = 0;
    std::uint64_t events = 0;  // executed in reconstruction
    std::uint64_t blocks_read = 0;
  };
  Counters counters() const;

 private:
  // What one thread works with.
  struct Lane {
    explicit Lane(StreamedReconstruction r) : reconstruction(std::move(r)) {}
    StreamedReconstruction reconstruction;
    SliceBuffer slice;
    DiskStateTable::Matches matches;
    std::vector<std::uint64_t> keys;
    std::vector<std::byte> rows;
    std::vector<std::uint64_t> ids;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint64_t> distinct;  // places in the slice
    std::uint64_t candidates = 0;
    std::uint64_t marks = 0;
    std::uint64_t conflicts = 0;
    Status status = Done{};
  };
  using Bits = std::unique_ptr<std::atomic<std::uint64_t>[]>;

  DuplicateDetection(const Model& model, const DiskStateTable& table, ThreadTeam& team,
                     MemoryBudget& budget, const Options& options);

  Status match(Lane& lane, unsigned thread, std::size_t slice);
  Status compare(Lane& lane, std::size_t slice);
  bool is_duplicate(std::uint64_t ordinal) const;
  Status first_error();

  std::size_t width_;
  const DiskStateTable* table_;
  ThreadTeam* team_;
  RecordSorter by_hash_;    // payload: descriptor, origin big-endian
  RecordSorter by_id_;      // payload: ordinal, descriptor
  RecordSorter by_origin_;  // payload: ordinal, descriptor
  std::vector<std::unique_ptr<Lane>> lanes_;
  // A candidate's ordinal is its slice by hash and its place there. By slice: a bit per candidate.
  std::vector<Bits> duplicates_;
  std::uint64_t spilled_bytes_ = 0;
};

}  // namespace comback

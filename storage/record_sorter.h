#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/async_reader.h"
#include "io/block_codec.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/memory_budget.h"
#include "storage/radix_sort.h"
#include "storage/record_lane.h"
#include "storage/run_file.h"

namespace comback {

class RecordSorter;

// A slice of sorted records, and all that reading one takes: one per thread, reused.
class SliceBuffer {
 public:
  SliceBuffer() = default;
  SliceBuffer(const SliceBuffer&) = delete;
  SliceBuffer& operator=(const SliceBuffer&) = delete;
  ~SliceBuffer() { account(0); }

  std::size_t size() const { return keys_.size(); }
  std::span<const std::uint64_t> keys() const { return keys_; }  // ascending
  // Row by row, in the order of the keys.
  const std::byte* payloads() const { return payloads_.data(); }
  std::size_t memory_bytes() const;
  // Empties the slice and gives back its memory.
  void release_memory();

 private:
  friend class RecordSorter;
  void account(std::uint64_t bytes);

  std::vector<std::uint64_t> keys_;
  RawBuffer payloads_;
  std::vector<SortItem> items_;
  std::vector<SortItem> scratch_;
  std::unique_ptr<AsyncReader> reader_;
  RunBlockDecoder decoder_;
  RawBuffer stored_;                // blocks as read
  std::vector<std::byte> records_;  // of the blocks, inside the slice
  std::vector<ReadRequest> requests_;
  MemoryBudget* budget_ = nullptr;
  std::uint64_t accounted_ = 0;
};

// Sorts fixed-size records by a 64-bit key, equal keys by their payload as memcmp does, within a
// share of memory and beyond it on disk.
//
// Records stay in memory while they fit. Where a lane's part of the share is full, its records are
// sorted and spilled as a run of compressed blocks. The sorted whole is then read slice by slice:
// the keys are cut into ranges so that the records of a range, from all runs, fit into memory,
// where they are sorted. So memory is bounded whatever the number of runs, which nobody has to
// merge; a block on the border of two slices is read by both.
//
// Ranges are cut where blocks begin, from the number of records in the blocks that begin in
// between. With R runs a slice may so have up to R blocks' records more, or less, than planned;
// when keys are hashes the differences cancel out. Equal keys are never in two slices: a key with
// more records than fit makes a slice that exceeds the share.
//
// Threads: add() by several, each with its own lane; read_slice() by several, each with its own
// buffer; all else alone.
class RecordSorter {
 public:
  struct Options {
    std::size_t payload_bytes = 0;
    std::uint64_t share_bytes = 0;  // of memory, for records and for the slices being read
    unsigned lanes = 1;             // threads that add
    unsigned readers = 1;           // threads that read slices
    std::filesystem::path dir;      // for spilled runs; made when the first one is
    std::string name = "sort";      // of the files in it: NAME-LANE
    IoKind io = IoKind::kAuto;
    // Runs hold only the bits in which the records of a block differ. In hash order zstd finds
    // little more in them, at three times the cost.
    int zstd_level = BlockEncoder::kStore;
  };

  // REQUIRES: lanes, readers > 0; `budget` outlives the sorter and the buffers that it filled. What
  // it refuses counts as a share that is full.
  RecordSorter(Options options, MemoryBudget& budget);
  ~RecordSorter();  // deletes its files

  // Where most keys will be, so that they spread evenly: all 64-bit numbers unless told otherwise.
  // Keys elsewhere are sorted just as well, only slower. REQUIRES: no records; first <= last.
  void expect_keys(std::uint64_t first, std::uint64_t last);

  // After an error the sorter is of no use until clear().
  // REQUIRES: not finished; `payloads` has keys.size() rows.
  Status add(unsigned lane, std::span<const std::uint64_t> keys, const std::byte* payloads);
  Status finish();

  // REQUIRES below: finished.
  std::size_t slice_count() const { return slices_.size(); }
  // Replaces the contents of `out` by those of slice i: all keys of slice i are smaller than those
  // of slice i + 1. Reads of all run blocks of the slice are in flight at once.
  Status read_slice(std::size_t i, SliceBuffer& out) const;

  // Back to no records; deletes its files and keeps its memory.
  void clear();
  void release_memory();  // REQUIRES: no records

  std::uint64_t size() const;  // records
  std::uint64_t spilled_bytes() const;
  std::size_t runs() const;
  std::uint64_t memory_bytes() const;  // without the slice buffers

 private:
  // In memory: buckets first .. last. On disk: keys first .. last.
  struct Slice {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t records = 0;  // planned
  };
  struct Lane;

  Status spill(unsigned lane);
  Status spill_all();
  bool spilled() const;
  bool cut_memory();  // false where a bucket is too large for a slice
  void cut_runs();
  void read_memory(const Slice& slice, SliceBuffer& out) const;
  Status read_runs(const Slice& slice, SliceBuffer& out) const;
  void append_sorted(SliceBuffer& out) const;  // out.items_
  std::uint64_t spilled_slice_records() const;

  Options options_;
  MemoryBudget* budget_;
  std::size_t record_bytes_;
  RecordLane::Shape shape_;
  KeyBuckets buckets_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Slice> slices_;
  bool finished_ = false;
};

}  // namespace comback

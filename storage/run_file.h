#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "io/block_codec.h"
#include "io/buffered_writer.h"
#include "io/file.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "storage/column_codec.h"

namespace comback {

// A file of sorted runs of records. It is worthless without its index, which is only in memory: a
// crash ends the sort that it belongs to.
class RunFile {
 public:
  // Records as columns of storage/column_codec.h in a block of io/block_codec.h, each key as the
  // difference to the one before (0 for the first).
  struct Block {
    std::uint64_t first_key = 0;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t count = 0;  // of records
  };
  struct Run {
    std::vector<Block> blocks;  // first keys never decrease
    std::uint64_t last_key = 0;
  };

  static Result<RunFile> create(const std::filesystem::path& path, std::size_t record_bytes,
                                std::size_t block_bytes, int zstd_level);

  // The file is deleted, if it can be, with the object.
  RunFile(RunFile&&) noexcept = default;
  RunFile& operator=(RunFile&&) = delete;
  ~RunFile();

  // The records added from here on, until the next call, are a run of their own.
  Status begin_run();
  // REQUIRES: in a run; key is not smaller than the one before.
  Status add(std::uint64_t key, const std::byte* payload);
  // What was added can be read; nothing more is added. Gives back the memory that writing took.
  Status finish();

  const File& file() const { return *file_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::uint64_t size() const { return size_; }  // records
  std::uint64_t bytes_written() const { return bytes_; }
  std::size_t memory_bytes() const;

 private:
  RunFile(File file, std::size_t record_bytes, std::size_t block_bytes, int zstd_level);
  Status end_block();

  std::unique_ptr<File> file_;  // where it is: the writer and reads in flight point at it
  std::size_t record_bytes_;
  std::size_t block_records_;
  struct Writer {
    ColumnEncoder columns;
    BlockEncoder encoder;
    BufferedWriter out;
    RawBuffer rows;
  };
  std::unique_ptr<Writer> writer_;
  std::size_t block_count_ = 0;  // records of the block being filled
  std::uint64_t block_first_key_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<Run> runs_;
};

// One per thread, reused.
class RunBlockDecoder {
 public:
  // The records of a block, row by row, until the next call. `stored`: the block's bytes, which are
  // not believed.
  Result<const std::byte*> decode(const RunFile::Block& block, std::span<const std::byte> stored,
                                  std::size_t record_bytes);

  std::size_t memory_bytes() const {
    return blocks_.memory_bytes() + columns_.memory_bytes() + raw_.capacity() + rows_.capacity();
  }

 private:
  BlockDecoder blocks_;
  ColumnDecoder columns_{RowOrder::kRandom};
  RawBuffer raw_;
  RawBuffer rows_;
};

}  // namespace comback

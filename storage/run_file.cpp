#include "storage/run_file.h"

#include <algorithm>
#include <cassert>

#include "io/little_endian.h"
#include "storage/bytes.h"

namespace comback {
namespace {

constexpr std::size_t kWriteBlocks = 16;  // go to the file at once, as far as they fit its buffer

}  // namespace

Result<RunFile> RunFile::create(const std::filesystem::path& path, std::size_t record_bytes,
                                std::size_t block_bytes, int zstd_level) {
  auto file = File::create(path);
  if (!file) return file.error();
  return RunFile(std::move(*file), record_bytes, block_bytes, zstd_level);
}

RunFile::RunFile(File file, std::size_t record_bytes, std::size_t block_bytes, int zstd_level)
    : file_(std::make_unique<File>(std::move(file))),
      record_bytes_(record_bytes),
      block_records_(std::max<std::size_t>(block_bytes / record_bytes, 1)),
      writer_(new Writer{ColumnEncoder(RowOrder::kRandom), BlockEncoder(zstd_level),
                         BufferedWriter(*file_, std::min(BufferedWriter::kBufferBytes,
                                                         kWriteBlocks * block_bytes)),
                         RawBuffer()}) {}

RunFile::~RunFile() {
  if (!file_) return;
  [[maybe_unused]] const Status removed = remove_file(file_->path());
}

Status RunFile::begin_run() {
  if (auto ended = end_block(); !ended) return ended;
  runs_.emplace_back();
  return Done{};
}

Status RunFile::add(std::uint64_t key, const std::byte* payload) {
  Run& run = runs_.back();
  assert(run.last_key <= key);
  if (block_count_ == 0) block_first_key_ = run.last_key = key;
  std::byte* const record =
      writer_->rows.reserve(block_records_ * record_bytes_) + block_count_ * record_bytes_;
  store_le(record, key - run.last_key);
  copy_bytes(record + 8, payload, record_bytes_ - 8);
  run.last_key = key;
  ++size_;
  return ++block_count_ == block_records_ ? end_block() : Done{};
}

Status RunFile::end_block() {
  if (block_count_ == 0) return Done{};
  const std::span<const std::byte> encoded = writer_->encoder.encode(
      BlockKind::kSortedRun,
      writer_->columns.encode(writer_->rows.data(), block_count_, record_bytes_));
  const Block block{block_first_key_, writer_->out.end(),
                    static_cast<std::uint32_t>(encoded.size()),
                    static_cast<std::uint32_t>(block_count_)};
  if (auto written = writer_->out.append(encoded); !written) return written;
  runs_.back().blocks.push_back(block);
  bytes_ += encoded.size();
  block_count_ = 0;
  return Done{};
}

Status RunFile::finish() {
  if (auto ended = end_block(); !ended) return ended;
  if (auto flushed = writer_->out.flush(); !flushed) return flushed;
  writer_.reset();
  return Done{};
}

std::size_t RunFile::memory_bytes() const {
  std::size_t sum = 0;
  if (writer_) {
    sum = writer_->columns.memory_bytes() + writer_->encoder.memory_bytes() +
          writer_->out.memory_bytes() + writer_->rows.capacity();
  }
  for (const Run& run : runs_) sum += run.blocks.capacity() * sizeof(Block);
  return sum;
}

Result<const std::byte*> RunBlockDecoder::decode(const RunFile::Block& block,
                                                 std::span<const std::byte> stored,
                                                 std::size_t record_bytes) {
  const std::size_t most = ColumnDecoder::most_bytes(block.count, record_bytes);
  std::byte* const raw = raw_.reserve(most);
  auto bytes = blocks_.decode(BlockKind::kSortedRun, stored, {raw, most});
  if (!bytes) return bytes.error();
  std::byte* const rows = rows_.reserve(block.count * record_bytes);
  auto decoded = columns_.decode({raw, *bytes}, block.count, record_bytes, rows);
  if (!decoded) return decoded.error();
  std::uint64_t key = block.first_key;
  for (std::byte* row = rows; row != rows + block.count * record_bytes; row += record_bytes) {
    key += load_le<std::uint64_t>(row);
    store_le(row, key);
  }
  return rows;
}

}  // namespace comback

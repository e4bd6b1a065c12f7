#include "storage/record_sorter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <optional>
#include <thread>

#include "io/little_endian.h"
#include "storage/bytes.h"

namespace comback {
namespace {

constexpr std::uint64_t kAllKeys = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kReadDepth = 64;
constexpr std::size_t kReadBytes = std::size_t{256} << 10;  // of neighbouring blocks, at once
// Of the share: what is left for the records is seven eighths.
constexpr std::uint64_t kSliceShare = 8;
constexpr std::uint64_t kFewestSliceRecords = 1024;
constexpr std::uint64_t kCachedSliceRecords = 32768;

// A spilled slice brings in at least a part of a block of every run: with a 1024th of the share
// per block, 500 runs are no trouble.
std::size_t block_bytes(std::uint64_t share) {
  return std::clamp<std::uint64_t>(share / 1024, 512, std::size_t{64} << 10);
}

void append_items(std::span<const std::byte> records, std::size_t record_bytes,
                  std::vector<SortItem>& items) {
  for (std::size_t at = 0; at < records.size(); at += record_bytes) {
    const std::byte* const record = records.data() + at;
    items.push_back({load_le<std::uint64_t>(record), record + 8});
  }
}

}  // namespace

std::size_t SliceBuffer::memory_bytes() const {
  return keys_.capacity() * 8 + payloads_.capacity() +
         (items_.capacity() + scratch_.capacity()) * sizeof(SortItem) + decoder_.memory_bytes() +
         stored_.capacity() + records_.capacity() + requests_.capacity() * sizeof(ReadRequest);
}

void SliceBuffer::release_memory() {
  keys_ = {};
  payloads_ = {};
  items_ = {};
  scratch_ = {};
  decoder_ = {};
  stored_ = {};
  records_ = {};
  account(0);
}

// The share was promised to the sorter, so what the budget refuses is used all the same.
void SliceBuffer::account(std::uint64_t bytes) {
  if (budget_ == nullptr) return;
  if (bytes < accounted_) {
    budget_->give(accounted_ - bytes);
    accounted_ = bytes;
  } else if (bytes > accounted_ && budget_->take(bytes - accounted_)) {
    accounted_ = bytes;
  }
}

struct RecordSorter::Lane {
  Lane(const RecordLane::Shape& shape, MemoryBudget& budget) : records(shape, budget) {}
  RecordLane records;
  std::optional<RunFile> file;
  std::vector<SortItem> items;
  std::vector<SortItem> scratch;
};

RecordSorter::RecordSorter(Options options, MemoryBudget& budget)
    : options_(std::move(options)),
      budget_(&budget),
      record_bytes_(8 + options_.payload_bytes),
      shape_(RecordLane::Shape::fit(
          record_bytes_, options_.share_bytes / kSliceShare * (kSliceShare - 1) / options_.lanes)),
      buckets_(shape_.buckets, 0, kAllKeys) {
  assert(options_.lanes > 0 && options_.readers > 0);
  for (unsigned i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<Lane>(shape_, budget));
  }
}

RecordSorter::~RecordSorter() = default;

void RecordSorter::expect_keys(std::uint64_t first, std::uint64_t last) {
  assert(size() == 0);
  buckets_ = KeyBuckets(shape_.buckets, first, last);
}

Status RecordSorter::add(unsigned lane, std::span<const std::uint64_t> keys,
                         const std::byte* payloads) {
  assert(!finished_ && lane < lanes_.size());
  RecordLane& records = lanes_[lane]->records;
  for (const std::uint64_t key : keys) {
    const std::size_t bucket = buckets_.of(key);
    if (!records.add(bucket, key, payloads)) [[unlikely]] {
      if (auto done = spill(lane); !done) return done;
      if (!records.add(bucket, key, payloads)) {
        return Error{Errc::kOutOfMemory,
                     fmt::format("sort {}: the memory budget leaves no room for {} bytes",
                                 options_.name, shape_.chunk_bytes())};
      }
    }
    payloads += options_.payload_bytes;
  }
  return Done{};
}

Status RecordSorter::spill(unsigned index) {
  Lane& lane = *lanes_[index];
  if (lane.records.size() == 0) return Done{};
  if (!lane.file) {
    if (auto made = make_directories(options_.dir); !made) return made;
    auto file =
        RunFile::create(options_.dir / fmt::format("{}-{:03}", options_.name, index), record_bytes_,
                        block_bytes(options_.share_bytes), options_.zstd_level);
    if (!file) return file.error();
    lane.file.emplace(std::move(*file));
  }
  // A bucket with more items than this, where keys are far from even, becomes several runs.
  const std::size_t most_items = std::max<std::uint64_t>(
      shape_.most_bytes / kSliceShare / (2 * sizeof(SortItem)), kFewestSliceRecords);
  if (auto begun = lane.file->begin_run(); !begun) return begun;
  const auto write_items = [&]() -> Status {
    lane.scratch.resize(std::max(lane.scratch.size(), lane.items.size()));
    sort_items(lane.items, lane.scratch.data(), options_.payload_bytes);
    for (const SortItem& item : lane.items) {
      if (auto added = lane.file->add(item.key, item.payload); !added) return added;
    }
    lane.items.clear();
    return Done{};
  };
  for (std::size_t bucket = 0; bucket < shape_.buckets; ++bucket) {
    for (std::size_t c = 0; c < lane.records.chunks(bucket); ++c) {
      const std::span<const std::byte> chunk = lane.records.chunk(bucket, c);
      const std::size_t n = chunk.size() / record_bytes_;
      if (!lane.items.empty() && lane.items.size() + n > most_items) {
        if (auto written = write_items(); !written) return written;
        if (auto begun = lane.file->begin_run(); !begun) return begun;
      }
      append_items(chunk, record_bytes_, lane.items);
    }
    if (auto written = write_items(); !written) return written;
  }
  lane.records.clear();
  return Done{};
}

Status RecordSorter::spill_all() {
  std::vector<std::optional<Error>> errors(lanes_.size());
  const auto spill_lane = [&](unsigned lane) {
    Status status = spill(lane);
    if (status && lanes_[lane]->file) status = lanes_[lane]->file->finish();
    if (!status) errors[lane] = status.error();
  };
  std::vector<std::thread> threads;
  for (unsigned lane = 1; lane < lanes_.size(); ++lane) threads.emplace_back(spill_lane, lane);
  spill_lane(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  for (auto& lane : lanes_) {
    lane->records.release_memory();
    lane->items = {};
    lane->scratch = {};
  }
  return Done{};
}

bool RecordSorter::spilled() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return !!lane->file; });
}

Status RecordSorter::finish() {
  assert(!finished_);
  finished_ = true;
  if (!spilled() && cut_memory()) return Done{};
  if (auto done = spill_all(); !done) return done;
  cut_runs();
  return Done{};
}

bool RecordSorter::cut_memory() {
  const std::uint64_t per_record = 2 * sizeof(SortItem) + record_bytes_;
  const std::uint64_t most = std::max(
      options_.share_bytes / kSliceShare / options_.readers / per_record, kFewestSliceRecords);
  // Several slices per reader, so that they finish together, and no more than stays in a cache, but
  // none of a handful of records.
  const std::uint64_t wanted = std::min(
      most, std::clamp(size() / (8 * options_.readers), kFewestSliceRecords, kCachedSliceRecords));
  slices_.clear();
  Slice slice;
  for (std::size_t bucket = 0; bucket < shape_.buckets; ++bucket) {
    std::uint64_t n = 0;
    for (const auto& lane : lanes_) n += lane->records.size(bucket);
    if (n > most) {
      slices_.clear();
      return false;
    }
    if (slice.records > 0 && slice.records + n > wanted) {
      slices_.push_back(slice);
      slice = {bucket, bucket, 0};
    }
    slice.last = bucket;
    slice.records += n;
  }
  if (slice.records > 0) slices_.push_back(slice);
  return true;
}

void RecordSorter::cut_runs() {
  struct Start {
    std::uint64_t key;
    std::uint32_t records;
  };
  std::vector<Start> starts;
  std::uint64_t most_block = 0;
  for (const auto& lane : lanes_) {
    if (!lane->file) continue;
    for (const RunFile::Run& run : lane->file->runs()) {
      for (const RunFile::Block& block : run.blocks) {
        starts.push_back({block.first_key, block.count});
        most_block = std::max<std::uint64_t>(most_block, block.count);
      }
    }
  }
  std::sort(starts.begin(), starts.end(),
            [](const Start& a, const Start& b) { return a.key < b.key; });
  // Blocks on the borders count in full as long as that leaves half of the slice.
  const std::uint64_t most = spilled_slice_records();
  const std::uint64_t border = std::min(runs() * most_block, most / 2);
  const std::uint64_t wanted = most - border;
  slices_.clear();
  Slice slice{0, kAllKeys, 0};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool new_key = i > 0 && starts[i].key != starts[i - 1].key;
    if (new_key && slice.records + starts[i].records > wanted) {
      slice.last = starts[i].key - 1;
      slices_.push_back(slice);
      slice = {starts[i].key, kAllKeys, 0};
    }
    slice.records += starts[i].records;
  }
  if (slice.records > 0) slices_.push_back(slice);
}

std::uint64_t RecordSorter::spilled_slice_records() const {
  // As stored, as decoded, as items and their scratch, and as the result.
  const std::uint64_t per_record = 3 * record_bytes_ + 2 * sizeof(SortItem);
  return std::max<std::uint64_t>(options_.share_bytes / options_.readers / per_record, 2);
}

Status RecordSorter::read_slice(std::size_t i, SliceBuffer& out) const {
  assert(finished_ && i < slices_.size());
  out.budget_ = budget_;
  out.keys_.clear();
  if (spilled()) {
    if (auto read = read_runs(slices_[i], out); !read) return read;
  } else {
    read_memory(slices_[i], out);
  }
  out.account(out.memory_bytes());
  return Done{};
}

// Bucket by bucket, so that sorting stays within the processor's cache.
void RecordSorter::read_memory(const Slice& slice, SliceBuffer& out) const {
  out.keys_.reserve(slice.records);
  out.payloads_.reserve(slice.records * options_.payload_bytes);
  for (std::size_t bucket = slice.first; bucket <= slice.last; ++bucket) {
    out.items_.clear();
    for (const auto& lane : lanes_) {
      for (std::size_t c = 0; c < lane->records.chunks(bucket); ++c) {
        append_items(lane->records.chunk(bucket, c), record_bytes_, out.items_);
      }
    }
    append_sorted(out);
  }
}

Status RecordSorter::read_runs(const Slice& slice, SliceBuffer& out) const {
  using Block = RunFile::Block;
  // Neighbouring blocks of a run that are read at once.
  struct Piece {
    const File* file;
    const Block* first;
    const Block* last;  // behind
  };
  std::vector<Piece> pieces;
  std::size_t stored = 0;
  for (const auto& lane : lanes_) {
    if (!lane->file) continue;
    for (const RunFile::Run& run : lane->file->runs()) {
      if (run.blocks.empty() || run.last_key < slice.first) continue;
      const Block* const begin = run.blocks.data();
      const Block* const end = begin + run.blocks.size();
      const auto key_less = [](const Block& b, std::uint64_t key) { return b.first_key < key; };
      // The block before the first one that starts in the slice may end in it.
      const Block* b = std::lower_bound(begin, end, slice.first, key_less);
      if (b != begin) --b;
      while (b != end && b->first_key <= slice.last) {
        Piece piece{&lane->file->file(), b, b};
        std::size_t bytes = 0;
        while (b != end && b->first_key <= slice.last &&
               (bytes == 0 || bytes + b->bytes <= kReadBytes)) {
          bytes += b->bytes;
          ++b;
        }
        piece.last = b;
        pieces.push_back(piece);
        stored += bytes;
      }
    }
  }

  std::byte* buffer = out.stored_.reserve(stored);
  out.requests_.clear();
  for (const Piece& piece : pieces) {
    const Block& last = piece.last[-1];
    const std::size_t bytes = last.offset + last.bytes - piece.first->offset;
    out.requests_.push_back({piece.file, piece.first->offset, buffer, bytes, out.requests_.size()});
    buffer += bytes;
  }
  if (!out.reader_) {
    auto reader = AsyncReader::open(options_.io, kReadDepth);
    if (!reader) return reader.error();
    out.reader_ = std::move(*reader);
  }
  // An error leaves reads in flight into memory of `out`; the reader waits for them and goes.
  const auto failed = [&](Error error) {
    out.reader_.reset();
    return error;
  };
  if (auto sent = out.reader_->submit(out.requests_); !sent) return failed(sent.error());

  out.records_.clear();
  // Planned, and a sixteenth for blocks on the borders.
  out.records_.reserve((slice.records + slice.records / 16) * record_bytes_);
  while (out.reader_->in_flight() > 0) {
    auto tag = out.reader_->wait();
    if (!tag) return failed(tag.error());
    const Piece& piece = pieces[*tag];
    const ReadRequest& request = out.requests_[*tag];
    for (const Block* b = piece.first; b != piece.last; ++b) {
      const std::byte* const bytes = request.buffer + (b->offset - request.offset);
      auto rows = out.decoder_.decode(*b, {bytes, b->bytes}, record_bytes_);
      if (!rows) return failed(located(rows.error(), piece.file->path(), b->offset));
      const std::byte* first = *rows;
      const std::byte* last = first + b->count * record_bytes_;
      while (first != last && load_le<std::uint64_t>(first) < slice.first) first += record_bytes_;
      while (first != last && load_le<std::uint64_t>(last - record_bytes_) > slice.last) {
        last -= record_bytes_;
      }
      out.records_.insert(out.records_.end(), first, last);
    }
  }
  out.items_.clear();
  out.items_.reserve(out.records_.size() / record_bytes_);
  append_items(out.records_, record_bytes_, out.items_);
  out.payloads_.reserve(out.items_.size() * options_.payload_bytes);
  append_sorted(out);
  return Done{};
}

void RecordSorter::append_sorted(SliceBuffer& out) const {
  const std::size_t payload_bytes = options_.payload_bytes;
  const std::size_t n = out.items_.size();
  if (out.scratch_.size() < n) out.scratch_ = std::vector<SortItem>(n);
  sort_items(out.items_, out.scratch_.data(), payload_bytes);
  const std::size_t before = out.keys_.size();
  out.keys_.resize(before + n);
  std::byte* payload = out.payloads_.data() + before * payload_bytes;
  for (std::size_t i = 0; i < n; ++i) {
    out.keys_[before + i] = out.items_[i].key;
    copy_bytes(payload, out.items_[i].payload, payload_bytes);
    payload += payload_bytes;
  }
}

void RecordSorter::clear() {
  for (auto& lane : lanes_) {
    lane->records.clear();
    lane->file.reset();
    lane->items.clear();
  }
  slices_.clear();
  finished_ = false;
}

void RecordSorter::release_memory() {
  for (auto& lane : lanes_) {
    lane->records.release_memory();
    lane->items = {};
    lane->scratch = {};
  }
}

std::uint64_t RecordSorter::size() const {
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) {
    sum += lane->records.size();
    if (lane->file) sum += lane->file->size();
  }
  return sum;
}

std::uint64_t RecordSorter::spilled_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) sum += lane->file ? lane->file->bytes_written() : 0;
  return sum;
}

std::size_t RecordSorter::runs() const {
  std::size_t sum = 0;
  for (const auto& lane : lanes_) sum += lane->file ? lane->file->runs().size() : 0;
  return sum;
}

std::uint64_t RecordSorter::memory_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) {
    sum += lane->records.memory_bytes() +
           (lane->items.capacity() + lane->scratch.capacity()) * sizeof(SortItem) +
           (lane->file ? lane->file->memory_bytes() : 0);
  }
  return sum;
}

}  // namespace comback

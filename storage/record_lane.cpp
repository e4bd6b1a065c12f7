#include "storage/record_lane.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace comback {
namespace {

constexpr std::size_t kMostBuckets = 256;
constexpr std::size_t kMostChunkBytes = 16384;
constexpr std::size_t kFewestChunkRecords = 8;
constexpr std::uint64_t kOwnBytes = std::uint64_t{64} << 10;

}  // namespace

KeyBuckets::KeyBuckets(std::size_t count, std::uint64_t first, std::uint64_t last)
    : count_(count), first_(first) {
  assert(std::has_single_bit(count) && first <= last);
  __extension__ using Wide = unsigned __int128;
  // A range of fewer keys than twice the buckets would need a factor of more than 64 bits.
  const Wide range = std::max<Wide>(static_cast<Wide>(last - first) + 1, 2 * count);
  factor_ = static_cast<std::uint64_t>((static_cast<Wide>(count) << 64) / range);
}

RecordLane::Shape RecordLane::Shape::fit(std::size_t record_bytes, std::uint64_t most_bytes) {
  const std::size_t wanted = std::min<std::uint64_t>(kMostChunkBytes, most_bytes / 1024);
  const std::size_t records = std::max(wanted / record_bytes, kFewestChunkRecords);
  const std::uint64_t chunks = most_bytes / (records * record_bytes);
  return {record_bytes, std::bit_floor(std::clamp<std::uint64_t>(chunks / 4, 1, kMostBuckets)),
          records, most_bytes};
}

RecordLane::RecordLane(const Shape& shape, MemoryBudget& budget)
    : shape_(shape),
      budget_(&budget),
      buckets_(shape.buckets),
      own_(Mapping::allocate(
          std::max<std::uint64_t>(std::min(kOwnBytes, shape.most_bytes), shape.chunk_bytes()),
          budget)) {
  add_chunks(own_);
}

std::uint64_t RecordLane::size(std::size_t bucket) const {
  const Bucket& b = buckets_[bucket];
  return b.chunks.size() * shape_.chunk_records -
         static_cast<std::uint64_t>(b.limit - b.end) / shape_.record_bytes;
}

std::span<const std::byte> RecordLane::chunk(std::size_t bucket, std::size_t i) const {
  const Bucket& b = buckets_[bucket];
  const std::byte* const first = b.chunks[i];
  if (i + 1 == b.chunks.size()) return {first, static_cast<const std::byte*>(b.end)};
  return {first, shape_.chunk_bytes()};
}

bool RecordLane::open_chunk(Bucket& bucket) {
  if (free_chunks_.empty()) {
    // Small lanes take all at once; others grow by whole huge pages.
    const std::uint64_t step = std::min<std::uint64_t>(
        shape_.most_bytes, std::max(Mapping::kHugePage, 8 * shape_.chunk_bytes()));
    std::uint64_t bytes = std::max<std::uint64_t>(step, shape_.chunk_bytes());
    if (memory_bytes_ != 0) {
      bytes = std::min(bytes, shape_.most_bytes - std::min(shape_.most_bytes, memory_bytes_));
    }
    Mapping slab;
    for (; !slab && bytes >= shape_.chunk_bytes(); bytes /= 2) {  // of what others have left
      slab = Mapping::allocate(bytes, *budget_);
    }
    if (!slab) return false;
    add_chunks(slab);
    slabs_.push_back(std::move(slab));
  }
  std::byte* const chunk = free_chunks_.back();
  free_chunks_.pop_back();
  bucket.chunks.push_back(chunk);
  bucket.end = chunk;
  bucket.limit = chunk + shape_.chunk_bytes();
  return true;
}

void RecordLane::add_chunks(const Mapping& slab) {
  memory_bytes_ += slab.size();
  for (std::size_t n = slab.size() / shape_.chunk_bytes(); n-- > 0;) {
    free_chunks_.push_back(slab.data() + n * shape_.chunk_bytes());
  }
}

void RecordLane::clear() {
  for (Bucket& bucket : buckets_) {
    free_chunks_.insert(free_chunks_.end(), bucket.chunks.rbegin(), bucket.chunks.rend());
    bucket.chunks.clear();
    bucket.end = bucket.limit = nullptr;
  }
  size_ = 0;
}

void RecordLane::release_memory() {
  assert(size_ == 0);
  free_chunks_ = {};
  memory_bytes_ = 0;
  slabs_.clear();
  add_chunks(own_);
}

}  // namespace comback

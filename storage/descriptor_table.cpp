#include "storage/descriptor_table.h"

#include <algorithm>

namespace comback {
namespace {

constexpr std::uint64_t kBucketsPerPage = Mapping::kPage / 64;

// An entry takes 64/12 bytes / load: at 0.92 it takes 5.8, after growing by 1.35 it takes 7.83.
std::uint64_t most_entries(std::uint64_t buckets) { return buckets * 12 * 92 / 100; }

}  // namespace

bool DescriptorTable::open() {
  for (Partition& p : partitions_) {
    p.memory = Mapping::allocate(Mapping::kPage, *budget_);
    if (!p.memory) return false;
    p.buckets = reinterpret_cast<Bucket*>(p.memory.data());
    p.bucket_count = kBucketsPerPage;
    p.left = most_entries(p.bucket_count);
    bytes_ += p.memory.size();
  }
  return true;
}

void DescriptorTable::place(const Partition& p, std::uint64_t hash, std::uint32_t id) {
  Bucket* bucket = home_in(p, hash);
  while (bucket->count == kSlots) bucket = next(p, bucket);
  bucket->tags[bucket->count] = tag_of(hash);
  bucket->ids[bucket->count] = id;
  ++bucket->count;
}

bool DescriptorTable::grow(Partition& p) {
  // Whole pages; 1.35 is rounded down, so that no entry takes more than 7.9 bytes, but a partition
  // of one or two pages has to double.
  const std::uint64_t pages = p.bucket_count / kBucketsPerPage;
  const std::uint64_t more = std::max<std::uint64_t>(pages * 135 / 100, pages + 1);
  Partition grown;
  grown.memory = Mapping::allocate(more * Mapping::kPage, *budget_);
  if (!grown.memory) return false;
  grown.buckets = reinterpret_cast<Bucket*>(grown.memory.data());
  grown.bucket_count = more * kBucketsPerPage;
  grown.left = most_entries(grown.bucket_count) - most_entries(p.bucket_count);

  // The old buckets are in hash order, so the new ones are written nearly in sequence; the log is
  // read at random, some buckets ahead.
  constexpr std::uint64_t kAhead = 4;
  for (std::uint64_t b = 0; b < p.bucket_count + kAhead; ++b) {
    if (b < p.bucket_count) {
      const Bucket& ahead = p.buckets[b];
      for (unsigned i = 0; i < ahead.count; ++i) log_->prefetch(ahead.ids[i]);
    }
    if (b < kAhead) continue;
    const Bucket& bucket = p.buckets[b - kAhead];
    for (unsigned i = 0; i < bucket.count; ++i) {
      place(grown, hash_of(log_->get(bucket.ids[i])), bucket.ids[i]);
    }
  }
  bytes_ += grown.memory.size() - p.memory.size();
  p = std::move(grown);
  return true;
}

}  // namespace comback

#include "storage/tag_index.h"

#include <cstring>

namespace comback {

bool TagIndex::allocate(std::uint64_t pages, MemoryBudget& budget) {
  memory_ = Mapping::allocate(pages * Mapping::kPage, budget);
  if (!memory_) return false;
  buckets_ = reinterpret_cast<Bucket*>(memory_.data());
  bucket_count_ = pages * kBucketsPerPage;
  left_ = most_entries(bucket_count_);
  return true;
}

void TagIndex::clear() {
  std::memset(static_cast<void*>(buckets_), 0, bucket_count_ * sizeof(Bucket));
  left_ = most_entries(bucket_count_);
}

}  // namespace comback

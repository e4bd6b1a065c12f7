#include "storage/descriptor_log.h"

#include <algorithm>

namespace comback {

bool DescriptorLog::grow(std::uint64_t count) {
  if (count > most_ - size_) return false;
  while (size_ + count > capacity_) {
    Mapping chunk = Mapping::allocate(chunk_bytes_, *budget_);
    if (!chunk) return false;
    starts_.push_back(chunk.data());
    chunks_.push_back(std::move(chunk));
    capacity_ += per_chunk_;
    if (room_ == 0) open_next_chunk();
  }
  return true;
}

void DescriptorLog::append_unwritten(std::uint64_t count) {
  assert(size_ + count <= capacity_);
  size_ += count;
  if (size_ == capacity_) {
    room_ = 0;
    return;
  }
  end_ = slot(size_);
  room_ = per_chunk_ - size_ % per_chunk_;
}

void DescriptorLog::open_next_chunk() {
  const std::uint64_t chunk = size_ / per_chunk_;
  if (chunk == chunks_.size()) return;  // grow() opens it
  end_ = slot(size_);
  room_ = per_chunk_ - size_ % per_chunk_;
}

void DescriptorLog::clear() {
  chunks_.clear();
  starts_.clear();
  size_ = capacity_ = start_ = first_chunk_ = room_ = 0;
  end_ = nullptr;
}

void DescriptorLog::start_at(std::uint64_t id) {
  assert(size_ == 0);
  first_chunk_ = id / per_chunk_;
  chunks_.clear();
  chunks_.resize(first_chunk_);
  starts_.assign(first_chunk_, nullptr);
  capacity_ = first_chunk_ * per_chunk_;
  size_ = start_ = id;
  end_ = nullptr;
  room_ = 0;
}

void DescriptorLog::release_below(std::uint64_t id) {
  const std::uint64_t last = std::min(id, size_) / per_chunk_;
  while (first_chunk_ < last && first_chunk_ < chunks_.size()) chunks_[first_chunk_++] = Mapping();
}

}  // namespace comback

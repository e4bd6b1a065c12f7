#include "storage/growing_array.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace comback {

bool GrowingArray::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return true;
  std::size_t capacity = bytes + bytes / 8;
  const bool mapped = capacity >= kMapFrom;
  const std::size_t unit = mapped ? 4096 : 64;
  capacity = (capacity + unit - 1) / unit * unit;
  if (!budget_->take(capacity - capacity_)) return false;

  void* grown = nullptr;
  const bool was_mapped = capacity_ >= kMapFrom;
  if (was_mapped) {
    grown = ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  } else if (mapped) {
    grown = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    grown = std::realloc(data_, capacity);
  }
  if (grown == nullptr || grown == MAP_FAILED) {
    budget_->give(capacity - capacity_);
    return false;
  }
  if (mapped && !was_mapped && data_ != nullptr) {
    std::memcpy(grown, data_, capacity_);
    std::free(data_);
  }
  data_ = static_cast<std::byte*>(grown);
  capacity_ = capacity;
  return true;
}

void GrowingArray::clear() {
  if (data_ == nullptr) return;
  if (capacity_ >= kMapFrom) {
    ::munmap(data_, capacity_);
  } else {
    std::free(data_);
  }
  budget_->give(capacity_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace comback

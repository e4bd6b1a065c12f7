#include "storage/reserved_region.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "storage/mapping.h"

namespace comback {

ReservedRegion ReservedRegion::reserve(std::size_t most, MemoryBudget& budget) {
  ReservedRegion region;
  region.budget_ = &budget;
  // Address space can be limited; half of what was asked for may do.
  for (std::size_t bytes = std::max(most, Mapping::kHugePage);
       bytes >= Mapping::kHugePage && region.data_ == nullptr; bytes /= 2) {
    bytes = (bytes + Mapping::kHugePage - 1) / Mapping::kHugePage * Mapping::kHugePage;
    void* const p = ::mmap(nullptr, bytes + Mapping::kHugePage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    auto* const start = static_cast<std::byte*>(p);
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(p) % Mapping::kHugePage;
    if (head != 0) ::munmap(start, head);
    ::munmap(start + head + bytes, Mapping::kHugePage - head);
    ::madvise(start + head, bytes, MADV_HUGEPAGE);
    region.data_ = start + head;
    region.reserved_ = bytes;
  }
  return region;
}

bool ReservedRegion::grow_to(std::size_t bytes) {
  if (bytes > reserved_ || !budget_->take(bytes - size_)) return false;
  size_ = bytes;
  return true;
}

ReservedRegion::~ReservedRegion() {
  if (data_ == nullptr) return;
  ::munmap(data_, reserved_);
  budget_->give(size_);
}

}  // namespace comback

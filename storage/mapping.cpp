#include "storage/mapping.h"

#include <sys/mman.h>

#include <cstdint>

namespace comback {
namespace {

std::byte* map(std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

// Maps one huge page more than asked and cuts off what is not aligned.
std::byte* map_huge(std::size_t bytes) {
  std::byte* const p = map(bytes + Mapping::kHugePage);
  if (p == nullptr) return nullptr;
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(p) % Mapping::kHugePage;
  if (head != 0) ::munmap(p, head);
  ::munmap(p + head + bytes, Mapping::kHugePage - head);
  ::madvise(p + head, bytes, MADV_HUGEPAGE);
  return p + head;
}

}  // namespace

Mapping Mapping::allocate(std::size_t bytes, MemoryBudget& budget) {
  Mapping result;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (!budget.take(bytes)) return result;
  result.data_ = bytes % kHugePage == 0 ? map_huge(bytes) : map(bytes);
  if (result.data_ == nullptr) {
    budget.give(bytes);
    return result;
  }
  result.size_ = bytes;
  result.budget_ = &budget;
  return result;
}

Mapping::~Mapping() {
  if (data_ == nullptr) return;
  ::munmap(data_, size_);
  budget_->give(size_);
}

}  // namespace comback

#include "storage/descriptor_table.h"

namespace comback {

bool DescriptorTable::open() {
  for (TagIndex& partition : partitions_) {
    if (!partition.open(*budget_)) return false;
    bytes_ += partition.bytes();
  }
  return true;
}

bool DescriptorTable::grow(TagIndex& partition) {
  bytes_ -= partition.bytes();
  const bool grown = partition.reserve(
      1, *budget_, [this](std::uint32_t id) { return hash_of(log_->get(id)); },
      [this](std::uint32_t id) { log_->prefetch(id); });
  bytes_ += partition.bytes();
  return grown;
}

}  // namespace comback

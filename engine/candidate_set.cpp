#include "engine/candidate_set.h"

#include <algorithm>
#include <utility>

namespace comback {

CandidateSet::Added CandidateSet::insert(const Candidate& candidate, const std::byte* descriptor) {
  if ((size_ + 1) * 2 > mask_ && !grow_index()) return Added::kNoMemory;
  std::uint64_t slot = candidate.hash & mask_;
  for (; slots()[slot] != 0; slot = (slot + 1) & mask_) {
    if (holds(records_.at(slots()[slot] - 1), candidate.hash, descriptor)) return Added::kKnown;
  }
  std::byte* const record = records_.push();
  if (record == nullptr) return Added::kNoMemory;
  std::memcpy(record, &candidate, sizeof candidate);
  copy_bytes(record + sizeof candidate, descriptor, width_);
  slots()[slot] = static_cast<std::uint32_t>(++size_);
  return Added::kNew;
}

bool CandidateSet::grow_index() {
  const std::uint64_t slots_now = index_.size() / sizeof(std::uint32_t);
  Mapping grown =
      Mapping::allocate(std::max(kMinSlots, 2 * slots_now) * sizeof(std::uint32_t), *budget_);
  if (!grown) return false;
  index_ = std::move(grown);
  mask_ = index_.size() / sizeof(std::uint32_t) - 1;
  for (std::uint64_t i = 0; i < size_; ++i) {
    std::uint64_t slot = at(i).hash & mask_;
    while (slots()[slot] != 0) slot = (slot + 1) & mask_;
    slots()[slot] = static_cast<std::uint32_t>(i + 1);
  }
  return true;
}

void CandidateSet::clear() {
  if (size_ * 16 > mask_) {
    std::memset(index_.data(), 0, index_.size());
  } else {
    // Few: each is found from its home, and emptying a place cuts off only what is emptied too,
    // if the last one goes first.
    for (std::uint64_t i = size_; i-- > 0;) {
      std::uint64_t slot = at(i).hash & mask_;
      while (slots()[slot] != i + 1) slot = (slot + 1) & mask_;
      slots()[slot] = 0;
    }
  }
  records_.clear();
  size_ = 0;
}

}  // namespace comback

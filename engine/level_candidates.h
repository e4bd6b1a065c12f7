#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/bytes.h"
#include "storage/insertion.h"
#include "storage/mapping.h"
#include "storage/tag_index.h"

namespace comback {

// Where a candidate came from: its predecessor's place in the level and the event, ordered as
// states are numbered.
using Origin = std::uint64_t;
inline constexpr unsigned kOriginEventBits = 28;
inline Origin make_origin(std::uint64_t place_in_level, std::uint32_t event) {
  return place_in_level << kOriginEventBits | event;
}
inline std::uint64_t place_of(Origin origin) { return origin >> kOriginEventBits; }
inline std::uint32_t event_of(Origin origin) {
  return static_cast<std::uint32_t>(origin & ((1u << kOriginEventBits) - 1));
}

// A candidate in memory: hash, origin, then the descriptor; `stride` bytes in all.
struct CandidateRecord {
  std::uint64_t hash;
  Origin origin;
  std::byte* descriptor() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* descriptor() const { return reinterpret_cast<const std::byte*>(this + 1); }

  static std::size_t stride(std::size_t width) {
    return sizeof(CandidateRecord) + (width + 7) / 8 * 8;
  }
};

// The candidates of one partition, each descriptor once, with the smallest origin it was found
// from.
class LevelCandidates {
 public:
  // REQUIRES: `budget` outlives the set.
  LevelCandidates(std::size_t width, MemoryBudget& budget)
      : width_(width), stride_(CandidateRecord::stride(width)), budget_(&budget) {
    while (chunk_shift_ > 4 && (stride_ << chunk_shift_) > kChunkBytes) --chunk_shift_;
  }

  static std::uint64_t min_bytes(std::size_t width) {
    return TagIndex::kMinBytes + std::max(kChunkBytes, CandidateRecord::stride(width) << 4) +
           Mapping::kPage;
  }
  [[nodiscard]] bool open() { return index_.open(*budget_) && add_chunk(); }

  void prefetch(std::uint64_t hash) const { index_.prefetch(hash); }

  // kNew, kKnown or kNoMemory.
  Insertion insert(std::uint64_t hash, Origin origin, const std::byte* descriptor) {
    const std::uint32_t found = index_.find(hash, [&](std::uint32_t i) {
      return equal_bytes(record(i).descriptor(), descriptor, width_);
    });
    if (found != TagIndex::kNone) {
      CandidateRecord& known = record(found);
      if (origin < known.origin) known.origin = origin;
      return Insertion::kKnown;
    }
    if (!make_room()) return Insertion::kNoMemory;
    CandidateRecord& added = record(size_);
    added.hash = hash;
    added.origin = origin;
    copy_bytes(added.descriptor(), descriptor, width_);
    index_.insert(hash, size_++);
    return Insertion::kNew;
  }

  std::uint32_t size() const { return size_; }
  CandidateRecord& record(std::uint32_t i) const {
    return *reinterpret_cast<CandidateRecord*>(chunks_[i >> chunk_shift_].data() +
                                               (i & ((1u << chunk_shift_) - 1)) * stride_);
  }
  // Forgets the candidates. Keeps one chunk of memory where `shrink`, all of it otherwise.
  void clear(bool shrink = false);
  std::uint64_t bytes() const { return index_.bytes() + chunks_.size() * chunk_bytes(); }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

  std::size_t chunk_bytes() const { return stride_ << chunk_shift_; }
  bool add_chunk() {
    Mapping chunk = Mapping::allocate(chunk_bytes(), *budget_);
    if (!chunk) return false;
    chunks_.push_back(std::move(chunk));
    return true;
  }
  bool make_room() {
    if (size_ >> chunk_shift_ == chunks_.size() && !add_chunk()) return false;
    return index_.has_room() || index_.reserve(
                                    1, *budget_, [&](std::uint32_t i) { return record(i).hash; },
                                    [&](std::uint32_t i) { __builtin_prefetch(&record(i)); });
  }

  std::size_t width_;
  std::size_t stride_;
  unsigned chunk_shift_ = 16;  // records per chunk, as a power of two
  MemoryBudget* budget_;
  TagIndex index_;
  std::vector<Mapping> chunks_;
  std::uint32_t size_ = 0;
};

inline void LevelCandidates::clear(bool shrink) {
  size_ = 0;
  if (shrink && chunks_.size() > 1) {
    chunks_.resize(1);
    index_ = TagIndex();
    // A page was just given back.
    [[maybe_unused]] const bool opened = index_.open(*budget_);
    assert(opened);
    return;
  }
  index_.clear();
}

}  // namespace comback

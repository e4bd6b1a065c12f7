#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/level_candidates.h"
#include "engine/search.h"
#include "engine/thread_team.h"
#include "models/model.h"
#include "storage/memory_budget.h"

namespace comback {

// The successors that one thread generated for one partition, as candidate records side by side.
class SuccessorRecords {
 public:
  // REQUIRES: `budget` outlives it.
  SuccessorRecords(std::size_t width, MemoryBudget& budget)
      : width_(width), stride_(CandidateRecord::stride(width)), budget_(&budget) {}

  // False where the budget does not allow it.
  [[nodiscard]] bool add(std::uint64_t hash, Origin origin, const std::byte* descriptor) {
    if (used_ + stride_ > memory_.size() && !grow()) return false;
    auto* const record = reinterpret_cast<CandidateRecord*>(memory_.data() + used_);
    record->hash = hash;
    record->origin = origin;
    copy_bytes(record->descriptor(), descriptor, width_);
    used_ += stride_;
    return true;
  }
  void clear() { used_ = 0; }
  std::size_t size() const { return used_ / stride_; }
  const CandidateRecord& operator[](std::size_t i) const {
    return *reinterpret_cast<const CandidateRecord*>(memory_.data() + i * stride_);
  }

 private:
  bool grow();

  std::size_t width_;
  std::size_t stride_;
  MemoryBudget* budget_;
  Mapping memory_;
  std::size_t used_ = 0;
};

// Generates the successors of consecutive states of one level with all threads, and sorts them into
// partitions. Also looks at the states themselves: deadlocks, assertions, invariants, faults.
class Expansion {
 public:
  // REQUIRES: all outlive it.
  Expansion(const Model& model, const SearchOptions& options, ThreadTeam& team,
            MemoryBudget& budget);

  enum class Outcome {
    kDone,
    kNoMemory,   // nothing is kept: fewer states at a time may do
    kBigEvents,  // the model's event numbers do not fit an origin
  };
  // The states at the places [first, end) of the level, whose descriptors row(place) gives;
  // replaces what was there before.
  template <class GetRow>
  Outcome expand(std::uint64_t first, std::uint64_t end, GetRow&& row) {
    begin();
    const std::uint64_t tasks = (end - first + kTask - 1) / kTask;
    team_->for_each(tasks, [&](unsigned thread, std::size_t task) {
      Lane& lane = *lanes_[thread];
      const std::uint64_t from = first + task * kTask;
      const std::uint64_t to = std::min<std::uint64_t>(from + kTask, end);
      for (std::uint64_t place = from; place < to && lane.outcome == Outcome::kDone; ++place) {
        expand_one(lane, place, row(place));
      }
    });
    return finish();
  }

  // What the last expand() found.
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t deadlocks() const { return deadlocks_; }
  // The place of the first of them; REQUIRES: there is one.
  std::uint64_t first_deadlock() const { return first_deadlock_; }
  // Places of states that findings must look at, in rising order.
  struct Suspect {
    std::uint64_t place = 0;
    enum class Kind : std::uint8_t { kState, kDeadlock, kFault } kind = Kind::kState;
    Fault fault{};
  };
  const std::vector<Suspect>& suspects() const { return suspects_; }

  std::uint64_t wraps() const;  // so far
  unsigned lanes() const { return static_cast<unsigned>(lanes_.size()); }
  const SuccessorRecords& records(unsigned lane, unsigned partition) const {
    return lanes_[lane]->records[partition];
  }

 private:
  static constexpr std::uint64_t kTask = 64;  // states

  // What one thread writes, apart from the others.
  struct alignas(128) Lane {
    Lane(const Model& model, MemoryBudget& budget);
    SuccessorBuffer successors;
    std::vector<SuccessorRecords> records;  // by partition
    Outcome outcome = Outcome::kDone;
    std::uint64_t transitions = 0;
    std::uint64_t deadlocks = 0;
    std::uint64_t first_deadlock = ~std::uint64_t{0};
    std::vector<Suspect> suspects;
  };

  void begin();
  Outcome finish();
  void expand_one(Lane& lane, std::uint64_t place, const std::byte* state);
  bool violates(const std::byte* state) const;

  const Model* model_;
  const SearchOptions* options_;
  ThreadTeam* team_;
  std::size_t width_;
  bool looks_at_states_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t transitions_ = 0;
  std::uint64_t deadlocks_ = 0;
  std::uint64_t first_deadlock_ = 0;
  std::vector<Suspect> suspects_;
};

}  // namespace comback

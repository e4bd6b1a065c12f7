#include "engine/comback_set.h"

#include <algorithm>

#include "storage/bytes.h"

namespace comback {

using Outcome = ComBackSet::Outcome;

SearchOptions ComBackSet::resolve(SearchOptions options, std::size_t width) {
  ComBackOptions& comback = options.comback;
  if (comback.descriptors) {
    // Each has some words of notes beside it.
    const std::uint64_t fitting = std::max<std::uint64_t>(
        10,
        std::min<std::uint64_t>(options.memory_bytes / 2 / (width + 32), std::uint64_t{1} << 30));
    const std::uint64_t count =
        *comback.descriptors == ComBackOptions::kFromMemory ? fitting : *comback.descriptors;
    ComBackOptions divided = split_descriptors(count, comback.split.value_or(best_split(count)));
    divided.cache = comback.cache;
    divided.seed = comback.seed;
    divided.descriptors = count;
    divided.split = comback.split;
    comback = divided;
  }
  if (!comback.cache_size) {
    comback.cache_size =
        std::min<std::uint64_t>(options.memory_bytes / 8 / (width + 16), std::uint64_t{1} << 30);
  }
  if (comback.cache.strategy == CacheSpec::Strategy::kNone) comback.cache_size = 0;
  const bool delayed = comback.detection == ComBackOptions::Detection::kDelayed;
  if (!comback.candidates) comback.candidates = std::max<std::uint64_t>(1, *comback.cache_size);
  // A set of candidates without limit is no reason for a block without limit.
  constexpr std::uint64_t kLargeBlock = std::uint64_t{1} << 16;
  if (!comback.queue_block) {
    comback.queue_block = delayed ? std::min(*comback.candidates, kLargeBlock) : 1;
  }
  return options;
}

ComBackSet::ComBackSet(const Model& model, const SearchOptions& options, MemoryBudget& budget)
    : width_(model.width()),
      delayed_(options.comback.detection == ComBackOptions::Detection::kDelayed),
      max_states_(options.max_states.value_or(ComBackOptions::kUnlimited)),
      states_(options.hash_bits, budget),
      backedges_(budget),
      cache_(options.comback.cache, *options.comback.cache_size, width_, backedges_,
             options.comback.seed, budget),
      reconstructor_(model, backedges_, cache_),
      grouped_(model, backedges_, reconstructor_, budget),
      candidates_(width_, *options.comback.candidates, budget),
      charge_(budget) {}

std::uint64_t ComBackSet::min_bytes(const SearchOptions& options, std::size_t width) {
  return StateTable::kMinBytes +
         DescriptorCache::min_bytes(options.comback.cache, *options.comback.cache_size, width) +
         CandidateSet::min_bytes(width) + 512 * 1024;
}

bool ComBackSet::open() { return states_.open() && cache_.open(); }

Outcome ComBackSet::insert(std::uint64_t key, const std::byte* descriptor, const Edge& edge) {
  const StateTable::Ids ids = states_.find(key);
  if (ids.empty()) return add(key, descriptor, edge, 0);
  return delayed_ ? insert_later(key, descriptor, edge, ids)
                  : insert_now(key, descriptor, edge, ids);
}

Outcome ComBackSet::insert_now(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
                               const StateTable::Ids& ids) {
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    if (equal_bytes(reconstructor_.reconstruct(ids[i]), descriptor, width_)) {
      return Outcome::kKnown;
    }
  }
  return add(key, descriptor, edge, ids.size());
}

Outcome ComBackSet::insert_later(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
                                 const StateTable::Ids& ids) {
  bool all_known = true;
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    const std::byte* const known = reconstructor_.known(ids[i]);
    if (known == nullptr) {
      all_known = false;
    } else if (equal_bytes(known, descriptor, width_)) {
      return Outcome::kKnown;
    }
  }
  // It may be a candidate from a time when the others were not cached.
  if (all_known && !candidates_.contains(key, descriptor)) {
    return add(key, descriptor, edge, ids.size());
  }
  switch (candidates_.insert({.hash = key,
                              .predecessor = static_cast<std::uint32_t>(edge.predecessor),
                              .event = edge.event,
                              .depth = static_cast<std::uint32_t>(edge.depth),
                              .alive = 1},
                             descriptor)) {
    case CandidateSet::Added::kNoMemory:
      return Outcome::kNoMemory;
    case CandidateSet::Added::kKnown:
      return Outcome::kMaybe;  // its list has been marked, and what came later differs from it
    case CandidateSet::Added::kNew:
      break;
  }
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    if (reconstructor_.known(ids[i]) == nullptr) mark(ids[i]);
  }
  const std::uint64_t bytes = (check_bits_.capacity() + marked_.capacity()) * 8;
  return charge_.raise_to(bytes) ? Outcome::kMaybe : Outcome::kNoMemory;
}

void ComBackSet::mark(StateId id) {
  const std::uint64_t word = id / 64;
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  if (check_bits_.size() <= word) check_bits_.resize(size() / 64 + 1024);
  if ((check_bits_[word] & bit) != 0) return;
  check_bits_[word] |= bit;
  marked_.push_back(id);
}

Outcome ComBackSet::remove_duplicates() {
  for (const StateId id : marked_) check_bits_[id / 64] = 0;
  const bool done = grouped_.run(marked_, [&](StateId, const std::byte* descriptor) {
    candidates_.remove(key(descriptor), descriptor);
  });
  marked_.clear();
  return done ? Outcome::kNew : Outcome::kNoMemory;
}

Outcome ComBackSet::add(std::uint64_t key, const std::byte* descriptor, const Edge& edge,
                        std::uint64_t conflicts) {
  const StateId id = size();
  if (id >= max_states_) return Outcome::kLimit;
  if (id > StateTable::kMaxId) return Outcome::kFull;
  if (states_.insert(key, id) != Insertion::kNew) return Outcome::kNoMemory;
  if (!backedges_.append(edge.predecessor, edge.event)) return Outcome::kNoMemory;
  hash_conflicts_ += conflicts;
  cache_.add(id, descriptor, edge.depth);
  return Outcome::kNew;
}

StopReason stop_for(ComBackSet::Outcome outcome) {
  switch (outcome) {
    case ComBackSet::Outcome::kLimit:
      return StopReason::kMaxStates;
    case ComBackSet::Outcome::kNoMemory:
      return StopReason::kMemory;
    case ComBackSet::Outcome::kFull:
      return StopReason::kTableFull;
    default:
      return StopReason::kNone;
  }
}

}  // namespace comback

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "storage/for_each_task.h"
#include "storage/growing_array.h"
#include "storage/memory_budget.h"
#include "storage/state_entry.h"

namespace comback {

// The part of the state table that is not committed yet: hash -> ids, in memory, by rising hashes.
//
// Entries are shared out by the leading bits of their hash. Each share is two sorted arrays in a
// row, an old and a young one: a batch is merged into the young, and the young into the old when it
// has grown to an eighth of it. An entry is one word, the rest of its hash before its id less the
// first one: 8 bytes and an eighth to grow, or twice that where hash_bits exceeds kNarrowHashBits.
//
// Threads: const methods at any time, not beside others.
class StateDelta {
 public:
  static constexpr unsigned kShareBits = 10;
  static constexpr unsigned kNarrowIdBits = 32;
  static constexpr unsigned kNarrowHashBits = 64 - kNarrowIdBits + kShareBits;

  // REQUIRES: 1 <= hash_bits <= 64; `budget` outlives the delta.
  StateDelta(unsigned hash_bits, MemoryBudget& budget);

  // Adds all of `entries`. False, and none added, where the budget does not allow it.
  // REQUIRES: sorted by hash; ids from first_id() on, fewer than 2^kNarrowIdBits of them.
  [[nodiscard]] bool insert(std::span<const StateEntry> entries, const ForEachTask& for_each);

  // Appends the matches of each hash, in rising order. REQUIRES: `hashes` is sorted.
  void lookup(std::span<const std::uint64_t> hashes, std::vector<StateMatch>& out) const;

  // Calls on_entry(truncated hash, id) in rising order for the entries whose leading kShareBits of
  // the hash (or all, if it has fewer) are `share`.
  template <class OnEntry>
  void for_each_entry(std::size_t share, OnEntry&& on_entry) const {
    if (wide_) {
      walk<Wide>(shares_[share], share, on_entry);
    } else {
      walk<std::uint64_t>(shares_[share], share, on_entry);
    }
  }

  // Forgets everything; ids count from `first_id` now.
  void clear(std::uint64_t first_id);

  std::uint64_t first_id() const { return first_id_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const;
  unsigned hash_bits() const { return hash_bits_; }
  std::size_t shares() const { return shares_.size(); }
  std::uint64_t share_size(std::size_t share) const { return shares_[share].size; }

 private:
  __extension__ using Wide = unsigned __int128;

  struct Share {
    GrowingArray words;
    std::uint64_t old = 0;   // words in the first array
    std::uint64_t size = 0;  // words in both
  };

  template <class Word>
  static Word* words(const Share& share) {
    return reinterpret_cast<Word*>(share.words.data());
  }
  template <class Word>
  static constexpr unsigned id_bits() {
    return sizeof(Word) == 8 ? kNarrowIdBits : 64;
  }
  std::uint64_t truncated(std::uint64_t hash) const { return hash >> (64 - hash_bits_); }
  std::uint64_t rest_mask() const {
    return rest_bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest_bits_) - 1;
  }
  std::size_t share_of(std::uint64_t hash) const {
    return share_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - share_bits_));
  }
  template <class Word>
  Word word_of(const StateEntry& entry) const {
    return static_cast<Word>(truncated(entry.hash) & rest_mask()) << id_bits<Word>() |
           (entry.id - first_id_);
  }

  template <class Word>
  void merge_batch(Share& share, std::span<const StateEntry> batch, std::vector<Word>& scratch);
  template <class Word>
  bool insert_words(std::span<const StateEntry> entries, const ForEachTask& for_each);
  template <class Word>
  void lookup_words(std::span<const std::uint64_t> hashes, std::vector<StateMatch>& out) const;

  template <class Word, class OnEntry>
  void walk(const Share& share, std::size_t number, OnEntry& on_entry) const {
    const Word* old = words<Word>(share);
    const Word* const old_end = old + share.old;
    const Word* young = old_end;
    const Word* const young_end = old + share.size;
    const std::uint64_t leading = rest_bits_ == 64 ? 0 : std::uint64_t{number} << rest_bits_;
    while (old != old_end || young != young_end) {
      const bool take_old = young == young_end || (old != old_end && *old < *young);
      const Word word = take_old ? *old++ : *young++;
      on_entry(leading | static_cast<std::uint64_t>(word >> id_bits<Word>()),
               first_id_ + static_cast<std::uint64_t>(word & ((Word{1} << id_bits<Word>()) - 1)));
    }
  }

  unsigned hash_bits_;
  unsigned share_bits_;
  unsigned rest_bits_;  // of the truncated hash behind the share's
  bool wide_;
  std::uint64_t first_id_ = 0;
  std::uint64_t size_ = 0;
  std::vector<Share> shares_;
};

}  // namespace comback

#include "storage/state_delta.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace comback {
namespace {

constexpr std::size_t kTasks = 64;
constexpr std::size_t kFewEntries = 4096;  // not worth waking a thread

// Merges the sorted `from` into the sorted `count` words at `to`, which has room behind them.
template <class Word>
void merge_in(Word* to, std::size_t count, std::span<const Word> from) {
  std::size_t left = from.size();
  Word* end = to + count + left;
  Word* last = to + count;
  while (left > 0) {
    if (last != to && last[-1] > from[left - 1]) {
      *--end = *--last;
    } else {
      *--end = from[--left];
    }
  }
}

// The first of the sorted words in [from, to) that is not below `word`, which is likely near
// `guess`.
template <class Word>
const Word* find_near(const Word* from, const Word* to, const Word* guess, Word word) {
  std::ptrdiff_t step = 4;
  if (guess != to && *guess < word) {
    from = guess + 1;
    while (to - from > step && from[step] < word) {
      from += step + 1;
      step *= 2;
    }
    to = std::min(to, from + step + 1);
  } else {
    to = guess;
    while (to - from > step && !(to[-step] < word)) {
      to -= step;
      step *= 2;
    }
    from = std::max(from, to - step);
  }
  return std::lower_bound(from, to, word);
}

}  // namespace

StateDelta::StateDelta(unsigned hash_bits, MemoryBudget& budget)
    : hash_bits_(hash_bits),
      share_bits_(std::min(hash_bits, kShareBits)),
      rest_bits_(hash_bits - share_bits_),
      wide_(hash_bits > kNarrowHashBits) {
  assert(hash_bits >= 1 && hash_bits <= 64);
  shares_.resize(std::size_t{1} << share_bits_);
  for (Share& share : shares_) share.words = GrowingArray(budget);
}

template <class Word>
void StateDelta::merge_batch(Share& share, std::span<const StateEntry> batch,
                             std::vector<Word>& scratch) {
  scratch.clear();
  for (const StateEntry& entry : batch) {
    const Word word = word_of<Word>(entry);
    // Hashes that differ only behind what is kept may bring their ids in any order.
    auto at = scratch.end();
    while (at != scratch.begin() && at[-1] > word) --at;
    scratch.insert(at, word);
  }
  Word* const all = words<Word>(share);
  merge_in<Word>(all + share.old, share.size - share.old, scratch);
  share.size += batch.size();
  const std::uint64_t young = share.size - share.old;
  if (young > 64 + share.old / 8) {
    if (share.old > 0) {
      scratch.assign(all + share.old, all + share.size);
      merge_in<Word>(all, share.old, scratch);
    }
    share.old = share.size;
  }
}

template <class Word>
bool StateDelta::insert_words(std::span<const StateEntry> entries, const ForEachTask& for_each) {
  const auto batch_of = [&](std::size_t share, std::size_t from) {
    std::size_t to = from;
    while (to < entries.size() && share_of(entries[to].hash) == share) ++to;
    return entries.subspan(from, to - from);
  };
  for (std::size_t at = 0; at < entries.size();) {
    Share& share = shares_[share_of(entries[at].hash)];
    const std::size_t count = batch_of(share_of(entries[at].hash), at).size();
    if (!share.words.reserve((share.size + count) * sizeof(Word))) return false;
    at += count;
  }

  const std::size_t tasks = entries.size() <= kFewEntries ? 1 : std::min(kTasks, shares_.size());
  for_each(tasks, [&](std::size_t task) {
    const auto first_of = [&](std::size_t t) {
      const std::size_t share = t * shares_.size() / tasks;
      return static_cast<std::size_t>(
          std::partition_point(entries.begin(), entries.end(),
                               [&](const StateEntry& e) { return share_of(e.hash) < share; }) -
          entries.begin());
    };
    std::vector<Word> scratch;
    const std::size_t end = first_of(task + 1);
    for (std::size_t at = first_of(task); at < end;) {
      const std::size_t share = share_of(entries[at].hash);
      const std::span<const StateEntry> batch = batch_of(share, at);
      merge_batch<Word>(shares_[share], batch, scratch);
      at += batch.size();
    }
  });
  size_ += entries.size();
  return true;
}

bool StateDelta::insert(std::span<const StateEntry> entries, const ForEachTask& for_each) {
  assert(std::is_sorted(entries.begin(), entries.end(),
                        [](const auto& a, const auto& b) { return a.hash < b.hash; }));
  return wide_ ? insert_words<Wide>(entries, for_each)
               : insert_words<std::uint64_t>(entries, for_each);
}

template <class Word>
void StateDelta::lookup_words(std::span<const std::uint64_t> hashes,
                              std::vector<StateMatch>& out) const {
  struct Run {
    const Word* begin;
    const Word* at;
    const Word* end;
  };
  std::size_t share = ~std::size_t{0};
  Run runs[2] = {};
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t rest = truncated(hashes[i]) & rest_mask();
    const Word first = static_cast<Word>(rest) << id_bits<Word>();
    if (share_of(hashes[i]) != share) {
      share = share_of(hashes[i]);
      const Share& s = shares_[share];
      const Word* const all = words<Word>(s);
      runs[0] = {all, all, all + s.old};
      runs[1] = {all + s.old, all + s.old, all + s.size};
    }
    const std::size_t before = out.size();
    for (Run& run : runs) {
      if (run.at == run.end) continue;
      const Word* guess = run.at;
      // Hashes are evenly spread: where the next is not near, it can be calculated.
      if (rest_bits_ > 0) {
        const auto span = static_cast<std::uint64_t>(run.end - run.begin);
        const auto expected =
            static_cast<std::uint64_t>((static_cast<Wide>(rest) * span) >> rest_bits_);
        if (run.begin + expected > run.at + 64) guess = run.begin + expected;
      }
      run.at = find_near(run.at, run.end, guess, first);
      for (const Word* w = run.at; w != run.end && (*w >> id_bits<Word>()) == rest; ++w) {
        out.push_back(
            {i, first_id_ + static_cast<std::uint64_t>(*w & ((Word{1} << id_bits<Word>()) - 1))});
      }
    }
    if (out.size() - before > 1) {
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    }
  }
}

void StateDelta::lookup(std::span<const std::uint64_t> hashes, std::vector<StateMatch>& out) const {
  if (size_ == 0) return;
  wide_ ? lookup_words<Wide>(hashes, out) : lookup_words<std::uint64_t>(hashes, out);
}

void StateDelta::clear(std::uint64_t first_id) {
  for (Share& share : shares_) {
    share.words.clear();
    share.old = share.size = 0;
  }
  first_id_ = first_id;
  size_ = 0;
}

std::uint64_t StateDelta::bytes() const {
  std::uint64_t bytes = 0;
  for (const Share& share : shares_) bytes += share.words.capacity();
  return bytes;
}

}  // namespace comback

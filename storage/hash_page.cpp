#include "storage/hash_page.h"

#include <algorithm>
#include <cassert>

#include "storage/varint.h"

namespace comback {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;

std::uint64_t low_mask(unsigned bits) {
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

unsigned bucket_bits(std::uint64_t count, unsigned suffix_bits) {
  return std::min<unsigned>(suffix_bits, std::bit_width(count) - 1);
}

// For each byte of `word`, the ones in it and in the bytes below.
std::uint64_t running_counts(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555;
  word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return word * kOnes;
}

// The place of the one in `word` that `rank` ones precede, given its running counts [vigna08].
unsigned select(std::uint64_t word, std::uint64_t counts, unsigned rank) {
  const std::uint64_t reached = ((counts | (0x80 * kOnes)) - (rank + 1) * kOnes) & (0x80 * kOnes);
  const unsigned byte = static_cast<unsigned>(std::countr_zero(reached)) & ~7u;
  rank -= static_cast<unsigned>((counts << 8) >> byte) & 0xff;
  std::uint64_t rest = (word >> byte) & 0xff;
  for (; rank > 0; --rank) rest &= rest - 1;
  return byte + static_cast<unsigned>(std::countr_zero(rest));
}

// Into zeroed bytes, with 16 more behind them.
void put_bits(char* to, std::uint64_t at, std::uint64_t value, unsigned width) {
  const unsigned shift = at % 8;
  std::uint64_t word;
  std::memcpy(&word, to + at / 8, 8);
  word |= value << shift;
  std::memcpy(to + at / 8, &word, 8);
  if (shift + width > 64) {
    const auto high = static_cast<unsigned char>(value >> (64 - shift));
    to[at / 8 + 8] = static_cast<char>(static_cast<unsigned char>(to[at / 8 + 8]) | high);
  }
}

}  // namespace

void append_run(std::span<const PageEntry> entries, unsigned suffix_bits, std::string& page) {
  assert(!entries.empty() && suffix_bits <= 64);
  assert(std::is_sorted(entries.begin(), entries.end()));
  std::uint64_t first_id = entries[0].id;
  std::uint64_t last_id = entries[0].id;
  for (const PageEntry& e : entries) {
    assert((e.suffix & ~low_mask(suffix_bits)) == 0);
    first_id = std::min(first_id, e.id);
    last_id = std::max(last_id, e.id);
  }
  const std::uint64_t count = entries.size();
  const unsigned id_bits = std::bit_width(last_id - first_id);
  const unsigned buckets_log = bucket_bits(count, suffix_bits);
  const unsigned lower_bits = suffix_bits - buckets_log;

  append_varint(count, page);
  page.push_back(static_cast<char>(suffix_bits));
  page.push_back(static_cast<char>(id_bits));
  append_varint(first_id, page);

  const std::uint64_t upper_bits = count + (std::uint64_t{1} << buckets_log);
  const std::uint64_t all_bits = upper_bits + count * (lower_bits + id_bits);
  const std::size_t start = page.size();
  const std::size_t end = start + (all_bits + 7) / 8;
  page.resize(end + 16);
  char* const body = page.data() + start;
  std::uint64_t lower_at = upper_bits;
  std::uint64_t id_at = upper_bits + count * lower_bits;
  const std::uint64_t mask = low_mask(lower_bits);
  for (std::uint64_t i = 0; i < count; ++i) {
    const PageEntry& e = entries[i];
    put_bits(body, i + (lower_bits == 64 ? 0 : e.suffix >> lower_bits), 1, 1);
    put_bits(body, lower_at, e.suffix & mask, lower_bits);
    put_bits(body, id_at, e.id - first_id, id_bits);
    lower_at += lower_bits;
    id_at += id_bits;
  }
  page.resize(end);
}

std::optional<PageRun> PageRun::take(std::string_view& page) {
  PageRun run;
  std::string_view rest = page;
  if (!take_varint(rest, run.count_) || rest.size() < 2) return std::nullopt;
  run.suffix_bits_ = static_cast<unsigned char>(rest[0]);
  run.id_bits_ = static_cast<unsigned char>(rest[1]);
  rest.remove_prefix(2);
  if (!take_varint(rest, run.first_id_)) return std::nullopt;
  if (run.suffix_bits_ > 64 || run.id_bits_ > 64) return std::nullopt;
  // An entry takes a bit or more: what follows cannot overflow.
  if (run.count_ == 0 || run.count_ / 8 > rest.size()) return std::nullopt;
  const unsigned buckets_log = bucket_bits(run.count_, run.suffix_bits_);
  run.lower_bits_ = run.suffix_bits_ - buckets_log;
  run.upper_bits_ = run.count_ + (std::uint64_t{1} << buckets_log);
  run.ids_at_ = run.upper_bits_ + run.count_ * run.lower_bits_;
  run.bytes_ = (run.ids_at_ + run.count_ * run.id_bits_ + 7) / 8;
  if (run.bytes_ > rest.size()) return std::nullopt;
  run.lower_mask_ = low_mask(run.lower_bits_);
  run.id_mask_ = low_mask(run.id_bits_);
  run.body_ = rest.data();
  page = rest.substr(run.bytes_);
  return run;
}

bool PageRun::Cursor::skip_to(std::uint64_t bucket) {
  // The zeros to pass: one ends each bucket.
  std::uint64_t left = bucket - bucket_;
  if (left == 0) return true;
  const PageRun& r = *run_;
  std::uint64_t word_at = bit_ / 64 * 64;
  std::uint64_t zeros = ~r.load(word_at / 8) & (~std::uint64_t{0} << (bit_ % 64));
  while (word_at < r.upper_bits_) {
    const std::uint64_t counts = running_counts(zeros);
    const std::uint64_t here = counts >> 56;
    if (here >= left) {
      bit_ = word_at + select(zeros, counts, static_cast<unsigned>(left - 1)) + 1;
      bucket_ = bucket;
      return bit_ <= r.upper_bits_ && bit_ - bucket_ <= r.count_;
    }
    left -= here;
    word_at += 64;
    zeros = ~r.load(word_at / 8);
  }
  return false;
}

bool PageRun::decode(std::vector<PageEntry>& out) const {
  const std::size_t first = out.size();
  out.resize(first + count_);
  std::uint64_t i = 0;
  for (std::uint64_t word_at = 0; word_at < upper_bits_; word_at += 64) {
    std::uint64_t ones = load(word_at / 8);
    if (upper_bits_ - word_at < 64) ones &= low_mask(static_cast<unsigned>(upper_bits_ - word_at));
    for (; ones != 0; ones &= ones - 1, ++i) {
      if (i == count_) return false;
      const std::uint64_t bucket = word_at + static_cast<unsigned>(std::countr_zero(ones)) - i;
      PageEntry& entry = out[first + i];
      entry.suffix = (lower_bits_ == 64 ? 0 : bucket << lower_bits_) | lower(i);
      entry.id = id(i);
      if (i > 0 && entry < out[first + i - 1]) return false;
    }
  }
  // The last zero ends the last bucket, so the largest suffix fits its bits.
  return i == count_ && !upper_bit(upper_bits_ - 1);
}

std::optional<std::size_t> count_runs(std::string_view page) {
  std::size_t runs = 0;
  for (; !page.empty(); ++runs) {
    if (!PageRun::take(page)) return std::nullopt;
  }
  return runs;
}

namespace {

bool decode_runs(std::string_view page, std::optional<unsigned>& suffix_bits,
                 std::vector<PageEntry>& out) {
  out.clear();
  while (!page.empty()) {
    const std::optional<PageRun> run = PageRun::take(page);
    if (!run || (suffix_bits && run->suffix_bits() != *suffix_bits)) return false;
    suffix_bits = run->suffix_bits();
    const auto before = static_cast<std::ptrdiff_t>(out.size());
    if (!run->decode(out)) return false;
    std::inplace_merge(out.begin(), out.begin() + before, out.end());
  }
  return true;
}

}  // namespace

bool decode_page(std::string_view page, unsigned suffix_bits, std::vector<PageEntry>& out) {
  std::optional<unsigned> bits = suffix_bits;
  return decode_runs(page, bits, out);
}

bool fold_page(std::string_view page, std::string& out) {
  std::optional<unsigned> bits;
  std::vector<PageEntry> entries;
  if (!decode_runs(page, bits, entries)) return false;
  if (!entries.empty()) append_run(entries, *bits, out);
  return true;
}

}  // namespace comback

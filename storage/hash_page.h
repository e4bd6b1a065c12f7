#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comback {

// What one page of the state table says of a state: its hash without the leading bits that number
// the page, and its id.
struct PageEntry {
  std::uint64_t suffix = 0;
  std::uint64_t id = 0;
  friend auto operator<=>(const PageEntry&, const PageEntry&) = default;
};

// A page of the state table is a sequence of packed runs, each a sorted array of entries. A run
// says where it ends, so that pages are joined by joining their bytes. Layout of a run:
//
//   varint count, byte suffix_bits, byte id_bits, varint first_id
//   upper   count + 2^b bits: for each value of a suffix's leading b bits, a one per entry, a zero
//   lower   count * (suffix_bits - b) bits: the rest of the suffixes
//   ids     count * id_bits bits: the ids less first_id
//
// where b = min(suffix_bits, floor(log2(count))); the last byte is filled up with zeros. This is
// Elias-Fano coding [elias74]: an entry takes at most suffix_bits - log2(count) + 3 bits and its
// id. Bit i of a stream is bit i % 8 of byte i / 8.

// Appends one run to `page`.
// REQUIRES: `entries` is not empty, sorted, and its suffixes fit in `suffix_bits` <= 64 bits.
void append_run(std::span<const PageEntry> entries, unsigned suffix_bits, std::string& page);

// One run of a page, read in place. Its bytes are not trusted: whatever they are, nothing outside
// of them is read; what contradicts itself is reported where it is met.
class PageRun {
 public:
  // Takes the first run off `page`; nothing where its header or size are wrong.
  static std::optional<PageRun> take(std::string_view& page);

  std::uint64_t size() const { return count_; }
  unsigned suffix_bits() const { return suffix_bits_; }

  // Walks the run by rising suffixes.
  class Cursor {
   public:
    explicit Cursor(const PageRun& run) : run_(&run) {}

    // Calls `on_id` for every id stored with `suffix`. False where the run is corrupt.
    // REQUIRES: `suffix` is not smaller than in the call before, and fits in suffix_bits().
    template <class OnId>
    bool find(std::uint64_t suffix, OnId&& on_id) {
      const PageRun& r = *run_;
      if (!skip_to(r.lower_bits_ == 64 ? 0 : suffix >> r.lower_bits_)) return false;
      const std::uint64_t lower = suffix & r.lower_mask_;
      std::uint64_t i = bit_ - bucket_;
      for (std::uint64_t bit = bit_; r.upper_bit(bit); ++bit, ++i) {
        if (i >= r.count_) return false;
        const std::uint64_t stored = r.lower(i);
        if (stored > lower) break;
        if (stored == lower) on_id(r.id(i));
      }
      return true;
    }

   private:
    bool skip_to(std::uint64_t bucket);

    const PageRun* run_;
    std::uint64_t bucket_ = 0;  // the leading bits that the cursor stands at
    std::uint64_t bit_ = 0;     // where its entries start in the upper stream
  };

  // Appends all entries. False where the run is corrupt, which includes entries out of order.
  bool decode(std::vector<PageEntry>& out) const;

 private:
  std::uint64_t load(std::uint64_t byte) const {
    std::uint64_t word = 0;
    if (byte + 8 <= bytes_) {
      std::memcpy(&word, body_ + byte, 8);
    } else if (byte < bytes_) {
      std::memcpy(&word, body_ + byte, bytes_ - byte);
    }
    return word;
  }
  std::uint64_t bits(std::uint64_t at, unsigned width, std::uint64_t mask) const {
    const unsigned shift = at % 8;
    std::uint64_t word = load(at / 8) >> shift;
    if (shift + width > 64) word |= load(at / 8 + 8) << (64 - shift);
    return word & mask;
  }
  bool upper_bit(std::uint64_t bit) const {
    return bit < upper_bits_ &&
           ((static_cast<unsigned char>(body_[bit / 8]) >> (bit % 8)) & 1) != 0;
  }
  std::uint64_t lower(std::uint64_t i) const {
    return bits(upper_bits_ + i * lower_bits_, lower_bits_, lower_mask_);
  }
  std::uint64_t id(std::uint64_t i) const {
    return first_id_ + bits(ids_at_ + i * id_bits_, id_bits_, id_mask_);
  }

  const char* body_ = nullptr;
  std::uint64_t bytes_ = 0;  // of the body
  std::uint64_t count_ = 0;
  std::uint64_t first_id_ = 0;
  std::uint64_t upper_bits_ = 0;
  std::uint64_t ids_at_ = 0;
  std::uint64_t lower_mask_ = 0;
  std::uint64_t id_mask_ = 0;
  unsigned suffix_bits_ = 0;
  unsigned lower_bits_ = 0;
  unsigned id_bits_ = 0;
};

// Runs in a page, or nothing where it is corrupt as far as headers show.
std::optional<std::size_t> count_runs(std::string_view page);

// All entries of a page, sorted, into `out`, which is cleared. False where the page is corrupt or a
// run has other than `suffix_bits`.
bool decode_page(std::string_view page, unsigned suffix_bits, std::vector<PageEntry>& out);

// Appends to `out` the entries of `page` as one run. False where the page is corrupt.
bool fold_page(std::string_view page, std::string& out);

}  // namespace comback

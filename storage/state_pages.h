#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/result.h"
#include "storage/commit.h"
#include "storage/hash_page.h"
#include "storage/run_database.h"

namespace comback {

// How the pages of the state table lie in their family: the key of a page is its number in
// kPageKeyBytes, most significant first. `hash` is the truncated one throughout.

constexpr std::size_t kPageKeyBytes = 5;
constexpr unsigned kMostPageBits = 8 * kPageKeyBytes;

constexpr std::uint64_t low_bits(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

inline void put_page_key(std::uint64_t page, char* key) {
  for (std::size_t i = kPageKeyBytes; i-- > 0; page >>= 8) key[i] = static_cast<char>(page);
}

// A key of another length, which only a corrupt family has, is no page.
inline std::uint64_t page_of_key(std::string_view key) {
  if (key.size() != kPageKeyBytes) return ~std::uint64_t{0};
  std::uint64_t page = 0;
  for (const char c : key) page = page << 8 | static_cast<unsigned char>(c);
  return page;
}

// Packs entries that come by rising hash and id into pages.
class PageWriter {
 public:
  enum class Mode {
    kAdd,    // to the pages that there are
    kWhole,  // each page is new
  };
  // REQUIRES: `writer` outlives this.
  PageWriter(SortedWriter& writer, unsigned hash_bits, unsigned page_bits, Mode mode)
      : writer_(&writer), suffix_bits_(hash_bits - page_bits), mode_(mode) {}

  Status add(std::uint64_t hash, std::uint64_t id) {
    const std::uint64_t page = suffix_bits_ == 64 ? 0 : hash >> suffix_bits_;
    if (page != page_ && !entries_.empty()) {
      if (auto s = finish(); !s) return s;
    }
    page_ = page;
    entries_.push_back({hash & low_bits(suffix_bits_), id});
    return Done{};
  }

  // Writes the last page.
  Status finish();

 private:
  SortedWriter* writer_;
  unsigned suffix_bits_;
  Mode mode_;
  std::uint64_t page_ = 0;
  std::vector<PageEntry> entries_;
  std::string packed_;
};

// Reads the entries of pages, by rising hash and id.
class PageReader {
 public:
  // REQUIRES: all of them outlive the reader.
  PageReader(const RunDatabase& database, const Family& family, unsigned hash_bits,
             unsigned page_bits)
      : cursor_(database, family, {.read_ahead_bytes = kReadAheadBytes}),
        suffix_bits_(hash_bits - page_bits) {}

  // Calls on_entry(hash, id), which returns a Status, for each entry of the pages first .. end-1.
  // REQUIRES: `first` is not smaller than `end` in the call before.
  template <class OnEntry>
  Status for_each_entry(std::uint64_t first, std::uint64_t end, OnEntry&& on_entry) {
    if (auto s = seek(first); !s) return s;
    while (true) {
      auto more = read(end);
      if (!more) return more.error();
      if (!*more) return Done{};
      const std::uint64_t leading = suffix_bits_ == 64 ? 0 : page_ << suffix_bits_;
      for (const PageEntry& entry : entries_) {
        if (auto s = on_entry(leading | entry.suffix, entry.id); !s) return s;
      }
    }
  }

 private:
  static constexpr std::size_t kReadAheadBytes = std::size_t{256} << 10;

  Status seek(std::uint64_t page);
  Result<bool> read(std::uint64_t end);  // a page, and moves on; false where none is left

  FamilyCursor cursor_;
  unsigned suffix_bits_;
  std::uint64_t page_ = 0;
  std::vector<PageEntry> entries_;
};

}  // namespace comback

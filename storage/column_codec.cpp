#include "storage/column_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "io/little_endian.h"
#include "storage/bit_planes.h"

namespace comback {
namespace {

constexpr std::size_t kFixedBytes = 8;   // count and width
constexpr std::size_t kCopies = 16;      // of a constant, for gather_columns()
constexpr int kFewestByteBits = 3;       // of a column that is stored as bytes
constexpr std::size_t kByteChanges = 4;  // and changes in one of so many rows

// The parts of the raw bytes.
struct Head {
  explicit Head(std::size_t w) : width(w) {}
  std::size_t width;
  std::size_t first_row() const { return kFixedBytes; }
  std::size_t differing() const { return first_row() + width; }
  std::size_t as_bytes() const { return differing() + width; }
  std::size_t bytes() const { return as_bytes() + (width + 7) / 8; }
};

std::size_t padded(std::size_t count) { return plane_words(count) * 64; }
std::size_t stored_plane_bytes(std::size_t count) { return (count + 7) / 8; }

// The bits in which a column has different values, and how often it has another than before.
struct Variation {
  unsigned bits = 0;
  std::size_t changes = 0;
};
Variation variation(const std::byte* column, std::size_t count, bool count_changes) {
  std::byte differing{};
  for (std::size_t i = 0; i < count; ++i) differing |= column[i] ^ column[0];
  Variation result{static_cast<unsigned>(differing), 0};
  if (!count_changes || std::popcount(result.bits) < kFewestByteBits) return result;
  // In pieces whose count fits a byte, so that sixteen are counted at a time.
  for (std::size_t i = 1; i < count;) {
    std::uint8_t changes = 0;
    const std::size_t end = std::min(count, i + 240);
    for (; i < end; ++i) changes += column[i] != column[i - 1];
    result.changes += changes;
  }
  return result;
}

// The set bits of `bits`, ascending.
struct BitList {
  std::array<unsigned, 8> bit{};
  std::size_t count = 0;
  explicit BitList(unsigned bits) {
    for (; bits != 0; bits &= bits - 1) {
      bit[count++] = static_cast<unsigned>(std::countr_zero(bits));
    }
  }
  std::span<const unsigned> list() const& { return std::span(bit).first(count); }
  std::span<const unsigned> list() && = delete;  // it would outlive the bits
};

Error corrupt(std::string what) { return {Errc::kCorruption, std::move(what)}; }

}  // namespace

std::span<const std::byte> ColumnEncoder::encode(const std::byte* rows, std::size_t count,
                                                 std::size_t width) {
  assert(count > 0 && width > 0);
  // Behind the last column, what a plane of it would be padded with.
  std::byte* const columns = columns_.reserve(count * width + 64);
  transpose_bytes(rows, count, width, columns);
  std::memset(columns + count * width, 0, 64);

  const Head head(width);
  std::byte* const raw = raw_.reserve(ColumnDecoder::most_bytes(count, width));
  store_le(raw, static_cast<std::uint32_t>(count));
  store_le(raw + 4, static_cast<std::uint32_t>(width));
  std::memcpy(raw + head.first_row(), rows, width);
  std::memset(raw + head.as_bytes(), 0, head.bytes() - head.as_bytes());
  std::byte* end = raw + head.bytes();

  const bool related = order_ == RowOrder::kRelated;
  plane_.resize(plane_words(count));
  for (std::size_t c = 0; c < width; ++c) {
    const std::byte* const column = columns + c * count;
    const Variation v = variation(column, count, related);
    raw[head.differing() + c] = static_cast<std::byte>(v.bits);
    if (related ? v.changes * kByteChanges > count : v.bits == 0xff) {
      raw[head.as_bytes() + c / 8] |= std::byte{1} << (c % 8);
      continue;
    }
    const BitList bits(v.bits);
    for (const unsigned bit : bits.list()) {
      extract_plane(column, bit, plane_);
      if (related) difference_plane(plane_);
      // Behind the last row lies the start of the next column.
      if (count % 64 != 0) plane_.back() &= (std::uint64_t{1} << (count % 64)) - 1;
      std::memcpy(end, plane_.data(), stored_plane_bytes(count));
      end += stored_plane_bytes(count);
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    if ((raw[head.as_bytes() + c / 8] >> (c % 8) & std::byte{1}) == std::byte{0}) continue;
    std::memcpy(end, columns + c * count, count);
    end += count;
  }
  return {raw, end};
}

// A column takes eight planes at most, which is no less than its bytes.
std::size_t ColumnDecoder::most_bytes(std::size_t count, std::size_t width) {
  return Head(width).bytes() + 8 * stored_plane_bytes(count) * width;
}

Status ColumnDecoder::decode(std::span<const std::byte> encoded, std::size_t count,
                             std::size_t width, std::byte* out) {
  const Head head(width);
  const std::size_t plane_bytes = stored_plane_bytes(count);
  const std::byte* const raw = encoded.data();
  if (encoded.size() < head.bytes() || load_le<std::uint32_t>(raw) != count ||
      load_le<std::uint32_t>(raw + 4) != width) {
    return corrupt(fmt::format("columns of other than {} rows of {} bytes", count, width));
  }
  const auto differing = [&](std::size_t c) {
    return static_cast<unsigned>(raw[head.differing() + c]);
  };
  const auto as_bytes = [&](std::size_t c) {
    return (raw[head.as_bytes() + c / 8] >> (c % 8) & std::byte{1}) != std::byte{0};
  };
  std::size_t planes = 0;
  std::size_t byte_columns = 0;
  std::size_t merged_columns = 0;
  for (std::size_t c = 0; c < width; ++c) {
    if (as_bytes(c)) {
      ++byte_columns;
    } else {
      planes += static_cast<std::size_t>(std::popcount(differing(c)));
      merged_columns += differing(c) != 0;
    }
  }
  if (encoded.size() != head.bytes() + planes * plane_bytes + byte_columns * count) {
    return corrupt(fmt::format("{} bytes with {} columns of bits and {} of bytes", encoded.size(),
                               planes, byte_columns));
  }

  const std::size_t words = plane_words(count);
  planes_.resize(8 * words);
  sources_.resize(width);
  std::byte* next_column = columns_.reserve(merged_columns * padded(count) + width * kCopies);
  const std::byte* plane = raw + head.bytes();
  const std::byte* byte_column = plane + planes * plane_bytes;
  for (std::size_t c = 0; c < width; ++c) {
    if (as_bytes(c)) {
      sources_[c] = {byte_column, 1};
      byte_column += count;
      continue;
    }
    const std::byte first = raw[head.first_row() + c];
    const BitList bits(differing(c));
    if (bits.count == 0) {
      std::memset(next_column, static_cast<int>(first), kCopies);
      sources_[c] = {next_column, 0};
      next_column += kCopies;
      continue;
    }
    for (std::size_t i = 0; i < bits.count; ++i) {
      const std::span<std::uint64_t> bit_rows = std::span(planes_).subspan(i * words, words);
      bit_rows.back() = 0;
      std::memcpy(bit_rows.data(), plane, plane_bytes);
      if (order_ == RowOrder::kRelated) integrate_plane(bit_rows);
      plane += plane_bytes;
    }
    merge_planes(planes_.data(), words, bits.list(), first & ~static_cast<std::byte>(differing(c)),
                 next_column);
    sources_[c] = {next_column, 1};
    next_column += padded(count);
  }
  gather_columns(sources_.data(), count, width, out);
  return Done{};
}

}  // namespace comback

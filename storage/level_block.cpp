#include "storage/level_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "io/little_endian.h"

namespace comback {
namespace {

constexpr std::size_t kMostRawBytes = std::size_t{16} << 20;
constexpr std::size_t kFixedBytes = 8;  // count and width
constexpr std::size_t kCopies = 16;     // of a constant, for gather_columns()

std::size_t bitmap_bytes(std::size_t width) { return (width + 7) / 8; }

Error corrupt(std::string what) { return {Errc::kCorruption, std::move(what)}; }

}  // namespace

std::size_t level_block_states(std::size_t width, std::size_t states) {
  return std::clamp<std::size_t>(kMostRawBytes / width, 1, states);
}

std::span<const std::byte> LevelBlockEncoder::encode(const std::byte* rows, std::size_t count,
                                                     std::size_t width) {
  assert(count >= 1 && count <= level_block_states(width, count));
  // All columns are written behind the room for the head; those that vary then move up to it.
  const std::size_t most_head = kFixedBytes + bitmap_bytes(width) + width;
  std::byte* const raw = raw_.reserve(most_head + count * width);
  std::byte* const columns = raw + most_head;
  transpose_bytes(rows, count, width, columns);

  store_le(raw, static_cast<std::uint32_t>(count));
  store_le(raw + 4, static_cast<std::uint32_t>(width));
  std::byte* const bitmap = raw + kFixedBytes;
  std::memset(bitmap, 0, bitmap_bytes(width));
  std::byte* end = bitmap + bitmap_bytes(width);
  for (std::size_t c = 0; c < width; ++c) {
    const std::byte* const column = columns + c * count;
    if (std::memcmp(column, column + 1, count - 1) == 0) {
      *end++ = *column;
    } else {
      bitmap[c / 8] |= std::byte{1} << (c % 8);
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    if ((bitmap[c / 8] >> (c % 8) & std::byte{1}) == std::byte{0}) continue;
    std::memmove(end, columns + c * count, count);
    end += count;
  }
  return blocks_.encode(BlockKind::kLevel, {raw, end});
}

Status LevelBlockDecoder::decode(std::span<const std::byte> block, std::size_t count,
                                 std::size_t width, std::byte* out) {
  const std::size_t most = kFixedBytes + bitmap_bytes(width) + width + count * width;
  std::byte* const raw = raw_.reserve(most);
  auto bytes = blocks_.decode(BlockKind::kLevel, block, {raw, most});
  if (!bytes) return bytes.error();
  if (*bytes < kFixedBytes + bitmap_bytes(width) || load_le<std::uint32_t>(raw) != count ||
      load_le<std::uint32_t>(raw + 4) != width) {
    return corrupt(
        fmt::format("a level block of other than {} descriptors of {} bytes", count, width));
  }
  const std::byte* const bitmap = raw + kFixedBytes;
  const std::byte* const constants = bitmap + bitmap_bytes(width);
  const auto varies = [&](std::size_t c) {
    return (bitmap[c / 8] >> (c % 8) & std::byte{1}) != std::byte{0};
  };
  std::size_t varying = 0;
  for (std::size_t c = 0; c < width; ++c) varying += varies(c);
  const std::size_t head = kFixedBytes + bitmap_bytes(width) + (width - varying);
  if (*bytes != head + varying * count) {
    return corrupt(
        fmt::format("a level block of {} raw bytes with {} columns of {}", *bytes, varying, count));
  }

  columns_.resize(width);
  std::byte* const copies = constants_.reserve((width - varying) * kCopies);
  const std::byte* column = raw + head;
  std::size_t constant = 0;
  for (std::size_t c = 0; c < width; ++c) {
    if (varies(c)) {
      columns_[c] = {column, 1};
      column += count;
    } else {
      std::memset(copies + constant * kCopies, static_cast<int>(constants[constant]), kCopies);
      columns_[c] = {copies + constant * kCopies, 0};
      ++constant;
    }
  }
  gather_columns(columns_.data(), count, width, out);
  return Done{};
}

}  // namespace comback

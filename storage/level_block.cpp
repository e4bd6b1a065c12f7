#include "storage/level_block.h"

#include <algorithm>
#include <cassert>

namespace comback {
namespace {

constexpr std::size_t kMostRawBytes = std::size_t{16} << 20;

}  // namespace

std::size_t level_block_states(std::size_t width, std::size_t states) {
  return std::clamp<std::size_t>(kMostRawBytes / width, 1, states);
}

std::span<const std::byte> LevelBlockEncoder::encode(const std::byte* rows, std::size_t count,
                                                     std::size_t width) {
  assert(count >= 1 && count <= level_block_states(width, count));
  return blocks_.encode(BlockKind::kLevel, columns_.encode(rows, count, width));
}

Status LevelBlockDecoder::decode(std::span<const std::byte> block, std::size_t count,
                                 std::size_t width, std::byte* out) {
  const std::size_t most = ColumnDecoder::most_bytes(count, width);
  std::byte* const raw = raw_.reserve(most);
  auto bytes = blocks_.decode(BlockKind::kLevel, block, {raw, most});
  if (!bytes) return bytes.error();
  return columns_.decode({raw, *bytes}, count, width, out);
}

}  // namespace comback

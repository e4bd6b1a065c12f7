#include "io/block_codec.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cassert>
#include <cstring>
#include <new>

#include "io/little_endian.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comback {
namespace {

constexpr std::size_t kMagicAt = 8;
constexpr std::size_t kKindAt = 11;
constexpr std::size_t kRawBytesAt = 12;
constexpr std::size_t kPayloadBytesAt = 16;
constexpr char kMagic[3] = {'C', 'B', 'k'};
constexpr std::uint32_t kCompressed = std::uint32_t{1} << 31;

std::uint64_t checksum_of(const std::byte* block, std::size_t payload_bytes) {
  return XXH3_64bits(block + kMagicAt, kBlockHeaderBytes - kMagicAt + payload_bytes);
}

Error corrupt(std::string what) { return {Errc::kCorruption, std::move(what)}; }

}  // namespace

void BlockEncoder::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

BlockEncoder::BlockEncoder(int level) {
  if (level == kStore) return;
  context_.reset(ZSTD_createCCtx());
  if (!context_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  // The header has the size; every byte of a frame that says it again would be paid per block.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
}
BlockEncoder::BlockEncoder(BlockEncoder&&) noexcept = default;
BlockEncoder& BlockEncoder::operator=(BlockEncoder&&) noexcept = default;
BlockEncoder::~BlockEncoder() = default;

std::span<const std::byte> BlockEncoder::encode(BlockKind kind, std::span<const std::byte> raw) {
  assert(raw.size() <= kMaxBlockRawBytes);
  // Room for the worst case lets zstd do without checks of its output.
  const std::size_t room = ZSTD_compressBound(raw.size());
  std::byte* const block = block_.reserve(kBlockHeaderBytes + room);
  std::byte* const payload = block + kBlockHeaderBytes;
  std::size_t payload_bytes = raw.size();
  if (context_) {
    payload_bytes = ZSTD_compress2(context_.get(), payload, room, raw.data(), raw.size());
  }
  auto raw_bytes = static_cast<std::uint32_t>(raw.size());
  if (ZSTD_isError(payload_bytes) == 0 && payload_bytes < raw.size()) {
    raw_bytes |= kCompressed;
  } else {  // it does not shrink, or zstd found no memory
    payload_bytes = raw.size();
    if (payload_bytes > 0) std::memcpy(payload, raw.data(), payload_bytes);
  }
  std::memcpy(block + kMagicAt, kMagic, sizeof kMagic);
  block[kKindAt] = static_cast<std::byte>(kind);
  store_le(block + kRawBytesAt, raw_bytes);
  store_le(block + kPayloadBytesAt, static_cast<std::uint32_t>(payload_bytes));
  store_le(block, checksum_of(block, payload_bytes));
  return {block, kBlockHeaderBytes + payload_bytes};
}

std::size_t BlockEncoder::memory_bytes() const {
  return (context_ ? ZSTD_sizeof_CCtx(context_.get()) : 0) + block_.capacity();
}

Result<BlockHeader> read_block_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kBlockHeaderBytes) {
    return corrupt(fmt::format("a block of {} bytes, less than its header", bytes.size()));
  }
  if (std::memcmp(bytes.data() + kMagicAt, kMagic, sizeof kMagic) != 0) {
    return corrupt("no block starts here");
  }
  const auto raw_bytes = load_le<std::uint32_t>(bytes.data() + kRawBytesAt);
  const BlockHeader header{static_cast<BlockKind>(bytes[kKindAt]), (raw_bytes & kCompressed) != 0,
                           raw_bytes & ~kCompressed,
                           load_le<std::uint32_t>(bytes.data() + kPayloadBytesAt)};
  const bool sizes_fit = header.compressed ? header.payload_bytes < header.raw_bytes
                                           : header.payload_bytes == header.raw_bytes;
  if (header.raw_bytes > kMaxBlockRawBytes || !sizes_fit) {
    return corrupt(
        fmt::format("a block that claims {} bytes in {}", header.raw_bytes, header.payload_bytes));
  }
  return header;
}

void BlockDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

BlockDecoder::BlockDecoder() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}
BlockDecoder::BlockDecoder(BlockDecoder&&) noexcept = default;
BlockDecoder& BlockDecoder::operator=(BlockDecoder&&) noexcept = default;
BlockDecoder::~BlockDecoder() = default;

Result<std::size_t> BlockDecoder::decode(BlockKind kind, std::span<const std::byte> block,
                                         std::span<std::byte> out) {
  auto header = read_block_header(block);
  if (!header) return header.error();
  if (header->block_bytes() != block.size()) {
    return corrupt(fmt::format("a block of {} bytes where there should be one of {}",
                               header->block_bytes(), block.size()));
  }
  if (load_le<std::uint64_t>(block.data()) != checksum_of(block.data(), header->payload_bytes)) {
    return corrupt("the block's checksum does not match");
  }
  if (header->kind != kind) {
    return corrupt(fmt::format("a block of kind {} where there should be one of kind {}",
                               static_cast<unsigned>(header->kind), static_cast<unsigned>(kind)));
  }
  if (header->raw_bytes > out.size()) {
    return corrupt(fmt::format("a block of {} raw bytes where there should be at most {}",
                               header->raw_bytes, out.size()));
  }
  const std::span<const std::byte> payload = block.subspan(kBlockHeaderBytes);
  if (!header->compressed) {
    if (!payload.empty()) std::memcpy(out.data(), payload.data(), payload.size());
    return payload.size();
  }
  const std::size_t n = ZSTD_decompressDCtx(context_.get(), out.data(), header->raw_bytes,
                                            payload.data(), payload.size());
  if (ZSTD_isError(n) != 0) return corrupt(fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  if (n != header->raw_bytes) {
    return corrupt(fmt::format("a block of {} raw bytes that claims {}", n, header->raw_bytes));
  }
  return n;
}

std::size_t BlockDecoder::memory_bytes() const { return ZSTD_sizeof_DCtx(context_.get()); }

}  // namespace comback

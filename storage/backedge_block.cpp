#include "storage/backedge_block.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "storage/varint.h"

namespace comback {
namespace {

constexpr int kLevel = 6;
constexpr unsigned kMonotone = 1;
constexpr unsigned kCompressed = 2;
constexpr unsigned kPlanesShift = 2;
constexpr unsigned kMostPlanes = 4;
constexpr unsigned kLowEventBits = 6;
constexpr std::uint64_t kFar = 3;
// Each state has its step, its planes and a varint in the columns.
constexpr std::uint64_t kMostColumnBytes = kMaxBackedges * (1 + kMostPlanes + 10);

std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (static_cast<std::int64_t>(difference) < 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t coded) {
  return coded >> 1 ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
}

Error corrupt(const char* what) {
  return {Errc::kCorruption, std::string("backedge block: ") + what};
}

}  // namespace

void BackedgeEncoder::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
BackedgeEncoder::BackedgeEncoder() : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  // The block says it.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
}
BackedgeEncoder::BackedgeEncoder(BackedgeEncoder&&) noexcept = default;
BackedgeEncoder& BackedgeEncoder::operator=(BackedgeEncoder&&) noexcept = default;
BackedgeEncoder::~BackedgeEncoder() = default;

std::string_view BackedgeEncoder::encode(std::span<const Backedge> edges) {
  assert(!edges.empty() && edges.size() <= kMaxBackedges);
  const bool monotone = std::is_sorted(
      edges.begin(), edges.end(),
      [](const Backedge& a, const Backedge& b) { return a.predecessor < b.predecessor; });
  std::uint32_t all_events = 0;
  for (const Backedge& edge : edges) all_events |= edge.event;
  const unsigned planes =
      (std::max<unsigned>(std::bit_width(all_events), kLowEventBits) - kLowEventBits + 7) / 8;

  const std::size_t count = edges.size();
  columns_.resize(count * (1 + planes));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t event = edges[i].event;
    std::uint64_t step = 0;
    if (i + 1 < count) {
      const std::uint64_t ahead = edges[i + 1].predecessor - edges[i].predecessor;
      if (monotone) {
        step = std::min(ahead, kFar);
        if (step == kFar) append_varint(ahead - kFar, columns_);
      } else {
        append_varint(zigzag(ahead), columns_);
      }
    }
    columns_[i] = static_cast<char>((event & ((1u << kLowEventBits) - 1)) << 2 | step);
    for (unsigned plane = 0; plane < planes; ++plane) {
      columns_[(1 + plane) * count + i] = static_cast<char>(event >> (kLowEventBits + 8 * plane));
    }
  }

  packed_.assign(1, static_cast<char>((monotone ? kMonotone : 0) | planes << kPlanesShift));
  append_varint(count, packed_);
  append_varint(edges[0].predecessor, packed_);
  append_varint(columns_.size(), packed_);
  const std::size_t header = packed_.size();
  packed_.resize(header + ZSTD_compressBound(columns_.size()));
  const std::size_t bytes =
      ZSTD_compress2(context_.get(), packed_.data() + header, packed_.size() - header,
                     columns_.data(), columns_.size());
  if (!ZSTD_isError(bytes) && bytes < columns_.size()) {
    packed_[0] = static_cast<char>(packed_[0] | kCompressed);
    packed_.resize(header + bytes);
  } else {
    packed_.resize(header);
    packed_ += columns_;
  }
  return packed_;
}

void BackedgeDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }
BackedgeDecoder::BackedgeDecoder() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
}
BackedgeDecoder::BackedgeDecoder(BackedgeDecoder&&) noexcept = default;
BackedgeDecoder& BackedgeDecoder::operator=(BackedgeDecoder&&) noexcept = default;
BackedgeDecoder::~BackedgeDecoder() = default;

Status BackedgeDecoder::decode(std::string_view packed, std::uint64_t first_id,
                               BackedgeBlock& block) {
  if (packed.empty()) return corrupt("empty");
  const auto flags = static_cast<unsigned char>(packed[0]);
  packed.remove_prefix(1);
  const unsigned planes = flags >> kPlanesShift;
  std::uint64_t count = 0;
  std::uint64_t predecessor = 0;
  std::uint64_t column_bytes = 0;
  if (!take_varint(packed, count) || !take_varint(packed, predecessor) ||
      !take_varint(packed, column_bytes)) {
    return corrupt("its header ends early");
  }
  if (planes > kMostPlanes || count == 0 || count > kMaxBackedges ||
      column_bytes < count * (1 + planes) || column_bytes > kMostColumnBytes || count > ~first_id) {
    return corrupt("impossible header");
  }
  std::string_view columns = packed;
  if ((flags & kCompressed) != 0) {
    columns_.resize(column_bytes);
    const std::size_t bytes = ZSTD_decompressDCtx(context_.get(), columns_.data(), column_bytes,
                                                  packed.data(), packed.size());
    if (ZSTD_isError(bytes) || bytes != column_bytes) return corrupt("its columns do not unpack");
    columns = columns_;
  } else if (packed.size() != column_bytes) {
    return corrupt("columns of the wrong size");
  }

  std::string_view rest = columns.substr(count * (1 + planes));
  block.first_id = first_id;
  block.predecessors.resize(count);
  block.events.resize(count);
  const bool monotone = (flags & kMonotone) != 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto step = static_cast<unsigned char>(columns[i]);
    const std::uint64_t id = first_id + i;
    if (predecessor >= id && (predecessor | id) != 0) return corrupt("a predecessor after its id");
    block.predecessors[i] = predecessor;
    block.events[i] = step >> 2;
    if (i + 1 == count) break;
    std::uint64_t ahead = step & 3;
    if (!monotone || ahead == kFar) {
      std::uint64_t more = 0;
      if (!take_varint(rest, more)) return corrupt("its steps end early");
      ahead = monotone ? ahead + more : unzigzag(more);
    }
    predecessor += ahead;
  }
  if (!rest.empty()) return corrupt("bytes that belong to nothing");
  for (unsigned plane = 0; plane < planes; ++plane) {
    const char* const bytes = columns.data() + (1 + plane) * count;
    for (std::uint64_t i = 0; i < count; ++i) {
      block.events[i] |= std::uint32_t{static_cast<unsigned char>(bytes[i])}
                         << (kLowEventBits + 8 * plane);
    }
  }
  return Done{};
}

}  // namespace comback

#include "storage/backedge_table.h"

#include <algorithm>
#include <bit>

namespace comback {

bool BackedgeTable::start() {
  open_ = Mapping::allocate(kBlock * sizeof(Backedge), *budget_);
  return static_cast<bool>(open_);
}

bool BackedgeTable::seal() {
  const Backedge* const edges = open();
  Backedge low = edges[0];
  Backedge high = edges[0];
  for (std::uint64_t i = 1; i < kBlock; ++i) {
    low.predecessor = std::min(low.predecessor, edges[i].predecessor);
    high.predecessor = std::max(high.predecessor, edges[i].predecessor);
    low.event = std::min(low.event, edges[i].event);
    high.event = std::max(high.event, edges[i].event);
  }
  const unsigned predecessor_bits = std::bit_width(high.predecessor - low.predecessor);
  const unsigned event_bits = std::bit_width(high.event - low.event);
  const std::size_t bytes = kBlock / 8 * (predecessor_bits + event_bits);

  if (chunk_used_ + bytes + kSlack > kChunkBytes) {
    Mapping chunk = Mapping::allocate(kChunkBytes, *budget_);
    if (!chunk) return false;
    chunks_.push_back(std::move(chunk));
    chunk_used_ = 0;
  }
  std::byte* const records = chunks_.back().data() + chunk_used_;
  chunk_used_ += bytes;

  std::uint64_t bit = 0;
  const auto write = [&](std::uint64_t value, unsigned bits) {
    std::uint64_t word;
    std::memcpy(&word, records + bit / 8, 8);  // still zero from `bit` on
    word |= value << (bit % 8);
    std::memcpy(records + bit / 8, &word, 8);
    bit += bits;
  };
  for (std::uint64_t i = 0; i < kBlock; ++i) {
    write(edges[i].predecessor - low.predecessor, predecessor_bits);
    write(edges[i].event - low.event, event_bits);
  }
  blocks_.push_back({records, low.predecessor, low.event,
                     static_cast<std::uint8_t>(predecessor_bits),
                     static_cast<std::uint8_t>(event_bits)});
  open_count_ = 0;
  return true;
}

}  // namespace comback

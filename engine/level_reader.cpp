#include "engine/level_reader.h"

#include <algorithm>
#include <utility>

namespace comback {
namespace {

constexpr std::size_t kSlack = 64;           // models may read whole words past a descriptor's end
constexpr std::size_t kBlocksPerThread = 4;  // of a group

}  // namespace

Result<LevelReader> LevelReader::open(const LevelStore& store, ThreadTeam& team, IoKind io) {
  auto reader = AsyncReader::open(io, 64);
  if (!reader) return reader.error();
  return LevelReader(store, team, std::move(*reader));
}

LevelReader::LevelReader(const LevelStore& store, ThreadTeam& team,
                         std::unique_ptr<AsyncReader> reader)
    : store_(&store), team_(&team), width_(store.width()), reader_(std::move(reader)) {
  for (unsigned t = 0; t < team.size(); ++t) {
    decoders_.push_back(std::make_unique<LevelBlockDecoder>());
  }
}

// Reads may be under way into buffers of ours.
LevelReader::~LevelReader() {
  if (reader_) (void)wait_all();
}

std::uint64_t LevelReader::memory_bytes(std::size_t width, unsigned threads) {
  // Rows once, and at worst as many bytes again for either group.
  return 3 * threads * kBlocksPerThread * level_block_states(width) * width;
}

Result<std::uint64_t> LevelReader::load(std::uint64_t id, std::uint64_t end) {
  if (id >= rows_first_ && id < rows_end_) return std::min(rows_end_, end);
  if (ahead_.blocks.empty() || id < ahead_.first || id >= ahead_.end) {
    if (Status status = wait_all(); !status) return status.error();
    if (Status status = start(ahead_, id, end); !status) return status.error();
  }
  if (Status status = wait_all(); !status) return status.error();
  std::swap(current_, ahead_);
  ahead_.blocks.clear();
  if (current_.end < end) {
    if (Status status = start(ahead_, current_.end, end); !status) return status.error();
  }

  rows_first_ = current_.first;
  rows_end_ = current_.end;
  rows_.reserve((rows_end_ - rows_first_) * width_ + kSlack);
  std::vector<Status> results(current_.blocks.size(), Done{});
  team_->for_each(current_.blocks.size(), [&](unsigned thread, std::size_t b) {
    const LevelStore::Block& block = current_.blocks[b].block;
    results[b] = decoders_[thread]->decode(
        {current_.bytes.data() + current_.offsets[b], block.bytes}, block.count, width_,
        rows_.data() + (block.first_id - rows_first_) * width_);
  });
  for (std::size_t b = 0; b < results.size(); ++b) {
    if (results[b]) continue;
    rows_end_ = rows_first_;
    return located(results[b].error(), current_.blocks[b].file->path(),
                   current_.blocks[b].block.offset);
  }
  return std::min(rows_end_, end);
}

Status LevelReader::forget() {
  rows_first_ = rows_end_ = 0;
  ahead_.blocks.clear();
  return wait_all();
}

// Submits the reads of some blocks from `first` on.
Status LevelReader::start(Group& group, std::uint64_t first, std::uint64_t end) {
  const std::size_t most = team_->size() * kBlocksPerThread;
  group.blocks.clear();
  group.offsets.clear();
  std::size_t bytes = 0;
  std::uint64_t id = first;
  while (id < end && group.blocks.size() < most) {
    const auto ref = store_->find_block(id);
    if (!ref) {
      return Error{Errc::kCorruption,
                   "the level store has no block with state " + std::to_string(id)};
    }
    if (group.blocks.empty()) group.first = ref->block.first_id;
    group.blocks.push_back(*ref);
    group.offsets.push_back(bytes);
    bytes += ref->block.bytes;
    id = ref->block.first_id + ref->block.count;
  }
  group.end = id;
  group.bytes.reserve(bytes);
  std::vector<ReadRequest> requests;
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    const LevelStore::BlockRef& ref = group.blocks[b];
    requests.push_back(
        {ref.file, ref.block.offset, group.bytes.data() + group.offsets[b], ref.block.bytes, b});
  }
  return reader_->submit(requests);
}

Status LevelReader::wait_all() {
  while (reader_->in_flight() > 0) {
    if (auto tag = reader_->wait(); !tag) return tag.error();
  }
  return Done{};
}

}  // namespace comback

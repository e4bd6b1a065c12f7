#include "engine/frontier.h"

#include <algorithm>

namespace comback {
namespace {

constexpr std::size_t kSlack = 64;  // models may read whole words past a descriptor's end

}  // namespace

Result<Frontier> Frontier::open(const StateArchive& archive, ThreadTeam& team, IoKind io) {
  auto reader = AsyncReader::open(io, 64);
  if (!reader) return reader.error();
  return Frontier(archive, team, std::move(*reader));
}

Frontier::Frontier(const StateArchive& archive, ThreadTeam& team,
                   std::unique_ptr<AsyncReader> reader)
    : archive_(&archive), team_(&team), width_(archive.log().width()), reader_(std::move(reader)) {
  for (unsigned t = 0; t < team.size(); ++t) {
    decoders_.push_back(std::make_unique<LevelBlockDecoder>());
  }
}

Result<std::uint64_t> Frontier::load(std::uint64_t id, std::uint64_t end) {
  memory_from_ = archive_->log().released_below();
  if (id >= memory_from_) return end;
  if (id >= rows_first_ && id < rows_end_) return std::min(rows_end_, end);
  if (ahead_.blocks.empty() || id < ahead_.first || id >= ahead_.end) {
    if (Status status = wait_all(); !status) return status.error();
    if (Status status = start(ahead_, id, end); !status) return status.error();
  }
  if (Status status = wait_all(); !status) return status.error();

  rows_first_ = ahead_.first;
  rows_end_ = ahead_.end;
  rows_.reserve((rows_end_ - rows_first_) * width_ + kSlack);
  std::vector<Status> results(ahead_.blocks.size(), Done{});
  team_->for_each(ahead_.blocks.size(), [&](unsigned thread, std::size_t b) {
    const LevelStore::Block& block = ahead_.blocks[b].block;
    results[b] = decoders_[thread]->decode({ahead_.bytes.data() + ahead_.offsets[b], block.bytes},
                                           block.count, width_,
                                           rows_.data() + (block.first_id - rows_first_) * width_);
  });
  for (std::size_t b = 0; b < results.size(); ++b) {
    if (results[b]) continue;
    return located(results[b].error(), ahead_.blocks[b].file->path(),
                   ahead_.blocks[b].block.offset);
  }
  ahead_.blocks.clear();
  if (rows_end_ < end) {
    if (Status status = start(ahead_, rows_end_, end); !status) return status.error();
  }
  return std::min(rows_end_, end);
}

// Submits the reads of some blocks from `first` on.
Status Frontier::start(Group& group, std::uint64_t first, std::uint64_t end) {
  const std::size_t most = team_->size() * 4;
  group.blocks.clear();
  group.offsets.clear();
  std::size_t bytes = 0;
  std::uint64_t id = first;
  while (id < end && group.blocks.size() < most) {
    const auto ref = archive_->find_block(id);
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

Status Frontier::wait_all() {
  while (reader_->in_flight() > 0) {
    if (auto tag = reader_->wait(); !tag) return tag.error();
  }
  return Done{};
}

}  // namespace comback

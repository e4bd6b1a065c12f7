#include "engine/level_writer.h"

#include <algorithm>
#include <cstring>

namespace comback {

LevelWriter::LevelWriter(LevelStore& store, ThreadTeam& team)
    : store_(&store),
      team_(&team),
      width_(store.width()),
      block_states_(level_block_states(store.width())) {
  for (unsigned t = 0; t < team.size(); ++t) {
    encoders_.push_back(std::make_unique<LevelBlockEncoder>());
  }
  blocks_.resize(team.size() * 4);
}

Status LevelWriter::append(const std::byte* rows, std::size_t count) {
  const std::size_t block_bytes = block_states_ * width_;
  if (!waiting_.empty()) {
    const std::size_t missing = block_states_ - waiting_.size() / width_;
    const std::size_t taken = std::min(missing, count);
    waiting_.insert(waiting_.end(), rows, rows + taken * width_);
    rows += taken * width_;
    count -= taken;
    if (waiting_.size() < block_bytes) return Done{};
    if (Status status = write_blocks(waiting_.data(), block_states_); !status) return status;
    waiting_.clear();
  }
  const std::size_t whole = count / block_states_ * block_states_;
  if (Status status = write_blocks(rows, whole); !status) return status;
  waiting_.assign(rows + whole * width_, rows + count * width_);
  return Done{};
}

Status LevelWriter::end_level() {
  if (Status status = write_blocks(waiting_.data(), waiting_.size() / width_); !status) {
    return status;
  }
  waiting_.clear();
  return store_->end_level();
}

Status LevelWriter::write_blocks(const std::byte* rows, std::size_t count) {
  const std::size_t total = (count + block_states_ - 1) / block_states_;
  for (std::size_t first = 0; first < total; first += blocks_.size()) {
    const std::size_t group = std::min(blocks_.size(), total - first);
    team_->for_each(group, [&](unsigned thread, std::size_t b) {
      const std::size_t from = (first + b) * block_states_;
      const std::size_t states = std::min(block_states_, count - from);
      const auto bytes = encoders_[thread]->encode(rows + from * width_, states, width_);
      blocks_[b].bytes.assign(bytes.begin(), bytes.end());
      blocks_[b].count = static_cast<std::uint32_t>(states);
    });
    for (std::size_t b = 0; b < group; ++b) {
      if (Status status = store_->append_block(blocks_[b].bytes, blocks_[b].count); !status) {
        return status;
      }
    }
  }
  return Done{};
}

}  // namespace comback

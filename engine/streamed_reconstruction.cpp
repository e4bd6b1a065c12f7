#include "engine/streamed_reconstruction.h"

#include <algorithm>
#include <cassert>

#include "storage/bytes.h"

namespace comback {
namespace {

// Models may read whole words past a descriptor's end.
constexpr std::size_t kSlack = 64;

}  // namespace

Result<StreamedReconstruction> StreamedReconstruction::open(const Model& model,
                                                            const StateArchive& archive,
                                                            IoKind io) {
  auto reader = AsyncReader::open(io, kReadsAhead);
  if (!reader) return reader.error();
  return StreamedReconstruction(model, archive, std::move(*reader));
}

StreamedReconstruction::StreamedReconstruction(const Model& model, const StateArchive& archive,
                                               std::unique_ptr<AsyncReader> reader)
    : model_(&model), archive_(&archive), width_(model.width()), reader_(std::move(reader)) {}

Status StreamedReconstruction::run(
    std::span<const std::uint64_t> ids,
    const std::function<void(std::size_t, const std::byte*)>& on_state) {
  if (Status climbed = climb(ids); !climbed) return climbed;
  list_blocks();
  Status status = descend(on_state);
  // After an error some reads may still be under way into buffers of ours.
  while (!status && reader_->in_flight() > 0) (void)reader_->wait();
  reads_.clear();
  return status;
}

// Makes layers_, the deepest first: on each level the marked ids and the predecessors of what is
// needed below and held nowhere.
Status StreamedReconstruction::climb(std::span<const std::uint64_t> ids) {
  layers_.clear();
  std::optional<StateArchive::BackedgeReader> backedges;  // made when the first is asked for
  std::size_t left = ids.size();      // marks not yet in a layer: ids[0 .. left)
  std::vector<std::uint64_t> wanted;  // of the level above the last layer, rising, each once
  std::uint32_t level = 0;
  while (left > 0 || !wanted.empty()) {
    level = wanted.empty() ? archive_->level_of(ids[left - 1]) : level - 1;
    const std::uint64_t first = archive_->first_id(level);
    std::size_t from = left;
    while (from > 0 && ids[from - 1] >= first) --from;

    // The marks of this level and what the layer below wants, merged.
    Layer layer{level, {}};
    layer.needs.reserve(left - from + wanted.size());
    std::size_t m = from;
    std::size_t w = 0;
    while (m < left || w < wanted.size()) {
      const bool mark = m < left && (w == wanted.size() || ids[m] <= wanted[w]);
      const std::uint64_t id = mark ? ids[m] : wanted[w];
      if (w < wanted.size() && wanted[w] == id) ++w;
      layer.needs.push_back({id, kHeld, 0, mark ? static_cast<std::uint32_t>(m) : kNotMarked});
      if (mark) ++m;
    }
    left = from;
    wanted.clear();
    for (Need& need : layer.needs) {
      if (archive_->held(need.id, level)) continue;
      if (!backedges) backedges.emplace(*archive_);
      const Result<Backedge> edge = backedges->find(need.id);
      if (!edge) return edge.error();
      // Ids of one level rise with their predecessors' (canonical numbering).
      if (edge->predecessor >= first || (!wanted.empty() && edge->predecessor < wanted.back())) {
        return Error{Errc::kCorruption, "the backedge of state " + std::to_string(need.id) +
                                            " leads to state " + std::to_string(edge->predecessor) +
                                            ", which breaks the order of ids"};
      }
      if (wanted.empty() || wanted.back() != edge->predecessor) {
        wanted.push_back(edge->predecessor);
      }
      need.event = edge->event;
      need.above = static_cast<std::uint32_t>(wanted.size() - 1);
    }
    layers_.push_back(std::move(layer));
    if (!wanted.empty() && level == 0) {
      return Error{Errc::kCorruption, "the descriptor of the initial state is held nowhere"};
    }
    if (wanted.empty()) continue;
    // The layer above also has marks: places there are found when its needs are known.
    Layer& below = layers_.back();
    const std::uint64_t above_first = archive_->first_id(level - 1);
    std::size_t am = left;
    while (am > 0 && ids[am - 1] >= above_first) --am;
    std::vector<std::uint32_t> place(wanted.size());
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      while (am < left && ids[am] < wanted[i]) ++am, ++at;
      place[i] = at++;
      if (am < left && ids[am] == wanted[i]) ++am;
    }
    for (Need& need : below.needs) {
      if (need.above != kHeld) need.above = place[need.above];
    }
  }
  return Done{};
}

// The blocks that the layers need, by rising id, each once.
void StreamedReconstruction::list_blocks() {
  blocks_.clear();
  next_block_ = 0;
  std::uint64_t covered = 0;  // ids below it are in a block that is listed
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    for (const Need& need : layer->needs) {
      if (need.above != kHeld || need.id < covered || archive_->in_memory(need.id)) continue;
      blocks_.push_back(*archive_->find_block(need.id));
      covered = blocks_.back().block.first_id + blocks_.back().block.count;
    }
  }
}

Status StreamedReconstruction::descend(
    const std::function<void(std::size_t, const std::byte*)>& on_state) {
  loaded_ = {};
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    // Only what another layer is made from has to outlast its turn.
    const bool is_above =
        std::next(layer) != layers_.rend() && std::next(layer)->level == layer->level + 1;
    std::byte* const rows =
        current_.reserve((is_above ? layer->needs.size() : 1) * width_ + kSlack);
    for (std::size_t i = 0; i < layer->needs.size(); ++i) {
      const Need& need = layer->needs[i];
      const std::byte* state;
      if (need.above == kHeld) {
        const Result<const std::byte*> held = held_row(need.id);
        if (!held) return held.error();
        state = *held;
        if (is_above) copy_bytes(rows + i * width_, state, width_);
      } else {
        std::byte* const made = rows + (is_above ? i : 0) * width_;
        copy_bytes(made, above_.data() + need.above * width_, width_);
        model_->execute(made, need.event);
        ++events_;
        state = made;
      }
      if (need.mark != kNotMarked) on_state(need.mark, state);
    }
    std::swap(above_, current_);
  }
  return Done{};
}

Result<const std::byte*> StreamedReconstruction::held_row(std::uint64_t id) {
  if (const std::byte* const row = archive_->in_memory(id)) return row;
  while (id >= loaded_.block.first_id + loaded_.block.count) {
    if (Status status = read_ahead(); !status) return status.error();
    Read& read = reads_.front();
    while (!read.done) {
      const Result<std::uint64_t> tag = reader_->wait();
      if (!tag) return tag.error();
      reads_[*tag - first_read_].done = true;
    }
    loaded_ = read.ref;
    const LevelStore::Block& block = loaded_.block;
    const std::byte* const bytes =
        loaded_.memory != nullptr ? loaded_.memory + block.offset : read.bytes.data();
    const Status decoded = decoder_.decode({bytes, block.bytes}, block.count, width_,
                                           rows_.reserve(block.count * width_ + kSlack));
    if (!decoded && loaded_.memory != nullptr) return decoded.error();
    if (!decoded) return located(decoded.error(), loaded_.file->path(), block.offset);
    ++blocks_read_;
    spare_.push_back(std::move(read.bytes));
    reads_.pop_front();
    ++first_read_;
  }
  assert(id >= loaded_.block.first_id);
  return rows_.data() + (id - loaded_.block.first_id) * width_;
}

Status StreamedReconstruction::read_ahead() {
  if (reads_.size() > kReadsAhead / 2) return Done{};
  std::vector<ReadRequest>& requests = requests_;
  requests.clear();
  while (next_block_ < blocks_.size() && reads_.size() < kReadsAhead) {
    Read read{blocks_[next_block_++], {}, false};
    if (read.ref.memory != nullptr) {
      read.done = true;
      reads_.push_back(std::move(read));
      continue;
    }
    if (!spare_.empty()) {
      read.bytes = std::move(spare_.back());
      spare_.pop_back();
    }
    std::byte* const buffer = read.bytes.reserve(read.ref.block.bytes);
    requests.push_back({read.ref.file, read.ref.block.offset, buffer, read.ref.block.bytes,
                        first_read_ + reads_.size()});
    reads_.push_back(std::move(read));
  }
  return requests.empty() ? Status(Done{}) : reader_->submit(requests);
}

}  // namespace comback

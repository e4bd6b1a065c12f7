#include "engine/state_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/keep_levels_choice.h"
#include "storage/bytes.h"

namespace comback {
namespace {

constexpr std::size_t kSlack = 64;  // models may read whole words past a descriptor's end
constexpr std::uint64_t kNoBadState = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kSampleStates = 4096;
// To unpack a backedge; with executing it, to be compared with decoding a descriptor.
constexpr double kBackedgeNs = 5;

const SearchOptions& no_limits() {
  static const SearchOptions options;
  return options;
}

}  // namespace

StateStream::StateStream(const Model& model, const StoredTree& tree, ThreadTeam& team,
                         const Options& options)
    : model_(&model),
      tree_(&tree),
      team_(&team),
      options_(options),
      width_(model.width()),
      event_limit_(model.events().empty() ? std::numeric_limits<std::size_t>::max()
                                          : model.events().size()),
      bad_state_(kNoBadState) {
  // Two levels, and beside them the batch and what the readers hold.
  const std::uint64_t rest =
      2 * LevelReader::memory_bytes(width_, team.size()) + kMaxBatchTasks * kTaskStates * width_;
  for (unsigned t = 0; options.checked && t < team.size(); ++t) {
    successors_.emplace_back(width_, model.max_successors());
  }
  level_bytes_ = options.memory_bytes > rest ? (options.memory_bytes - rest) / 2 : 0;
}

StateStream::~StateStream() {
  if (!spill_) return;
  spill_reader_.reset();
  spill_writer_.reset();
  spill_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(options_.temporary_dir, ignored);
}

Status StateStream::run(const Visit& visit, const AfterBatch& after, Monitor& monitor) {
  if (Status status = tree_->check(); !status) return status;
  visit_ = &visit;
  after_ = &after;
  monitor_ = &monitor;
  control_.emplace(no_limits(), monitor);
  backedges_.emplace(*tree_->backedges);
  read_kept_ = true;
  measured_ = options_.kept != Options::Kept::kAuto;

  const std::uint32_t end = std::min(options_.end_level.value_or(tree_->depth()), tree_->depth());
  std::uint32_t level = std::min(options_.from_level, end);
  while (level > 0 && !reads_kept(level)) --level;
  for (; level < end && !done_; ++level) {
    if (Status status = prepare_to_store(level); !status) return status;
    if (Status status = visit_level(level); !status) return status;
    if (done_) break;
    if (Status status = end_level(level); !status) return status;
  }
  return Done{};
}

Status StateStream::visit_level(std::uint32_t level) {
  if (level == 0) {
    std::byte* const row = batch_rows_.reserve(width_ + kSlack);
    model_->initial(row);
    const StateRows rows{0, 0, 1, row, width_};
    const bool visited = options_.from_level == 0;
    if (visited) (*visit_)(0, 0, rows);
    if (Status status = hand_on(0, rows); !status) return status;
    const Result<bool> go_on = finish_batch(visited ? 1 : 0, 1);
    return go_on ? Status(Done{}) : Status(go_on.error());
  }
  return reads_kept(level) ? read_level(level) : make_level(level);
}

// --- a level that the run keeps ---

Status StateStream::read_level(std::uint32_t level) {
  if (!kept_) {
    auto reader = LevelReader::open(*tree_->levels, *team_, options_.io);
    if (!reader) return reader.error();
    kept_.emplace(std::move(*reader));
  }
  if (Status status = kept_->forget(); !status) return status;
  const bool visited = level >= options_.from_level;
  for (StateId id = tree_->first(level); id < tree_->end(level);) {
    const Result<std::uint64_t> loaded = kept_->load(id, tree_->end(level));
    if (!loaded) return loaded.error();
    const std::size_t count = *loaded - id;
    const StateRows all{level, id, count, kept_->row(id), width_};
    const std::size_t tasks = (count + kTaskStates - 1) / kTaskStates;
    if (visited) {
      team_->for_each(tasks, [&](unsigned thread, std::size_t task) {
        const std::size_t from = task * kTaskStates;
        (*visit_)(thread, task,
                  {level, id + from, std::min(kTaskStates, count - from), all.row(from), width_});
      });
    }
    if (!measured_ && count >= kSampleStates) choose_by_measurement(all.rows, kSampleStates);
    if (Status status = hand_on(level, all); !status) return status;
    id = *loaded;
    read_ += count;
    const Result<bool> go_on = finish_batch(visited ? tasks : 0, id);
    if (!go_on) return go_on.error();
    if (!*go_on) return Done{};
  }
  return Done{};
}

// Reading and making take their time from the processor: what is cheaper there is taken.
void StateStream::choose_by_measurement(const std::byte* rows, std::size_t count) {
  measured_ = true;
  const ReconstructionCosts costs = measure_reconstruction(*model_, rows, count);
  read_kept_ = costs.decode_ns <= costs.event_ns + kBackedgeNs;
}

// --- a level that is made from the one above ---

Status StateStream::make_level(std::uint32_t level) {
  for (StateId id = tree_->first(level); id < tree_->end(level) && !done_;) {
    if (Status status = make_batch(level, id); !status) return status;
  }
  return Done{};
}

Status StateStream::load_above(std::uint32_t level, StateId predecessor) {
  const StateId end = tree_->first(level);
  if (predecessor < tree_->first(level - 1) || predecessor >= end || above_ == Above::kMemory) {
    return Error{Errc::kCorruption,
                 fmt::format("a backedge of level {} leads to state {}, which is not on the level "
                             "above",
                             level, predecessor)};
  }
  LevelReader& reader = above_ == Above::kKept ? *kept_ : *spill_reader_;
  const std::uint64_t offset = above_ == Above::kKept ? 0 : spill_offset_;
  const Result<std::uint64_t> loaded = reader.load(predecessor - offset, end - offset);
  if (!loaded) return loaded.error();
  above_first_ = predecessor;
  above_end_ = *loaded + offset;
  above_base_ = reader.row(predecessor - offset);
  return Done{};
}

// Makes the states from `id` on whose predecessors are available, as many as a batch takes.
Status StateStream::make_batch(std::uint32_t level, StateId& id) {
  const StateId first = id;
  const StateId end =
      std::min<StateId>(tree_->end(level), first + kMaxBatchTasks * kTaskStates / 2);
  std::byte* const made = store_ == Store::kMemory
                              ? stored_rows_.data() + (first - tree_->first(level)) * width_
                              : batch_rows_.reserve((end - first) * width_ + kSlack);
  blocks_.clear();
  tasks_.clear();
  while (id < end && tasks_.size() + 1 < kMaxBatchTasks) {
    auto block = backedges_->block(id);
    if (!block) return block.error();
    const std::vector<std::uint64_t>& predecessors = (*block)->predecessors;
    const std::size_t at = id - (*block)->first_id;
    if (predecessors[at] >= above_end_ || predecessors[at] < above_first_) {
      if (id != first) break;  // those before it come first
      if (Status status = load_above(level, predecessors[at]); !status) return status;
    }
    std::size_t to = at + std::min<std::size_t>(predecessors.size() - at, end - id);
    to = std::min(to, at + (kMaxBatchTasks - tasks_.size()) * kTaskStates);
    if (predecessors[to - 1] >= above_end_) {
      const auto begin = predecessors.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      const auto stop = predecessors.begin() + static_cast<std::ptrdiff_t>(to);
      to = static_cast<std::size_t>(std::lower_bound(begin, stop, above_end_) -
                                    predecessors.begin());
    }
    for (std::size_t from = at; from < to; from += kTaskStates) {
      const StateId task_id = (*block)->first_id + from;
      std::byte* const rows = made + (task_id - first) * width_;
      tasks_.push_back(
          {{level, task_id, std::min(kTaskStates, to - from), rows, width_}, block->get(), rows});
    }
    id = (*block)->first_id + to;
    blocks_.push_back(std::move(*block));
  }

  const bool visited = level >= options_.from_level;
  team_->for_each(tasks_.size(), [&](unsigned thread, std::size_t task) {
    const bool good =
        options_.checked ? make_checked_rows(thread, tasks_[task]) : make_rows(tasks_[task]);
    if (good && visited) (*visit_)(thread, task, tasks_[task].rows);
  });
  if (const std::uint64_t bad = bad_state_.load(); bad != kNoBadState) {
    return Error{Errc::kCorruption,
                 fmt::format("the backedge of state {} breaks the order of ids, or has an event "
                             "that {} does not have",
                             bad, options_.checked ? "its predecessor" : "the model")};
  }
  events_ += id - first;
  if (Status status = hand_on(level, {level, first, id - first, made, width_}); !status) {
    return status;
  }
  const Result<bool> go_on = finish_batch(visited ? tasks_.size() : 0, id);
  return go_on ? Status(Done{}) : Status(go_on.error());
}

bool StateStream::make_rows(const Task& task) {
  const BackedgeBlock& block = *task.block;
  std::size_t at = task.rows.first_id - block.first_id;
  std::byte* row = task.made;
  for (std::size_t i = 0; i < task.rows.count; ++i, ++at, row += width_) {
    const std::uint64_t predecessor = block.predecessors[at];
    const std::uint32_t event = block.events[at];
    if (predecessor < above_first_ || predecessor >= above_end_ || event >= event_limit_) {
      bad_state_.store(task.rows.first_id + i, std::memory_order_relaxed);
      return false;
    }
    copy_bytes(row, above_base_ + (predecessor - above_first_) * width_, width_);
    model_->execute(row, event);
  }
  return true;
}

bool StateStream::make_checked_rows(unsigned thread, const Task& task) {
  const BackedgeBlock& block = *task.block;
  SuccessorBuffer& successors = successors_[thread];
  std::size_t at = task.rows.first_id - block.first_id;
  std::byte* row = task.made;
  std::optional<std::uint64_t> expanded;  // whose successors are in the buffer
  std::uint32_t s = 0;                    // events rise from child to child
  for (std::size_t i = 0; i < task.rows.count; ++i, ++at, row += width_) {
    const std::uint64_t predecessor = block.predecessors[at];
    const std::uint32_t event = block.events[at];
    bool listed = predecessor >= above_first_ && predecessor < above_end_;
    if (listed && expanded != predecessor) {
      model_->successors(above_base_ + (predecessor - above_first_) * width_, successors);
      expanded = predecessor;
      s = 0;
    }
    while (listed && s < successors.size() && successors.event(s) < event) ++s;
    listed = listed && s < successors.size() && successors.event(s) == event;
    if (!listed) {
      bad_state_.store(task.rows.first_id + i, std::memory_order_relaxed);
      return false;
    }
    copy_bytes(row, successors.descriptor(s), width_);
  }
  return true;
}

Result<bool> StateStream::finish_batch(std::size_t tasks, StateId end) {
  const Result<bool> go_on = tasks > 0 ? (*after_)(tasks) : Result<bool>(true);
  if (!go_on) return go_on.error();
  if (!*go_on) done_ = true;
  if (control_->due(end)) {
    const std::uint64_t held = above_rows_.capacity() + stored_rows_.capacity();
    if (control_->poll(end, {.phase = options_.phase,
                             .states = end,
                             .transitions = 0,
                             .queued = tree_->states() - end,
                             .level = tree_->level_of(end - 1),
                             .memory_bytes = held,
                             .seconds = 0}) != StopReason::kNone) {
      done_ = stopped_ = true;
    }
  }
  return !done_;
}

// --- from level to level ---

Status StateStream::prepare_to_store(std::uint32_t level) {
  store_ = Store::kNot;
  // Whether the next level is read may still change to "made" while this one is measured.
  if (level + 1 >= tree_->depth() || (reads_kept(level + 1) && measured_)) return Done{};
  const std::uint64_t bytes = tree_->size(level) * width_;
  if (bytes <= level_bytes_) {
    store_ = Store::kMemory;
    stored_rows_.reserve(bytes + kSlack);
    return Done{};
  }
  if (tree_->held(level)) {
    store_ = Store::kKept;
    return Done{};
  }
  store_ = Store::kSpilled;
  if (!spill_) {
    if (Status status = open_spill(); !status) return status;
  }
  spill_offset_ = tree_->first(level) - spill_->next_id();
  return spill_->begin_level(false);
}

Status StateStream::open_spill() {
  auto store = LevelStore::create(options_.temporary_dir, width_, {});
  if (!store) return store.error();
  spill_ = std::make_unique<LevelStore>(std::move(*store));
  spill_writer_.emplace(*spill_, *team_);
  auto reader = LevelReader::open(*spill_, *team_, options_.io);
  if (!reader) return reader.error();
  spill_reader_.emplace(std::move(*reader));
  return Done{};
}

// Keeps rows for the next level, unless they were made in their place.
Status StateStream::hand_on(std::uint32_t level, const StateRows& rows) {
  if (store_ == Store::kMemory) {
    std::byte* const place = stored_rows_.data() + (rows.first_id - tree_->first(level)) * width_;
    if (place != rows.rows) std::copy_n(rows.rows, rows.count * width_, place);
  }
  if (store_ == Store::kSpilled) {
    spilled_ += rows.count;
    return spill_writer_->append(rows.rows, rows.count);
  }
  return Done{};
}

Status StateStream::end_level(std::uint32_t level) {
  if (above_ == Above::kSpilled && spill_->levels() > 0) {
    const std::uint32_t last = spill_->levels() - (store_ == Store::kSpilled ? 2 : 1);
    if (spill_->held(last)) {
      if (Status status = spill_reader_->forget(); !status) return status;
      if (Status status = spill_->drop_level(last); !status) return status;
    }
  }
  above_first_ = above_end_ = tree_->first(level);
  switch (store_) {
    case Store::kNot:
      above_ = Above::kMemory;
      return Done{};
    case Store::kMemory:
      above_ = Above::kMemory;
      std::swap(above_rows_, stored_rows_);
      above_base_ = above_rows_.data();
      above_end_ = tree_->end(level);
      return Done{};
    case Store::kKept:
      above_ = Above::kKept;
      if (!kept_) {
        auto reader = LevelReader::open(*tree_->levels, *team_, options_.io);
        if (!reader) return reader.error();
        kept_.emplace(std::move(*reader));
      }
      return kept_->forget();
    case Store::kSpilled:
      above_ = Above::kSpilled;
      return spill_writer_->end_level();
  }
  return Done{};
}

}  // namespace comback

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/level_reader.h"
#include "engine/level_writer.h"
#include "engine/search.h"
#include "engine/search_control.h"
#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "io/raw_buffer.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// Descriptors of consecutive states of one level, side by side, with 64 readable bytes behind them.
struct StateRows {
  std::uint32_t level = 0;
  StateId first_id = 0;
  std::size_t count = 0;
  const std::byte* rows = nullptr;
  std::size_t width = 0;
  const std::byte* row(std::size_t i) const { return rows + i * width; }
};

// Every state of a stored run, by rising id, in one sequential pass: reconstruction
// [westergaard07] of all states at once. A level is made from the level above by executing one
// event for each state; predecessors never decrease, so both are walked from the front to the back
// once. Levels whose descriptors the run keeps are read instead where that is faster.
//
// The level above is in memory while it fits into half of the budget; else it is read again from
// the run, or from a temporary file.
class StateStream {
 public:
  struct Options {
    std::uint64_t memory_bytes = std::uint64_t{256} << 20;  // for all that the pass holds
    IoKind io = IoKind::kAuto;
    std::filesystem::path temporary_dir{};  // made, and removed, where a level does not fit
    std::uint32_t from_level = 0;           // levels before it are not visited
    std::optional<std::uint32_t> end_level{};
    enum class Kept { kAuto, kRead, kIgnore } kept = Kept::kAuto;  // kAuto: measured
    // Every event is looked up among those that its predecessor has before anything comes of it:
    // for a tree that is not believed. Takes as long as expanding the states with children.
    bool checked = false;
    const char* phase = "reading";  // in progress reports
  };

  // Called from all threads at once with some states each: task 0, 1, ... of a batch, in the order
  // of ids.
  using Visit = std::function<void(unsigned thread, std::size_t task, const StateRows& rows)>;
  // Called after each batch from the thread that called run(): what the tasks found can be put in
  // order here. False ends the pass.
  using AfterBatch = std::function<Result<bool>(std::size_t tasks)>;

  // REQUIRES: all outlive it.
  StateStream(const Model& model, const StoredTree& tree, ThreadTeam& team, const Options& options);
  ~StateStream();

  // Once. Where `monitor` asks to stop, the pass ends early and stopped() says so.
  Status run(const Visit& visit, const AfterBatch& after, Monitor& monitor);

  bool stopped() const { return stopped_; }            // `monitor` asked for it
  std::uint64_t events() const { return events_; }     // executed
  std::uint64_t states_read() const { return read_; }  // from kept levels
  std::uint64_t spilled() const { return spilled_; }   // states written to the temporary file
  static constexpr std::size_t kTaskStates = 2048;     // at most
  static constexpr std::size_t kMaxBatchTasks = 128;

 private:
  // States to be made, all of one backedge block.
  struct Task {
    StateRows rows;
    const BackedgeBlock* block = nullptr;
    std::byte* made = nullptr;
  };
  // Where the level above is.
  enum class Above { kMemory, kKept, kSpilled };

  Status visit_level(std::uint32_t level);
  Status read_level(std::uint32_t level);
  Status make_level(std::uint32_t level);
  Status make_batch(std::uint32_t level, StateId& id);
  Status load_above(std::uint32_t level, StateId predecessor);
  bool make_rows(const Task& task);
  bool make_checked_rows(unsigned thread, const Task& task);
  Result<bool> finish_batch(std::size_t tasks, StateId end);
  Status hand_on(std::uint32_t level, const StateRows& rows);
  Status prepare_to_store(std::uint32_t level);
  Status end_level(std::uint32_t level);
  Status open_spill();
  bool reads_kept(std::uint32_t level) const {
    return tree_->held(level) && options_.kept != Options::Kept::kIgnore && read_kept_;
  }
  void choose_by_measurement(const std::byte* rows, std::size_t count);

  const Model* model_;
  const StoredTree* tree_;
  ThreadTeam* team_;
  Options options_;
  std::size_t width_;
  std::size_t event_limit_;
  std::uint64_t level_bytes_;  // a level of at most so many is kept in memory

  const Visit* visit_ = nullptr;
  const AfterBatch* after_ = nullptr;
  Monitor* monitor_ = nullptr;
  std::optional<SearchControl> control_;

  std::optional<DiskBackedges::Reader> backedges_;
  std::vector<std::shared_ptr<const BackedgeBlock>> blocks_;  // of the batch
  std::vector<Task> tasks_;
  std::vector<SuccessorBuffer> successors_;  // by thread, where options_.checked
  std::atomic<std::uint64_t> bad_state_{0};  // the id of one whose backedge is wrong

  Above above_ = Above::kMemory;
  RawBuffer above_rows_;
  std::uint64_t above_first_ = 0;          // ids that are available of the level above:
  std::uint64_t above_end_ = 0;            //
  const std::byte* above_base_ = nullptr;  // the first of them
  std::optional<LevelReader> kept_;

  // Where the level at hand is stored for the next one; not at all where that is read.
  enum class Store { kNot, kMemory, kKept, kSpilled } store_ = Store::kNot;
  RawBuffer stored_rows_;
  RawBuffer batch_rows_;
  std::unique_ptr<LevelStore> spill_;
  std::optional<LevelWriter> spill_writer_;
  std::optional<LevelReader> spill_reader_;
  std::uint64_t spill_offset_ = 0;  // an id in the run less that in spill_

  bool read_kept_ = true;
  bool measured_ = false;
  bool done_ = false;
  bool stopped_ = false;
  std::uint64_t events_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t spilled_ = 0;
};

}  // namespace comback

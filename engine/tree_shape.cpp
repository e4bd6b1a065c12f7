#include "engine/tree_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "engine/search_control.h"

namespace comback {
namespace {

class TreePass {
 public:
  TreePass(const StoredTree& tree, const TreeShapeOptions& options, Monitor& monitor)
      : tree_(&tree), options_(&options), reader_(*tree.backedges), control_(no_limits_, monitor) {}

  Result<TreeShape> run() {
    if (Status status = tree_->check(); !status) return status.error();
    const std::uint64_t bytes =
        2 * tree_->widest() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
    if (bytes > options_->memory_bytes) {
      return Error{Errc::kOutOfMemory,
                   fmt::format("the subtree sizes of the widest level take {} MiB; a larger "
                               "--memory helps",
                               (bytes >> 20) + 1)};
    }
    shape_.states = tree_->states();
    shape_.levels.resize(tree_->depth());
    shape_.children.resize(TreeShape::kMostChildren + 1);
    shape_.heaviest_depth = options_->depth.value_or(default_depth());
    for (std::uint32_t level = tree_->depth(); level-- > 0;) {
      if (Status status = pass_level(level); !status) return status.error();
    }
    for (const auto& [event, count] : events_) shape_.events.emplace_back(event, count);
    std::reverse(shape_.large.begin(), shape_.large.end());
    return std::move(shape_);
  }

 private:
  std::uint32_t default_depth() const {
    for (std::uint32_t level = 0; level < tree_->depth(); ++level) {
      if (tree_->size(level) >= options_->heaviest) return level;
    }
    return tree_->depth() - 1;
  }

  // sizes_ has those of the subtrees that begin on `level`, without their roots; gives those of the
  // level above to above_.
  Status pass_level(std::uint32_t level) {
    const StateId first = tree_->first(level);
    const StateId above_first = level > 0 ? tree_->first(level - 1) : 0;
    sizes_.resize(tree_->size(level));
    children_.resize(tree_->size(level));
    above_.assign(level > 0 ? tree_->size(level - 1) : 0, 0);
    above_children_.assign(above_.size(), 0);
    TreeShape::Level& about = shape_.levels[level];
    about.states = tree_->size(level);
    std::map<Event, std::uint64_t> rare;  // events beyond those that are counted in an array
    level_events_.assign(level_events_.size(), 0);

    StateId previous = ~StateId{0};
    for (StateId id = tree_->end(level); id > first;) {
      auto block = reader_.block(id - 1);
      if (!block) return block.error();
      const StateId from = std::max(first, (*block)->first_id);
      for (; id > from; --id) {
        const StateId state = id - 1;
        const Backedge edge = (*block)->at(state);
        if (level > 0 && (edge.predecessor < above_first || edge.predecessor >= first ||
                          edge.predecessor > previous)) {
          return Error{Errc::kCorruption, fmt::format("the backedge of state {} leads to state {}, "
                                                      "which breaks the order of ids",
                                                      state, edge.predecessor)};
        }
        previous = edge.predecessor;
        note_state(state, level, edge, about);
        if (level == 0) continue;
        above_[edge.predecessor - above_first] += sizes_[state - first];
        ++above_children_[edge.predecessor - above_first];
        if (edge.event < kArrayEvents) {
          if (edge.event >= level_events_.size()) level_events_.resize(edge.event + 1);
          ++level_events_[edge.event];
        } else {
          ++rare[edge.event];
        }
      }
    }
    for (Event event = 0; event < level_events_.size(); ++event) {
      if (level_events_[event] > 0) about.events.emplace_back(event, level_events_[event]);
    }
    about.events.insert(about.events.end(), rare.begin(), rare.end());
    for (const auto& [event, count] : about.events) events_[event] += count;
    if (level == shape_.heaviest_depth) sort_heaviest();
    shape_.leaves += about.leaves;
    sizes_.swap(above_);
    children_.swap(above_children_);
    done_ += about.states;
    if (control_.due(done_) && control_.poll(done_, {.phase = "measuring the tree",
                                                     .states = done_,
                                                     .transitions = 0,
                                                     .queued = first,
                                                     .level = level,
                                                     .memory_bytes = 0,
                                                     .seconds = 0}) != StopReason::kNone) {
      return Error{Errc::kInvalidArgument, "interrupted"};
    }
    return Done{};
  }

  void note_state(StateId state, std::uint32_t level, const Backedge& edge,
                  TreeShape::Level& about) {
    const std::size_t at = state - tree_->first(level);
    const std::uint64_t size = ++sizes_[at];
    const std::uint64_t children = children_[at];
    if (children == 0) ++about.leaves;
    ++shape_.children[std::min<std::uint64_t>(children, TreeShape::kMostChildren)];
    about.max_children = std::max(about.max_children, children);
    if (children >= shape_.max_children) {  // the smallest id in the end
      shape_.max_children = children;
      shape_.widest_branching = state;
    }
    const auto bucket = static_cast<std::size_t>(std::bit_width(size) - 1);
    if (bucket >= shape_.subtree_sizes.size()) shape_.subtree_sizes.resize(bucket + 1);
    ++shape_.subtree_sizes[bucket];
    const TreeShape::Subtree subtree{state, edge.predecessor, edge.event, level, size};
    if (size >= about.heaviest.states) about.heaviest = subtree;
    if (level == shape_.heaviest_depth) note_heavy(subtree);
    if (options_->large > 0 && size >= options_->large && level % options_->large_every == 0) {
      shape_.large.push_back(subtree);
    }
  }

  static bool heavier(const TreeShape::Subtree& a, const TreeShape::Subtree& b) {
    return a.states != b.states ? a.states > b.states : a.root < b.root;
  }
  // shape_.heaviest is a heap with the lightest in front.
  void note_heavy(const TreeShape::Subtree& subtree) {
    std::vector<TreeShape::Subtree>& heap = shape_.heaviest;
    if (options_->heaviest == 0) return;
    if (heap.size() == options_->heaviest) {
      if (!heavier(subtree, heap.front())) return;
      std::pop_heap(heap.begin(), heap.end(), heavier);
      heap.pop_back();
    }
    heap.push_back(subtree);
    std::push_heap(heap.begin(), heap.end(), heavier);
  }
  void sort_heaviest() { std::sort(shape_.heaviest.begin(), shape_.heaviest.end(), heavier); }

  static constexpr Event kArrayEvents = 1 << 16;

  const SearchOptions no_limits_{};
  const StoredTree* tree_;
  const TreeShapeOptions* options_;
  DiskBackedges::Reader reader_;
  SearchControl control_;
  TreeShape shape_;
  std::vector<std::uint64_t> sizes_;  // of the subtrees that begin on the level
  std::vector<std::uint64_t> above_;
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> above_children_;
  std::vector<std::uint64_t> level_events_;
  std::map<Event, std::uint64_t> events_;
  std::uint64_t done_ = 0;
};

}  // namespace

Result<TreeShape> measure_tree(const StoredTree& tree, const TreeShapeOptions& options,
                               Monitor& monitor) {
  return TreePass(tree, options, monitor).run();
}

}  // namespace comback

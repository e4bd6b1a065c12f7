#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "engine/reconstruct.h"
#include "engine/search.h"
#include "models/model.h"
#include "storage/backedge_table.h"
#include "storage/budget_charge.h"
#include "storage/bytes.h"
#include "storage/record_stack.h"

namespace comback {

// Recovers many states at once, so that every event that several of them share is executed once
// [evangelista09, section 4.1].
//
// Differs from the paper, which keeps successor lists with the backedges as candidates arrive: the
// tree to be executed is built when it is needed, from the states in falling order of their ids.
// Breadth first, predecessors fall with the ids, so states and predecessors are two sorted
// sequences that merge; a predecessor out of order goes through a heap. The events are the same.
//
// The tree is executed depth first, in place along single children: descriptors are kept only of
// states with children still to come.
class GroupedReconstruction {
 public:
  // REQUIRES: all outlive it.
  GroupedReconstruction(const Model& model, const BackedgeTable& backedges,
                        const Reconstructor& known, MemoryBudget& budget)
      : model_(model),
        backedges_(backedges),
        known_(known),
        width_(model.width()),
        charge_(budget),
        state_(width_ + kDescriptorSlack),
        stack_(sizeof(std::uint32_t) + width_, budget) {}

  // Calls visit(id, descriptor) for each of `ids`, which it sorts. The cache must not change
  // meanwhile. False where the budget is used up; some may not have been visited then.
  // REQUIRES: the ids differ and have backedges.
  template <class Visit>
  [[nodiscard]] bool run(std::vector<StateId>& ids, Visit&& visit) {
    std::sort(ids.begin(), ids.end(), std::greater<>());
    build(ids, visit);
    if (!charge()) return false;
    for (const Root& root : roots_) {
      if (!execute(root, visit)) return false;
    }
    return true;
  }

  std::uint64_t events() const { return events_; }  // executed so far
  std::uint64_t count() const { return count_; }    // states that were not known

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Node {
    std::uint32_t id;
    Event event;
    std::uint32_t first_child;
    std::uint32_t next_sibling;
    bool wanted;
  };
  // A node whose predecessor is known.
  struct Root {
    std::uint32_t node;
    StateId predecessor;
  };
  // A predecessor that has not become a node yet, and one list of its children.
  struct Pending {
    StateId id;
    std::uint32_t first_child;
    bool operator<(const Pending& other) const { return id < other.id; }
  };

  template <class Visit>
  void build(const std::vector<StateId>& ids, Visit& visit) {
    nodes_.clear();
    roots_.clear();
    pending_.clear();
    pending_next_ = 0;
    auto wanted = ids.begin();
    while (true) {
      // The largest id that is left, wanted or pending.
      const bool has_pending = pending_next_ < pending_.size() || !unordered_.empty();
      if (wanted == ids.end() && !has_pending) return;
      StateId id = wanted != ids.end() ? *wanted : 0;
      if (pending_next_ < pending_.size()) id = std::max(id, pending_[pending_next_].id);
      if (!unordered_.empty()) id = std::max(id, unordered_.front().id);

      const bool is_wanted = wanted != ids.end() && *wanted == id;
      if (is_wanted) {
        ++wanted;
        if (const std::byte* const descriptor = known_.known(id)) {
          visit(id, descriptor);
          continue;  // what is known has never become pending
        }
        ++count_;
      }
      add_node(id, take_children(id), is_wanted);
    }
  }

  std::uint32_t take_children(StateId id) {
    std::uint32_t children = kNone;
    if (pending_next_ < pending_.size() && pending_[pending_next_].id == id) {
      children = pending_[pending_next_++].first_child;
    }
    while (!unordered_.empty() && unordered_.front().id == id) {
      const std::uint32_t more = unordered_.front().first_child;
      std::pop_heap(unordered_.begin(), unordered_.end());
      unordered_.pop_back();
      nodes_[more].next_sibling = children;  // lists in the heap have one element
      children = more;
    }
    return children;
  }

  void add_node(StateId id, std::uint32_t first_child, bool wanted) {
    const Backedge edge = backedges_.find(id);
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({static_cast<std::uint32_t>(id), edge.event, first_child, kNone, wanted});
    const StateId predecessor = edge.predecessor;
    if (pending_next_ < pending_.size() && pending_.back().id == predecessor) {
      nodes_[node].next_sibling = pending_.back().first_child;
      pending_.back().first_child = node;
    } else if (known_.known(predecessor) != nullptr) {
      roots_.push_back({node, predecessor});
    } else if (pending_next_ == pending_.size() || pending_.back().id > predecessor) {
      pending_.push_back({predecessor, node});
    } else {
      unordered_.push_back({predecessor, node});
      std::push_heap(unordered_.begin(), unordered_.end());
    }
  }

  template <class Visit>
  bool execute(const Root& root, Visit& visit) {
    std::byte* const state = state_.data();
    copy_bytes(state, known_.known(root.predecessor), width_);
    std::uint32_t at = root.node;
    while (true) {
      const Node& node = nodes_[at];
      // A root's siblings are roots of their own.
      if (node.next_sibling != kNone) {
        std::byte* const saved = stack_.push();
        if (saved == nullptr) return false;
        std::memcpy(saved, &node.next_sibling, sizeof node.next_sibling);
        copy_bytes(saved + sizeof node.next_sibling, state, width_);
      }
      model_.execute(state, node.event);
      ++events_;
      if (node.wanted) visit(StateId{node.id}, static_cast<const std::byte*>(state));
      if (node.first_child != kNone) {
        at = node.first_child;
        continue;
      }
      if (stack_.empty()) return true;
      std::memcpy(&at, stack_.top(), sizeof at);
      copy_bytes(state, stack_.top() + sizeof at, width_);
      stack_.pop();
    }
  }

  // The tree's memory is counted in the budget after the fact.
  bool charge() {
    const std::uint64_t bytes = nodes_.capacity() * sizeof(Node) +
                                roots_.capacity() * sizeof(Root) +
                                (pending_.capacity() + unordered_.capacity()) * sizeof(Pending);
    return charge_.raise_to(bytes);
  }

  const Model& model_;
  const BackedgeTable& backedges_;
  const Reconstructor& known_;
  std::size_t width_;
  BudgetCharge charge_;
  std::vector<Node> nodes_;  // by falling id
  std::vector<Root> roots_;
  std::vector<Pending> pending_;  // from pending_next_ on, by falling id
  std::size_t pending_next_ = 0;
  std::vector<Pending> unordered_;  // a heap, the largest id on top
  std::vector<std::byte> state_;
  RecordStack stack_;
  std::uint64_t events_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace comback

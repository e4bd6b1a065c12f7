#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/model.h"

namespace comback {

// The control graphs of a model's processes, and what static analysis says of their transitions:
// which cannot be taken again and again unless others are, too.
//
// A *need* is a set of edges, its suppliers: whoever has the need is on a cycle of the state graph
// only where one of them is. Lemma 2 of [behrmann03] in terms of edges:
//   - a rendezvous needs one of those that it can meet; a message that is sent through a buffer
//     needs one that receives, and the other way round;
//   - what increases a variable needs something that decreases it, and the other way round;
//   - edges that show a variable in two disjoint ranges need, for each, one that brings it there.
// Variables are scalars, elements of arrays, and the locations of other processes.
class ControlGraph {
 public:
  using Edge = std::uint32_t;  // number of a transition, over all processes
  using Need = std::uint32_t;

  // REQUIRES: `model` tells its processes and events, and outlives it.
  explicit ControlGraph(const Model& model);

  struct EdgeInfo {
    std::uint32_t process = 0;
    std::uint32_t transition = 0;
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    bool live = true;         // false: it is never enabled, or changes nothing
    std::vector<Need> needs;  // that it has alone
  };
  const std::vector<EdgeInfo>& edges() const { return edges_; }
  std::size_t processes() const { return first_edge_.size() - 1; }
  // The edges of a process are consecutive.
  Edge first_edge(std::size_t process) const { return first_edge_[process]; }
  Edge end_edge(std::size_t process) const { return first_edge_[process + 1]; }
  Edge edge(std::uint32_t process, std::uint32_t transition) const {
    return first_edge_[process] + transition;
  }

  std::size_t needs() const { return suppliers_.size(); }
  const std::vector<Edge>& suppliers(Need need) const { return suppliers_[need]; }
  // The needs of edges that are on a cycle together.
  std::vector<Need> needs_of(const std::vector<Edge>& cycle);

 private:
  // A scalar or an element whose value is followed.
  using Key = std::uint32_t;
  struct Range {
    std::int64_t low;
    std::int64_t high;
    bool contains(std::int64_t v) const { return low <= v && v <= high; }
    bool contains(const Range& r) const { return low <= r.low && r.high <= high; }
    bool disjoint(const Range& r) const { return high < r.low || r.high < low; }
    bool empty() const { return low > high; }
    friend auto operator<=>(const Range&, const Range&) = default;
  };
  // What an edge shows of a variable and does to it.
  struct Touch {
    enum class Change { kNone, kSet, kAdd, kAny };
    Range before;
    Range after;
    Change change = Change::kNone;
    std::int64_t amount = 0;
    bool may_increase = false;
    bool may_decrease = false;
    bool increases = false;
    bool decreases = false;
  };

  Key key_of(const VariableUse& use);
  void add_keys();
  void add_edge(std::uint32_t process, std::uint32_t transition);
  void apply(const EffectInfo& effect, std::map<Key, Touch>& touches) const;
  void add_partners();
  void conclude(Edge edge);
  void add_edge_needs();
  Need need(std::vector<Edge> suppliers);
  Need need_of_range(Key key, const Range& range);
  bool may_enter(const Touch& touch, Key key, const Range& range) const;

  const Model& model_;
  std::vector<EdgeInfo> edges_;
  std::vector<Edge> first_edge_;
  std::vector<std::vector<Edge>> partners_;                      // of an edge, in a rendezvous
  std::vector<std::map<Key, Touch>> touches_;                    // by edge
  std::map<std::pair<std::uint32_t, std::uint32_t>, Key> keys_;  // variable, element
  std::vector<std::uint32_t> variable_of_;                       // by key
  std::vector<std::vector<Key>> keys_of_;                        // by variable
  std::vector<Range> range_of_;                                  // by key: all its values
  std::vector<std::vector<Edge>> touching_;                      // by key
  std::vector<std::vector<Edge>> suppliers_;                     // by need
  std::map<std::vector<Edge>, Need> need_by_suppliers_;
  std::map<std::pair<Key, Range>, Need> need_by_range_;
};

// The elementary cycles of one process among the edges that are live and not in `removed`, each as
// its edges in order; empty where there are more than `most`, or it takes too long to find them.
std::optional<std::vector<std::vector<ControlGraph::Edge>>> local_cycles(const ControlGraph& graph,
                                                                         std::size_t process,
                                                                         std::size_t most);

// Of the edges of a process those that lie on a cycle of edges with `alive`.
void keep_cyclic(const ControlGraph& graph, std::size_t process, std::vector<bool>& alive);

}  // namespace comback

#include "engine/control_graph.h"

#include <algorithm>
#include <limits>

namespace comback {
namespace {

using Edge = ControlGraph::Edge;

}  // namespace

ControlGraph::ControlGraph(const Model& model) : model_(model) {
  const auto processes = model.processes();
  first_edge_.push_back(0);
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    for (std::uint32_t t = 0; t < processes[p].transitions.size(); ++t) {
      const TransitionInfo& info = processes[p].transitions[t];
      EdgeInfo& edge_info = edges_.emplace_back();
      edge_info.process = p;
      edge_info.transition = t;
      edge_info.source = info.source;
      edge_info.target = info.target;
    }
    first_edge_.push_back(static_cast<Edge>(edges_.size()));
  }
  keys_of_.resize(model.variables().size());
  add_keys();
  add_partners();
  for (Edge e = 0; e < edges_.size(); ++e) add_edge(edges_[e].process, edges_[e].transition);
  touching_.resize(range_of_.size());
  for (Edge e = 0; e < edges_.size(); ++e) conclude(e);
  add_edge_needs();
}

ControlGraph::Key ControlGraph::key_of(const VariableUse& use) {
  const auto [it, added] =
      keys_.emplace(std::pair{use.variable, use.element}, static_cast<Key>(keys_.size()));
  if (added) {
    const VariableInfo& variable = model_.variables()[use.variable];
    range_of_.push_back({variable.min, variable.max});
    variable_of_.push_back(use.variable);
    keys_of_[use.variable].push_back(it->second);
  }
  return it->second;
}

// All that some transition names, before any of them is looked at: a write to an array at an index
// that is not known concerns all of its elements.
void ControlGraph::add_keys() {
  const auto variables = model_.variables();
  const auto add = [&](const VariableUse& use) {
    if (variables[use.variable].length == 0 || use.element != kWholeArray) key_of(use);
  };
  for (const ProcessInfo& process : model_.processes()) {
    for (const TransitionInfo& transition : process.transitions) {
      for (const ComparisonInfo& comparison : transition.comparisons) add(comparison.variable);
      for (const EffectInfo& effect : transition.effects) add(effect.target);
    }
  }
}

void ControlGraph::add_partners() {
  partners_.resize(edges_.size());
  std::vector<bool> has_event(edges_.size());
  for (const EventInfo& event : model_.events()) {
    if (event.process == kGlobal) continue;
    const Edge e = edge(event.process, event.transition);
    has_event[e] = true;
    if (event.partner == kGlobal) continue;
    const Edge other = edge(event.partner, event.partner_transition);
    has_event[other] = true;
    partners_[e].push_back(other);
    partners_[other].push_back(e);
  }
  for (Edge e = 0; e < edges_.size(); ++e) edges_[e].live = has_event[e];
}

// What it does by itself, assignment after assignment.
void ControlGraph::add_edge(std::uint32_t process, std::uint32_t transition) {
  const TransitionInfo& info = model_.processes()[process].transitions[transition];
  std::map<Key, Touch>& touches = touches_.emplace_back();
  const auto touch = [&](Key key) -> Touch& {
    return touches.try_emplace(key, Touch{.before = range_of_[key], .after = range_of_[key]})
        .first->second;
  };
  for (const ComparisonInfo& comparison : info.comparisons) {
    const Key key = key_of(comparison.variable);
    Range& range = touch(key).before;
    const std::int64_t c = comparison.constant;
    switch (comparison.op) {
      case ComparisonInfo::Op::kEqual:
        range = {std::max(range.low, c), std::min(range.high, c)};
        break;
      case ComparisonInfo::Op::kNotEqual:  // only at the ends; a range has no holes
        if (range.low == c) ++range.low;
        if (range.high == c) --range.high;
        break;
      case ComparisonInfo::Op::kLess:
        range.high = std::min(range.high, c - 1);
        break;
      case ComparisonInfo::Op::kLessEqual:
        range.high = std::min(range.high, c);
        break;
      case ComparisonInfo::Op::kGreater:
        range.low = std::max(range.low, c + 1);
        break;
      case ComparisonInfo::Op::kGreaterEqual:
        range.low = std::max(range.low, c);
        break;
    }
  }
  for (const EffectInfo& effect : info.effects) {
    for (const Key key : keys_of_[effect.target.variable]) touch(key);
    apply(effect, touches);
  }
  // The locations that guards of other processes test.
  const auto variables = model_.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    if (variables[v].kind != VariableInfo::Kind::kLocation || variables[v].process != process) {
      continue;
    }
    for (const Key key : keys_of_[v]) {
      Touch& location = touch(key);
      location.before = {info.source, info.source};
      if (info.source == info.target) continue;
      location.change = Touch::Change::kSet;
      location.amount = info.target;
    }
  }
}

void ControlGraph::apply(const EffectInfo& effect, std::map<Key, Touch>& touches) const {
  using Change = Touch::Change;
  const bool whole = model_.variables()[effect.target.variable].length != 0 &&
                     effect.target.element == kWholeArray;
  for (const Key key : keys_of_[effect.target.variable]) {
    if (!whole && keys_.at({effect.target.variable, effect.target.element}) != key) continue;
    Touch& touch = touches.at(key);
    const Range& all = range_of_[key];
    if (whole || effect.form == EffectInfo::Form::kOther) {
      touch.change = Change::kAny;
    } else if (effect.form == EffectInfo::Form::kSet) {
      touch.change = Change::kSet;
      touch.amount = effect.amount;
    } else if (touch.change == Change::kNone) {
      touch.change = Change::kAdd;
      touch.amount = effect.amount;
    } else {
      touch.amount += effect.amount;
    }
    // A sum that wraps can be anything.
    const bool wraps = model_.values_wrap() && touch.change == Change::kAdd;
    if (wraps || (touch.change == Change::kSet && !all.contains(touch.amount))) {
      touch.change = Change::kAny;
    }
  }
}

// What follows for the state after, and for the sign of the change. In a rendezvous both sides may
// write a variable; then nothing is known of it between the two.
void ControlGraph::conclude(Edge e) {
  using Change = Touch::Change;
  const TransitionInfo& info =
      model_.processes()[edges_[e].process].transitions[edges_[e].transition];
  bool changes = edges_[e].source != edges_[e].target || !info.channel.empty();
  for (auto& [key, touch] : touches_[e]) {
    const Range& all = range_of_[key];
    if (touch.before.empty()) edges_[e].live = false;  // its guard is never true
    const Key k = key;
    const bool shared = std::any_of(partners_[e].begin(), partners_[e].end(), [&](Edge partner) {
      const auto other = touches_[partner].find(k);
      return other != touches_[partner].end() && other->second.change != Change::kNone;
    });
    const Range before = shared ? all : touch.before;
    const std::int64_t c = touch.amount;
    switch (touch.change) {
      case Change::kNone:
        touch.after = before;
        break;
      case Change::kSet:
        touch.after = shared ? all : Range{c, c};
        touch.may_increase = c > before.low;
        touch.may_decrease = c < before.high;
        touch.increases = c > before.high;
        touch.decreases = c < before.low;
        break;
      case Change::kAdd:
        touch.after =
            shared ? all
                   : Range{std::max(all.low, before.low + c), std::min(all.high, before.high + c)};
        if (touch.after.empty()) edges_[e].live = false;  // it always fails
        touch.may_increase = touch.increases = c > 0;
        touch.may_decrease = touch.decreases = c < 0;
        break;
      case Change::kAny:
        touch.after = all;
        touch.may_increase = before.low < all.high;
        touch.may_decrease = before.high > all.low;
        break;
    }
    touching_[key].push_back(e);
  }
  changes = changes || !info.effects.empty();
  if (!changes) edges_[e].live = false;
}

void ControlGraph::add_edge_needs() {
  // Of buffered channels.
  std::map<std::string, std::vector<Edge>> senders;
  std::map<std::string, std::vector<Edge>> receivers;
  const auto transition = [&](Edge e) -> const TransitionInfo& {
    return model_.processes()[edges_[e].process].transitions[edges_[e].transition];
  };
  for (Edge e = 0; e < edges_.size(); ++e) {
    if (!edges_[e].live || !partners_[e].empty() || transition(e).channel.empty()) continue;
    const bool sends = transition(e).kind == EventKind::kSend;
    (sends ? senders : receivers)[transition(e).channel].push_back(e);
  }
  std::vector<std::optional<Need>> more(range_of_.size());
  std::vector<std::optional<Need>> less(range_of_.size());
  const auto by_sign = [&](Key key, bool increase) {
    std::vector<Edge> found;
    for (const Edge e : touching_[key]) {
      const Touch& touch = touches_[e].at(key);
      if (increase ? touch.may_increase : touch.may_decrease) found.push_back(e);
    }
    return need(std::move(found));
  };
  for (Edge e = 0; e < edges_.size(); ++e) {
    EdgeInfo& info = edges_[e];
    if (!info.live) continue;
    if (!partners_[e].empty()) {
      info.needs.push_back(need(partners_[e]));
    } else if (const std::string& channel = transition(e).channel; !channel.empty()) {
      const bool sends = transition(e).kind == EventKind::kSend;
      info.needs.push_back(need(sends ? receivers[channel] : senders[channel]));
    }
    for (const auto& [key, touch] : touches_[e]) {
      if (touch.increases) {
        if (!less[key]) less[key] = by_sign(key, false);
        info.needs.push_back(*less[key]);
      }
      if (touch.decreases) {
        if (!more[key]) more[key] = by_sign(key, true);
        info.needs.push_back(*more[key]);
      }
    }
  }
}

ControlGraph::Need ControlGraph::need(std::vector<Edge> suppliers) {
  std::erase_if(suppliers, [&](Edge e) { return !edges_[e].live; });
  std::sort(suppliers.begin(), suppliers.end());
  suppliers.erase(std::unique(suppliers.begin(), suppliers.end()), suppliers.end());
  const auto [it, added] =
      need_by_suppliers_.emplace(std::move(suppliers), static_cast<Need>(suppliers_.size()));
  if (added) suppliers_.push_back(it->first);
  return it->second;
}

bool ControlGraph::may_enter(const Touch& touch, Key key, const Range& range) const {
  const Range& all = range_of_[key];
  switch (touch.change) {
    case Touch::Change::kNone:
      return false;
    case Touch::Change::kSet:
      return touch.after.disjoint(range) ? false : touch.may_increase || touch.may_decrease;
    case Touch::Change::kAdd:
      if (touch.after.disjoint(range)) return false;
      // From below, or from above.
      return touch.amount > 0 ? range.low > all.low : touch.amount < 0 && range.high < all.high;
    case Touch::Change::kAny:
      return true;
  }
  return true;
}

ControlGraph::Need ControlGraph::need_of_range(Key key, const Range& range) {
  const auto it = need_by_range_.find({key, range});
  if (it != need_by_range_.end()) return it->second;
  std::vector<Edge> found;
  for (const Edge e : touching_[key]) {
    if (may_enter(touches_[e].at(key), key, range)) found.push_back(e);
  }
  return need_by_range_[{key, range}] = need(std::move(found));
}

std::vector<ControlGraph::Need> ControlGraph::needs_of(const std::vector<Edge>& cycle) {
  std::vector<Need> needs;
  std::map<Key, std::vector<Range>> shown;
  for (const Edge e : cycle) {
    needs.insert(needs.end(), edges_[e].needs.begin(), edges_[e].needs.end());
    for (const auto& [key, touch] : touches_[e]) {
      const VariableInfo& variable = model_.variables()[variable_of_[key]];
      // That a process moves among its own locations says nothing new.
      if (variable.kind == VariableInfo::Kind::kLocation && variable.process == edges_[e].process) {
        continue;
      }
      for (const Range& range : {touch.before, touch.after}) {
        if (range != range_of_[key]) shown[key].push_back(range);
      }
    }
  }
  for (auto& [key, ranges] : shown) {
    std::sort(ranges.begin(), ranges.end());
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    for (const Range& range : ranges) {
      const bool elsewhere = std::any_of(ranges.begin(), ranges.end(),
                                         [&](const Range& r) { return r.disjoint(range); });
      if (elsewhere) needs.push_back(need_of_range(key, range));
    }
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

namespace {

// Strongly connected components of a process's locations [tarjan72], along edges with `alive`.
class Components {
 public:
  Components(const ControlGraph& graph, std::size_t process, const std::vector<bool>& alive) {
    std::uint32_t locations = 0;
    for (Edge e = graph.first_edge(process); e < graph.end_edge(process); ++e) {
      locations = std::max({locations, graph.edges()[e].source + 1, graph.edges()[e].target + 1});
    }
    out_.resize(locations);
    for (Edge e = graph.first_edge(process); e < graph.end_edge(process); ++e) {
      if (alive[e]) out_[graph.edges()[e].source].push_back(graph.edges()[e].target);
    }
    order_.assign(locations, 0);
    low_.assign(locations, 0);
    component_.assign(locations, kOpen);
    for (std::uint32_t l = 0; l < locations; ++l) {
      if (order_[l] == 0) visit(l);
    }
  }
  std::uint32_t of(std::uint32_t location) const { return component_[location]; }

 private:
  static constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();

  // As deep as a process has locations: at most a few thousand.
  void visit(std::uint32_t l) {
    order_[l] = low_[l] = ++visited_;
    stack_.push_back(l);
    for (const std::uint32_t next : out_[l]) {
      if (order_[next] == 0) {
        visit(next);
        low_[l] = std::min(low_[l], low_[next]);
      } else if (component_[next] == kOpen) {
        low_[l] = std::min(low_[l], order_[next]);
      }
    }
    if (low_[l] != order_[l]) return;
    for (std::uint32_t member = kOpen; member != l;) {
      member = stack_.back();
      stack_.pop_back();
      component_[member] = components_;
    }
    ++components_;
  }

  std::vector<std::vector<std::uint32_t>> out_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t visited_ = 0;
  std::uint32_t components_ = 0;
};

// From each location the cycles through it and later ones.
class CycleFinder {
 public:
  CycleFinder(const ControlGraph& graph, std::size_t process, std::size_t most)
      : graph_(graph), most_(most) {
    std::vector<bool> alive(graph.edges().size());
    for (Edge e = graph.first_edge(process); e < graph.end_edge(process); ++e) {
      alive[e] = graph.edges()[e].live;
    }
    keep_cyclic(graph, process, alive);
    for (Edge e = graph.first_edge(process); e < graph.end_edge(process); ++e) {
      if (!alive[e]) continue;
      const auto& edge = graph.edges()[e];
      out_.resize(std::max<std::size_t>({out_.size(), edge.source + 1u, edge.target + 1u}));
      out_[edge.source].push_back(e);
    }
    on_path_.resize(out_.size());
  }

  bool run() {
    for (root_ = 0; root_ < out_.size(); ++root_) {
      if (!extend(root_)) return false;
    }
    return true;
  }
  std::vector<std::vector<Edge>>& found() { return found_; }

 private:
  static constexpr std::uint64_t kMaxSteps = 1 << 20;

  bool extend(std::uint32_t at) {
    on_path_[at] = true;
    for (const Edge e : out_[at]) {
      if (++steps_ > kMaxSteps) return false;
      const std::uint32_t next = graph_.edges()[e].target;
      if (next < root_ || (next != root_ && on_path_[next])) continue;
      path_.push_back(e);
      if (next == root_) {
        if (found_.size() == most_) return false;
        found_.push_back(path_);
      } else if (!extend(next)) {
        return false;
      }
      path_.pop_back();
    }
    on_path_[at] = false;
    return true;
  }

  const ControlGraph& graph_;
  std::size_t most_;
  std::vector<std::vector<Edge>> out_;
  std::vector<bool> on_path_;
  std::vector<Edge> path_;
  std::vector<std::vector<Edge>> found_;
  std::uint32_t root_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<std::vector<std::vector<Edge>>> local_cycles(const ControlGraph& graph,
                                                           std::size_t process, std::size_t most) {
  CycleFinder finder(graph, process, most);
  if (!finder.run()) return {};
  return std::move(finder.found());
}

void keep_cyclic(const ControlGraph& graph, std::size_t process, std::vector<bool>& alive) {
  const Components components(graph, process, alive);
  for (Edge e = graph.first_edge(process); e < graph.end_edge(process); ++e) {
    const auto& edge = graph.edges()[e];
    alive[e] = alive[e] && components.of(edge.source) == components.of(edge.target);
  }
}

}  // namespace comback

#include "engine/covering_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "engine/control_graph.h"

namespace comback {
namespace {

using Edge = ControlGraph::Edge;
using Need = ControlGraph::Need;
using Cycle = std::uint32_t;
using Candidate = CoveringSet::Candidate;

Status check_analysable(const Model& model) {
  if (!model.processes().empty() && !model.events().empty() &&
      std::all_of(model.events().begin(), model.events().end(),
                  [](const EventInfo& event) { return event.process != kGlobal; })) {
    return Done{};
  }
  return Error{Errc::kUnsupported,
               fmt::format("{}: a covering set needs processes whose events have fixed numbers, "
                           "which a model with 'system sync' does not have: use store:distance, "
                           "store:successors or store:random",
                           model.name())};
}

// How often each edge was taken, per step of random walks from the initial state. One that never
// was counts as half a time.
std::vector<double> random_walk_coefficients(const Model& model, const ControlGraph& graph,
                                             const CoveringOptions& options) {
  std::vector<std::uint64_t> taken(graph.edges().size());
  std::uint64_t steps = 0;
  std::mt19937_64 random(options.seed);
  SuccessorBuffer successors(model.width(), model.max_successors());
  std::vector<std::byte> state(model.width() + kDescriptorSlack);
  for (std::uint64_t walk = 0; walk < options.walks; ++walk) {
    model.initial(state.data());
    for (std::uint64_t step = 0; step < options.steps; ++step) {
      model.successors(state.data(), successors);
      if (successors.size() == 0) break;
      const std::uint64_t i = random() % successors.size();
      const EventInfo& event = model.events()[successors.event(i)];
      ++taken[graph.edge(event.process, event.transition)];
      if (event.partner != kGlobal) ++taken[graph.edge(event.partner, event.partner_transition)];
      std::copy_n(successors.descriptor(i), model.width(), state.data());
      ++steps;
    }
  }
  std::vector<double> weights;
  for (const std::uint64_t count : taken) {
    weights.push_back((count == 0 ? 0.5 : static_cast<double>(count)) /
                      static_cast<double>(std::max<std::uint64_t>(1, steps)));
  }
  return weights;
}

// Whether no cycle of the state graph is left without the edges in `removed`: what is not on a
// local cycle any more goes, and what has a need that nothing is left to supply, until nothing
// changes.
bool leaves_no_cycle(const ControlGraph& graph, const std::vector<bool>& removed) {
  std::vector<bool> alive(graph.edges().size());
  for (Edge e = 0; e < alive.size(); ++e) alive[e] = graph.edges()[e].live && !removed[e];
  for (;;) {
    for (std::size_t p = 0; p < graph.processes(); ++p) keep_cyclic(graph, p, alive);
    std::vector<bool> supplied(graph.needs());
    for (Need need = 0; need < graph.needs(); ++need) {
      const auto& suppliers = graph.suppliers(need);
      supplied[need] =
          std::any_of(suppliers.begin(), suppliers.end(), [&](Edge e) { return alive[e]; });
    }
    bool changed = false;
    for (Edge e = 0; e < alive.size(); ++e) {
      if (!alive[e]) continue;
      const auto& needs = graph.edges()[e].needs;
      if (std::all_of(needs.begin(), needs.end(), [&](Need n) { return supplied[n]; })) continue;
      alive[e] = false;
      changed = true;
    }
    if (!changed) break;
  }
  return std::none_of(alive.begin(), alive.end(), [](bool left) { return left; });
}

// The local cycles of all processes, and which are covered by which.
class LocalCycles {
 public:
  LocalCycles(ControlGraph& graph, const std::vector<double>& weights, std::size_t most)
      : graph_(graph), weights_(weights), of_edge_(graph.edges().size()) {
    for (std::size_t p = 0; p < graph.processes(); ++p) {
      auto found = cycles_.size() < kMaxCycles ? local_cycles(graph, p, most) : std::nullopt;
      if (found) {
        std::move(found->begin(), found->end(), std::back_inserter(cycles_));
      } else {
        ++unlisted_;
        add_feedback_edges(p);
      }
    }
    for (Cycle c = 0; c < cycles_.size(); ++c) {
      for (const Edge e : cycles_[c]) of_edge_[e].push_back(c);
      needs_.push_back(graph.needs_of(cycles_[c]));
    }
    needed_by_.resize(graph.needs());
    supplies_.resize(cycles_.size());
    for (Cycle c = 0; c < cycles_.size(); ++c) {
      for (const Need need : needs_[c]) needed_by_[need].push_back(c);
    }
    suppliers_.resize(graph.needs());
    std::vector<Need> last(cycles_.size(), std::numeric_limits<Need>::max());
    for (Need need = 0; need < graph.needs(); ++need) {
      for (const Edge e : graph.suppliers(need)) {
        for (const Cycle c : of_edge_[e]) {
          if (last[c] == need) continue;
          last[c] = need;
          supplies_[c].push_back(need);
          ++suppliers_[need];
        }
      }
    }
  }

  std::size_t size() const { return cycles_.size(); }
  const std::vector<Edge>& edges(Cycle c) const { return cycles_[c]; }
  const std::vector<Cycle>& of(Edge e) const { return of_edge_[e]; }
  double weight(Edge e) const { return weights_[e]; }
  double cycle_weight(Cycle c) const {
    return std::accumulate(cycles_[c].begin(), cycles_[c].end(), 0.0,
                           [&](double sum, Edge e) { return sum + weights_[e]; });
  }
  const ControlGraph& graph() const { return graph_; }
  std::size_t edge_count() const { return of_edge_.size(); }
  std::size_t unlisted() const { return unlisted_; }
  // Without which the processes whose cycles are not listed have none.
  const std::vector<Edge>& feedback_edges() const { return feedback_edges_; }

  // CLOSURE of the paper: what is covered by the cycles that were.
  class Covered {
   public:
    explicit Covered(const LocalCycles& cycles)
        : all_(&cycles), covered_(cycles.size()), open_(cycles.suppliers_), left_(cycles.size()) {
      for (Need need = 0; need < open_.size(); ++need) {
        if (open_[need] == 0) cover_needing(need);
      }
      close();
    }
    void cover(Cycle c) {
      mark(c);
      close();
    }
    // All cycles with the edge.
    void cover_edge(Edge e) {
      for (const Cycle c : all_->of(e)) mark(c);
      close();
    }
    bool contains(Cycle c) const { return covered_[c]; }
    std::size_t left() const { return left_; }

   private:
    void mark(Cycle c) {
      if (covered_[c]) return;
      covered_[c] = true;
      --left_;
      work_.push_back(c);
    }
    void cover_needing(Need need) {
      for (const Cycle c : all_->needed_by_[need]) mark(c);
    }
    void close() {
      while (!work_.empty()) {
        const Cycle c = work_.back();
        work_.pop_back();
        for (const Need need : all_->supplies_[c]) {
          if (--open_[need] == 0) cover_needing(need);
        }
      }
    }

    const LocalCycles* all_;
    std::vector<bool> covered_;
    std::vector<std::uint32_t> open_;  // suppliers not yet covered, by need
    std::size_t left_;
    std::vector<Cycle> work_;
  };

 private:
  static constexpr std::size_t kMaxCycles = 10000;

  // Differs from the paper, which takes the back edges of a depth-first search: from the heaviest
  // on, edges are kept that close no cycle among those kept.
  void add_feedback_edges(std::size_t process) {
    std::vector<Edge> order;
    for (Edge e = graph_.first_edge(process); e < graph_.end_edge(process); ++e) {
      if (graph_.edges()[e].live) order.push_back(e);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](Edge a, Edge b) { return weights_[a] > weights_[b]; });
    std::vector<bool> kept(graph_.edges().size());
    for (const Edge e : order) {
      kept[e] = true;
      std::vector<bool> cyclic = kept;
      keep_cyclic(graph_, process, cyclic);
      if (!cyclic[e]) continue;
      kept[e] = false;
      feedback_edges_.push_back(e);
    }
  }

  ControlGraph& graph_;
  const std::vector<double>& weights_;
  std::vector<std::vector<Edge>> cycles_;
  std::vector<std::vector<Cycle>> of_edge_;
  std::vector<std::vector<Need>> needs_;       // of a cycle
  std::vector<std::vector<Cycle>> needed_by_;  // by need
  std::vector<std::vector<Need>> supplies_;    // by cycle
  std::vector<std::uint32_t> suppliers_;       // how many cycles, by need
  std::vector<Edge> feedback_edges_;
  std::size_t unlisted_ = 0;
};
using Covered = LocalCycles::Covered;

// The paper's Fig. 4, with its heuristics.
class Construction {
 public:
  Construction(const LocalCycles& cycles, std::uint64_t seed) : cycles_(cycles), random_(seed) {}

  // ONE-PHASE-CONSTRUCTION: transition after transition.
  template <class Choose>
  std::vector<Edge> in_one_phase(Choose choose) {
    std::vector<Edge> chosen;
    Covered covered(cycles_);
    while (covered.left() > 0) {
      chosen.push_back(choose(covered));
      covered.cover_edge(chosen.back());
    }
    return chosen;
  }

  // TWO-PHASE-CONSTRUCTION: cycles that cover all others, then transitions of them. `choose`
  // gives the next cycles.
  template <class Choose>
  std::vector<Edge> in_two_phases(Choose choose) {
    std::vector<bool> in_h(cycles_.size());
    std::size_t left = 0;
    Covered covered(cycles_);
    while (covered.left() > 0) {
      for (const Cycle c : choose(covered)) {
        if (covered.contains(c)) continue;
        in_h[c] = true;
        ++left;
        covered.cover(c);
      }
    }
    std::vector<Edge> chosen;
    while (left > 0) {
      const Edge e = best_edge([&](Edge edge) {
        return static_cast<double>(std::count_if(cycles_.of(edge).begin(), cycles_.of(edge).end(),
                                                 [&](Cycle c) { return in_h[c]; })) /
               cycles_.weight(edge);
      });
      for (const Cycle c : cycles_.of(e)) {
        if (in_h[c]) --left;
        in_h[c] = false;
      }
      chosen.push_back(e);
    }
    return chosen;
  }

  // O1: of the cycle with the largest sum of coefficients the transition with the smallest.
  Edge lightest_of_heaviest_cycle(const Covered& covered) const {
    const Cycle c = best_cycle(covered, [&](Cycle cycle) { return cycles_.cycle_weight(cycle); });
    const auto& edges = cycles_.edges(c);
    return *std::min_element(edges.begin(), edges.end(),
                             [&](Edge a, Edge b) { return cycles_.weight(a) < cycles_.weight(b); });
  }
  // O2: the most newly covered cycles per coefficient.
  Edge best_ratio(const Covered& covered) const {
    return best_edge([&](Edge e) { return newly_covered(covered, e) / cycles_.weight(e); });
  }
  // O3: the most newly covered cycles.
  Edge most_covering(const Covered& covered) const {
    return best_edge([&](Edge e) { return newly_covered(covered, e); });
  }
  // O4: a random one.
  Edge any(const Covered& covered) {
    std::vector<Edge> useful;
    for (Edge e = 0; e < cycles_.edge_count(); ++e) {
      if (is_useful(covered, e)) useful.push_back(e);
    }
    return useful[random_() % useful.size()];
  }
  // O5: the largest coefficient.
  Edge heaviest(const Covered& covered) const {
    return best_edge([&](Edge e) { return is_useful(covered, e) ? cycles_.weight(e) : 0; });
  }
  // T1, T2: the longest, the shortest cycle.
  Cycle longest(const Covered& covered) const {
    return best_cycle(covered,
                      [&](Cycle c) { return static_cast<double>(cycles_.edges(c).size()); });
  }
  Cycle shortest(const Covered& covered) const {
    return best_cycle(covered,
                      [&](Cycle c) { return 1 / static_cast<double>(cycles_.edges(c).size()); });
  }

 private:
  static bool is_better(double value, double best) { return value > best; }

  template <class Value>
  Cycle best_cycle(const Covered& covered, Value value) const {
    Cycle best = 0;
    double best_value = -1;
    for (Cycle c = 0; c < cycles_.size(); ++c) {
      if (covered.contains(c)) continue;
      const double v = value(c);
      if (!is_better(v, best_value)) continue;
      best = c;
      best_value = v;
    }
    return best;
  }
  // The edge of the largest value, which is more than 0.
  template <class Value>
  Edge best_edge(Value value) const {
    Edge best = 0;
    double best_value = 0;
    for (Edge e = 0; e < cycles_.edge_count(); ++e) {
      if (cycles_.of(e).empty()) continue;
      const double v = value(e);
      if (!is_better(v, best_value)) continue;
      best = e;
      best_value = v;
    }
    return best;
  }
  bool is_useful(const Covered& covered, Edge e) const {
    return std::any_of(cycles_.of(e).begin(), cycles_.of(e).end(),
                       [&](Cycle c) { return !covered.contains(c); });
  }
  double newly_covered(const Covered& covered, Edge e) const {
    if (!is_useful(covered, e)) return 0;
    // With what they cover, where there are few; only themselves, where that would take long.
    if (cycles_.size() <= kFewCycles) {
      Covered then = covered;
      then.cover_edge(e);
      return static_cast<double>(covered.left() - then.left());
    }
    return static_cast<double>(std::count_if(cycles_.of(e).begin(), cycles_.of(e).end(),
                                             [&](Cycle c) { return !covered.contains(c); }));
  }
  static constexpr std::size_t kFewCycles = 500;

  const LocalCycles& cycles_;
  std::mt19937_64 random_;
};

// T3, T4: all uncovered cycles that write a variable, or use a channel: of those of each the most;
// at last, what has none of them.
class CyclesByName {
 public:
  using Names = std::function<void(const TransitionInfo&, const std::function<void(std::string)>&)>;

  CyclesByName(const Model& model, const LocalCycles& cycles, const Names& names) {
    std::vector<std::string> known;
    for (Cycle c = 0; c < cycles.size(); ++c) {
      std::vector<std::string> of_cycle;
      for (const Edge e : cycles.edges(c)) {
        const auto& edge = cycles.graph().edges()[e];
        names(model.processes()[edge.process].transitions[edge.transition],
              [&](std::string name) { of_cycle.push_back(std::move(name)); });
      }
      if (of_cycle.empty()) of_cycle.push_back("");
      std::sort(of_cycle.begin(), of_cycle.end());
      of_cycle.erase(std::unique(of_cycle.begin(), of_cycle.end()), of_cycle.end());
      for (const std::string& name : of_cycle) groups_[name].push_back(c);
    }
  }

  std::vector<Cycle> next(const Covered& covered) const {
    const std::vector<Cycle>* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const auto& [name, cycles] : groups_) {
      const auto left = std::count_if(cycles.begin(), cycles.end(),
                                      [&](Cycle c) { return !covered.contains(c); });
      if (left <= most) continue;
      best = &cycles;
      most = left;
    }
    return *best;
  }

 private:
  std::map<std::string, std::vector<Cycle>> groups_;
};

class Finder {
 public:
  Finder(const Model& model, const CoveringOptions& options)
      : model_(model),
        options_(options),
        graph_(model),
        weights_(random_walk_coefficients(model, graph_, options)),
        cycles_(graph_, weights_, options.cycles_per_process) {}

  CoveringSet find() {
    Construction construction(cycles_, options_.seed);
    using Method = Edge (Construction::*)(const Covered&) const;
    const std::pair<const char*, Method> one_phase[] = {
        {"O1", &Construction::lightest_of_heaviest_cycle},
        {"O2", &Construction::best_ratio},
        {"O3", &Construction::most_covering},
        {"O5", &Construction::heaviest}};
    for (const auto& [name, method] : one_phase) {
      offer(name, construction.in_one_phase(
                      [&](const Covered& covered) { return (construction.*method)(covered); }));
    }
    offer("O4", construction.in_one_phase(
                    [&](const Covered& covered) { return construction.any(covered); }));
    offer("T1", construction.in_two_phases([&](const Covered& covered) {
      return std::vector<Cycle>{construction.longest(covered)};
    }));
    offer("T2", construction.in_two_phases([&](const Covered& covered) {
      return std::vector<Cycle>{construction.shortest(covered)};
    }));
    const CyclesByName by_variable(model_, cycles_,
                                   [&](const TransitionInfo& transition, const auto& add) {
                                     for (const VariableUse& use : transition.writes) {
                                       add(model_.variables()[use.variable].name);
                                     }
                                   });
    offer("T3", construction.in_two_phases(
                    [&](const Covered& covered) { return by_variable.next(covered); }));
    const CyclesByName by_channel(model_, cycles_,
                                  [](const TransitionInfo& transition, const auto& add) {
                                    if (!transition.channel.empty()) add(transition.channel);
                                  });
    offer("T4", construction.in_two_phases(
                    [&](const Covered& covered) { return by_channel.next(covered); }));
    std::sort(best_.candidates.begin(), best_.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.heuristic < b.heuristic; });
    best_.local_cycles = cycles_.size();
    best_.unlisted_processes = cycles_.unlisted();
    return std::move(best_);
  }

 private:
  void offer(const char* heuristic, std::vector<Edge> edges) {
    thin(edges);
    const double weight = std::accumulate(edges.begin(), edges.end(), 0.0,
                                          [&](double sum, Edge e) { return sum + weights_[e]; });
    best_.candidates.push_back({heuristic, edges.size(), weight});
    const bool better = best_.heuristic.empty() || weight < best_.weight ||
                        (weight == best_.weight && edges.size() < best_.edges.size());
    if (!better) return;
    std::sort(edges.begin(), edges.end());
    best_.heuristic = heuristic;
    best_.weight = weight;
    best_.edges.clear();
    for (const Edge e : edges) {
      best_.edges.push_back({graph_.edges()[e].process, graph_.edges()[e].transition});
    }
  }

  // Not in the paper: what a later choice made superfluous goes, the heaviest first.
  void thin(std::vector<Edge>& edges) const {
    edges.insert(edges.end(), cycles_.feedback_edges().begin(), cycles_.feedback_edges().end());
    std::stable_sort(edges.begin(), edges.end(),
                     [&](Edge a, Edge b) { return weights_[a] > weights_[b]; });
    std::vector<Edge> kept = edges;
    for (const Edge e : edges) {
      std::vector<Edge> without = kept;
      std::erase(without, e);
      if (covers(without)) kept = std::move(without);
    }
    edges = std::move(kept);
  }

  bool covers(const std::vector<Edge>& edges) const {
    const auto& feedback = cycles_.feedback_edges();
    const bool lists_all = std::all_of(feedback.begin(), feedback.end(), [&](Edge e) {
      return std::find(edges.begin(), edges.end(), e) != edges.end();
    });
    if (lists_all) {
      Covered covered(cycles_);
      for (const Edge e : edges) covered.cover_edge(e);
      if (covered.left() == 0) return true;
    }
    std::vector<bool> removed(graph_.edges().size());
    for (const Edge e : edges) removed[e] = true;
    return leaves_no_cycle(graph_, removed);
  }

  const Model& model_;
  CoveringOptions options_;
  ControlGraph graph_;
  std::vector<double> weights_;
  LocalCycles cycles_;
  CoveringSet best_;
};

}  // namespace

bool CoveringSet::contains(std::uint32_t process, std::uint32_t transition) const {
  return std::find(edges.begin(), edges.end(), CoveringEdge{process, transition}) != edges.end();
}

Result<CoveringSet> find_covering_set(const Model& model, const CoveringOptions& options) {
  if (Status status = check_analysable(model); !status) return status.error();
  return Finder(model, options).find();
}

bool is_covering_set(const Model& model, std::span<const CoveringEdge> edges) {
  ControlGraph graph(model);
  std::vector<bool> removed(graph.edges().size());
  for (const CoveringEdge& edge : edges) removed[graph.edge(edge.process, edge.transition)] = true;
  return leaves_no_cycle(graph, removed);
}

}  // namespace comback

#include "models/dve/sites.h"

#include <optional>
#include <utility>

#include "models/dve/value_range.h"

namespace comback::dve {
namespace {

ValueRange range_of_type(Type type) {
  const TypeRange range = range_of(type);
  return {range.min, range.max};
}

class Placer {
 public:
  Placer(const std::vector<Variable>& variables, std::vector<Site>& sites)
      : variables_(variables), sites_(sites) {}

  void expression(Expr& e, const Knowledge& known) {
    switch (e.op) {
      case Op::kElement:
        expression(e.args[0], known);
        e.site = index(e.variable, e.args[0], known);
        return;
      case Op::kDivide:
      case Op::kRemainder:
        expression(e.args[0], known);
        expression(e.args[1], known);
        if (known.range(e.args[1]).contains(0)) {
          e.site = add({.kind = Site::Kind::kDivision, .where = e.where});
        }
        return;
      case Op::kAnd:
      case Op::kOr:
      case Op::kImply: {
        expression(e.args[0], known);
        if (!can_fail(e.args[1])) return;
        Knowledge right = known;
        right.learn(e.args[0], e.op != Op::kOr);
        expression(e.args[1], right);
        return;
      }
      default:
        for (Expr& arg : e.args) expression(arg, known);
    }
  }

  void lvalue_index(Lvalue& target, const Knowledge& known) {
    if (!target.index) return;
    expression(*target.index, known);
    target.index_site = index(target.variable, *target.index, known);
  }

  // Of storing a value in `range` into `target`.
  void store(Lvalue& target, ValueRange range, SourceRange where) {
    const Type type = variables_[target.variable].type;
    if (range.within(range_of_type(type))) return;
    target.store_site = add(
        {.kind = Site::Kind::kStore, .where = where, .variable = target.variable, .type = type});
  }

  std::uint32_t add(const Site& site) {
    sites_.push_back(site);
    return static_cast<std::uint32_t>(sites_.size() - 1);
  }

 private:
  static bool can_fail(const Expr& e) {
    if (e.op == Op::kElement || e.op == Op::kDivide || e.op == Op::kRemainder) return true;
    for (const Expr& arg : e.args) {
      if (can_fail(arg)) return true;
    }
    return false;
  }

  std::uint32_t index(std::uint32_t variable, const Expr& index, const Knowledge& known) {
    const Variable& v = variables_[variable];
    if (known.range(index).within({0, std::int64_t{v.length} - 1})) return kNoSite;
    return add(
        {.kind = Site::Kind::kIndex, .where = index.where, .variable = variable, .type = v.type});
  }

  const std::vector<Variable>& variables_;
  std::vector<Site>& sites_;
};

class ProgramSites {
 public:
  explicit ProgramSites(Program& program)
      : program_(program),
        variables_(program.variables),
        values_(program.channels.size()),
        placer_(variables_, program.sites) {
    variables_.insert(variables_.end(), program.property_variables.begin(),
                      program.property_variables.end());
  }

  void run() {
    // What is received on a channel depends on all that is sent there.
    for (Process& process : program_.processes) {
      for (Transition& t : process.transitions) guard_and_sends(t);
    }
    for (Process& process : program_.processes) {
      for (Transition& t : process.transitions) receives_and_effects(t, after_guard(t));
    }
    if (program_.property) {
      for (Transition& t : program_.property->transitions) {
        guard_and_sends(t);
        receives_and_effects(t, Knowledge(variables_));
      }
    }
    for (Assertion& assertion : program_.assertions) {
      placer_.expression(assertion.condition, Knowledge(variables_));
    }
  }

 private:
  Knowledge after_guard(const Transition& t) const {
    Knowledge known(variables_);
    if (t.guard) known.learn(*t.guard, true);
    return known;
  }

  void guard_and_sends(Transition& t) {
    if (t.guard) placer_.expression(*t.guard, Knowledge(variables_));
    if (t.sync != SyncKind::kSend) return;
    const Knowledge known = after_guard(t);
    const Channel& channel = program_.channels[t.channel];
    t.sent_sites.assign(t.sent.size(), kNoSite);
    values_[t.channel].resize(t.sent.size());
    for (std::size_t i = 0; i < t.sent.size(); ++i) {
      placer_.expression(t.sent[i], known);
      ValueRange range = known.range(t.sent[i]);
      if (channel.typed && !range.within(range_of_type(channel.items[i]))) {
        range = range_of_type(channel.items[i]);
        t.sent_sites[i] = placer_.add(
            {.kind = Site::Kind::kStore, .where = t.sent[i].where, .type = channel.items[i]});
      }
      std::optional<ValueRange>& all = values_[t.channel][i];
      all = all ? join(*all, range) : range;
    }
  }

  void receives_and_effects(Transition& t, Knowledge known) {
    // A receiver stores before anyone's effects; its indices were evaluated before that.
    for (Lvalue& target : t.received) placer_.lvalue_index(target, known);
    for (std::size_t i = 0; i < t.received.size(); ++i) {
      const std::vector<std::optional<ValueRange>>& sent = values_[t.channel];
      if (sent.empty() || !sent[i]) continue;  // nobody sends: this never happens
      placer_.store(t.received[i], *sent[i], t.received[i].where);
      known.store(t.received[i], *sent[i]);
    }
    // Others may have changed the globals since the guard: the receiver where this one sends, the
    // processes before this one in a synchronous system.
    const bool meets = t.sync == SyncKind::kSend && program_.channels[t.channel].capacity == 0;
    if (meets || program_.synchronous) known.forget_globals();
    for (Assignment& assignment : t.effects) {
      placer_.lvalue_index(assignment.target, known);
      placer_.expression(assignment.value, known);
      const ValueRange range = known.range(assignment.value);
      placer_.store(assignment.target, range, assignment.where);
      known.store(assignment.target, range);
    }
  }

  Program& program_;
  std::vector<Variable> variables_;  // with those of the property process
  // By channel and item: all values that are ever sent; none where nobody sends.
  std::vector<std::vector<std::optional<ValueRange>>> values_;
  Placer placer_;
};

}  // namespace

void place_sites(Program& program) { ProgramSites(program).run(); }

void place_sites(const std::vector<Variable>& variables, Expr& e, std::vector<Site>& sites) {
  Placer(variables, sites).expression(e, Knowledge(variables));
}

}  // namespace comback::dve

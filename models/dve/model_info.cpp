#include "models/dve/model_info.h"

#include <algorithm>
#include <optional>

#include "models/dve/describe.h"
#include "models/dve/expression_compiler.h"

namespace comback::dve {

namespace {

void add(std::vector<VariableUse>& uses, VariableUse use) {
  if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
}
void add_all(std::vector<VariableUse>& uses, const std::vector<VariableUse>& more) {
  for (const VariableUse& use : more) add(uses, use);
}

const char* type_name(Type type) { return type == Type::kByte ? "byte" : "int"; }

bool can_fault(const Lvalue& target) {
  return target.index_site != kNoSite || target.store_site != kNoSite ||
         (target.index && can_fault(*target.index));
}

bool can_fault(const Transition& t) {
  return (t.guard && can_fault(*t.guard)) ||
         std::any_of(t.sent.begin(), t.sent.end(), [](auto& e) { return can_fault(e); }) ||
         std::any_of(t.sent_sites.begin(), t.sent_sites.end(),
                     [](std::uint32_t site) { return site != kNoSite; }) ||
         std::any_of(t.received.begin(), t.received.end(),
                     [](const Lvalue& l) { return can_fault(l); }) ||
         std::any_of(t.effects.begin(), t.effects.end(),
                     [](const Assignment& a) { return can_fault(a.target) || can_fault(a.value); });
}

EventKind kind_of(const Transition& t) {
  if (t.sync == SyncKind::kReceive) return EventKind::kReceive;
  if (t.sync == SyncKind::kSend) return EventKind::kSend;
  return t.effects.empty() ? EventKind::kBranch : EventKind::kAssignment;
}

using Comparison = ComparisonInfo::Op;

std::optional<Comparison> comparison_of(Op op) {
  switch (op) {
    case Op::kEqual:
      return Comparison::kEqual;
    case Op::kNotEqual:
      return Comparison::kNotEqual;
    case Op::kLess:
      return Comparison::kLess;
    case Op::kLessEqual:
      return Comparison::kLessEqual;
    case Op::kGreater:
      return Comparison::kGreater;
    case Op::kGreaterEqual:
      return Comparison::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

Comparison negation(Comparison op) {
  switch (op) {
    case Comparison::kEqual:
      return Comparison::kNotEqual;
    case Comparison::kNotEqual:
      return Comparison::kEqual;
    case Comparison::kLess:
      return Comparison::kGreaterEqual;
    case Comparison::kLessEqual:
      return Comparison::kGreater;
    case Comparison::kGreater:
      return Comparison::kLessEqual;
    case Comparison::kGreaterEqual:
      return Comparison::kLess;
  }
  return op;
}

// The comparison with its sides exchanged.
Comparison mirrored(Comparison op) {
  switch (op) {
    case Comparison::kLess:
      return Comparison::kGreater;
    case Comparison::kLessEqual:
      return Comparison::kGreaterEqual;
    case Comparison::kGreater:
      return Comparison::kLess;
    case Comparison::kGreaterEqual:
      return Comparison::kLessEqual;
    default:
      return op;
  }
}

std::int64_t load(const std::byte* place, Type type) {
  const auto low = static_cast<std::uint16_t>(place[0]);
  if (type == Type::kByte) return low;
  return static_cast<std::int16_t>(low | static_cast<std::uint16_t>(place[1]) << 8);
}

}  // namespace

ModelInfo::ModelInfo(const Program& program, RangeErrors range_errors) : program_(program) {
  add_variables(range_errors);
  add_channels();
  for (const Process& process : program.processes) {
    ProcessInfo& info = processes_.emplace_back();
    info.name = process.name;
    info.initial = process.initial;
    for (const Location& location : process.locations) {
      info.locations.push_back({location.name, location.committed, location.accepting});
    }
    for (const Transition& transition : process.transitions) {
      info.transitions.push_back(transition_info(transition));
    }
  }
  for (const StaticEvent& event : program.events) {
    events_.push_back(event_info(event, range_errors));
  }
}

void ModelInfo::add_data(std::uint32_t number) {
  const Variable& variable = program_.variables[number];
  if (variable.constant) return;
  const TypeRange range = range_of(variable.type);
  of_data_[number] = static_cast<std::uint32_t>(variables_.size());
  const std::string owner =
      variable.process == kGlobal ? "" : program_.processes[variable.process].name + ".";
  variables_.push_back({.name = owner + variable.name,
                        .kind = VariableInfo::Kind::kData,
                        .process = variable.process,
                        .length = variable.length,
                        .min = range.min,
                        .max = range.max,
                        .value_names = {},
                        .offset_bytes = variable.offset,
                        .element_bytes = bytes_of(variable.type)});
}

void ModelInfo::add_variables(RangeErrors range_errors) {
  of_data_.assign(program_.variables.size(), kNone);
  of_channel_.assign(program_.channels.size(), kNone);
  const auto add_data_of = [&](std::uint32_t process) {
    for (std::uint32_t v = 0; v < program_.variables.size(); ++v) {
      if (program_.variables[v].process == process) add_data(v);
    }
  };
  add_data_of(kGlobal);
  for (std::size_t c = 0; c < program_.channels.size(); ++c) {
    const Channel& channel = program_.channels[c];
    if (channel.capacity == 0) continue;
    of_channel_[c] = static_cast<std::uint32_t>(variables_.size());
    TypeRange range{0, channel.capacity};
    for (const Type type : channel.items) {
      range.min = std::min(range.min, range_of(type).min);
      range.max = std::max(range.max, range_of(type).max);
    }
    const auto items = static_cast<std::uint32_t>(channel.items.size());
    variables_.push_back({.name = channel.name,
                          .kind = VariableInfo::Kind::kChannel,
                          .process = kGlobal,
                          .length = 1 + channel.capacity * items,
                          .min = range.min,
                          .max = range.max,
                          .value_names = {},
                          .offset_bytes = channel.offset,
                          .element_bytes = channel.message_bytes,
                          .message_items = items});
  }
  const bool has_error_state =
      range_errors == RangeErrors::kErrorState || range_errors == RangeErrors::kTerminal;
  for (std::uint32_t p = 0; p < program_.processes.size(); ++p) {
    const Process& process = program_.processes[p];
    of_location_.push_back(static_cast<std::uint32_t>(variables_.size()));
    std::vector<std::string> names;
    for (const Location& location : process.locations) names.push_back(location.name);
    if (p == 0 && has_error_state) names.emplace_back("(range error)");
    const auto last = static_cast<std::int64_t>(names.size()) - 1;
    variables_.push_back({.name = process.name,
                          .kind = VariableInfo::Kind::kLocation,
                          .process = p,
                          .length = 0,
                          .min = 0,
                          .max = last,
                          .value_names = std::move(names),
                          .offset_bytes = process.offset,
                          .element_bytes = process.location_bytes});
    add_data_of(p);
  }
  channel_of_.assign(variables_.size(), kNone);
  for (std::uint32_t c = 0; c < of_channel_.size(); ++c) {
    if (of_channel_[c] != kNone) channel_of_[of_channel_[c]] = c;
  }
}

void ModelInfo::add_channels() {
  for (const Channel& channel : program_.channels) {
    ChannelInfo& info = channels_.emplace_back();
    info.name = channel.name;
    for (const Type type : channel.items) info.items.emplace_back(type_name(type));
    info.capacity = channel.capacity;
    info.line = program_.line_and_column(channel.where.begin)[0];
  }
}

std::int64_t ModelInfo::value(const std::byte* state, std::uint32_t variable,
                              std::uint32_t element) const {
  const VariableInfo& info = variables_[variable];
  const std::byte* place = state + info.offset_bytes;
  if (info.kind == VariableInfo::Kind::kLocation) {
    const std::int64_t location = load(place, info.element_bytes == 1 ? Type::kByte : Type::kInt);
    return location < 0 ? location + 65536 : location;
  }
  if (info.kind == VariableInfo::Kind::kData) {
    return load(place + element * info.element_bytes,
                info.element_bytes == 1 ? Type::kByte : Type::kInt);
  }
  if (element == 0) return load(place, Type::kByte);
  const Channel& channel = program_.channels[channel_of_[variable]];
  const std::uint32_t message = (element - 1) / info.message_items;
  const std::uint32_t item = (element - 1) % info.message_items;
  place += 1 + message * channel.message_bytes;
  for (std::uint32_t i = 0; i < item; ++i) place += bytes_of(channel.items[i]);
  return load(place, channel.items[item]);
}

VariableUse ModelInfo::use_of(const Lvalue& target) const {
  VariableUse use{.variable = of_data_[target.variable]};
  if (target.index && target.index->op == Op::kConstant && target.index_site == kNoSite) {
    use.element = static_cast<std::uint32_t>(target.index->value);
  }
  return use;
}

// Of an expression that is one variable or element of the state.
std::optional<VariableUse> ModelInfo::use_of(const Expr& expr) const {
  const bool element = expr.op == Op::kElement;
  if ((expr.op != Op::kVariable && !element) || of_data_[expr.variable] == kNone) {
    return std::nullopt;
  }
  VariableUse use{.variable = of_data_[expr.variable]};
  if (element && expr.args[0].op == Op::kConstant && expr.site == kNoSite) {
    use.element = static_cast<std::uint32_t>(expr.args[0].value);
  }
  return use;
}

void ModelInfo::add_reads(const Expr& expr, std::vector<VariableUse>& uses) const {
  if (const auto use = use_of(expr)) add(uses, *use);
  if (expr.op == Op::kAt) add(uses, {.variable = of_location_[expr.process]});
  for (const Expr& arg : expr.args) add_reads(arg, uses);
}

void ModelInfo::add_comparisons(const Expr& guard, bool negated,
                                std::vector<ComparisonInfo>& out) const {
  // A negated disjunction is a conjunction, too.
  if (guard.op == (negated ? Op::kOr : Op::kAnd)) {
    for (const Expr& arg : guard.args) add_comparisons(arg, negated, out);
    return;
  }
  if (guard.op == Op::kNot) {
    add_comparisons(guard.args[0], !negated, out);
    return;
  }
  const auto add_comparison = [&](VariableUse use, Comparison op, std::int64_t constant) {
    // Which element is compared must be known, or the comparison says nothing.
    if (use.element == kWholeArray && variables_[use.variable].length != 0) return;
    out.push_back({use, negated ? negation(op) : op, constant});
  };
  if (guard.op == Op::kAt) {
    add_comparison({.variable = of_location_[guard.process]}, Comparison::kEqual, guard.location);
  } else if (const auto alone = use_of(guard)) {
    add_comparison(*alone, Comparison::kNotEqual, 0);
  } else if (const auto op = comparison_of(guard.op)) {
    const Expr& left = guard.args[0];
    const Expr& right = guard.args[1];
    if (const auto use = use_of(left); use && right.op == Op::kConstant) {
      add_comparison(*use, *op, right.value);
    } else if (const auto other = use_of(right); other && left.op == Op::kConstant) {
      add_comparison(*other, mirrored(*op), left.value);
    }
  }
}

EffectInfo ModelInfo::effect_info(const Assignment& assignment) const {
  EffectInfo info{.target = use_of(assignment.target),
                  .text = one_line(program_, assignment.where)};
  const Expr& value = assignment.value;
  // Which element is assigned must be known, or the form says nothing.
  if (info.target.element == kWholeArray && variables_[info.target.variable].length != 0) {
    return info;
  }
  const auto is_target = [&](const Expr& e) { return use_of(e) == info.target; };
  if (value.op == Op::kConstant) {
    info.form = EffectInfo::Form::kSet;
    info.amount = value.value;
  } else if (value.op == Op::kAdd || value.op == Op::kSubtract) {
    const Expr& left = value.args[0];
    const Expr& right = value.args[1];
    if (is_target(left) && right.op == Op::kConstant) {
      info.form = EffectInfo::Form::kAdd;
      info.amount = value.op == Op::kAdd ? right.value : -right.value;
    } else if (value.op == Op::kAdd && left.op == Op::kConstant && is_target(right)) {
      info.form = EffectInfo::Form::kAdd;
      info.amount = left.value;
    }
  }
  return info;
}

TransitionInfo ModelInfo::transition_info(const Transition& t) const {
  TransitionInfo info;
  info.source = t.source;
  info.target = t.target;
  info.line = t.line;
  info.kind = kind_of(t);
  if (t.guard) {
    info.guard = one_line(program_, t.guard->where);
    add_comparisons(*t.guard, false, info.comparisons);
    add_reads(*t.guard, info.guard_reads);
    info.reads = info.guard_reads;
  }
  for (const Expr& value : t.sent) add_reads(value, info.reads);
  if (t.sync != SyncKind::kNone) {
    info.channel = program_.channels[t.channel].name;
    if (of_channel_[t.channel] != kNone) {
      add(info.reads, {.variable = of_channel_[t.channel]});
      add(info.writes, {.variable = of_channel_[t.channel]});
    }
  }
  for (const Lvalue& target : t.received) {
    if (target.index) add_reads(*target.index, info.reads);
    add(info.writes, use_of(target));
    info.effects.push_back(
        {.target = use_of(target), .text = info.channel + "?" + one_line(program_, target.where)});
  }
  for (const Assignment& assignment : t.effects) {
    if (assignment.target.index) add_reads(*assignment.target.index, info.reads);
    add_reads(assignment.value, info.reads);
    add(info.writes, use_of(assignment.target));
    info.effects.push_back(effect_info(assignment));
  }
  return info;
}

EventInfo ModelInfo::event_info(const StaticEvent& event, RangeErrors range_errors) const {
  EventInfo info;
  info.process = event.process;
  info.transition = event.transition;
  bool faults = false;
  const auto add_side = [&](std::uint32_t process, std::uint32_t number) {
    const Transition& t = program_.processes[process].transitions[number];
    const TransitionInfo& side = processes_[process].transitions[number];
    add(info.reads, {.variable = of_location_[process]});
    add_all(info.reads, side.reads);
    if (t.source != t.target) add(info.writes, {.variable = of_location_[process]});
    add_all(info.writes, side.writes);
    faults = faults || can_fault(t);
    return side.kind;
  };
  info.kind = add_side(event.process, event.transition);
  if (event.sender != kGlobal) {
    info.partner = event.sender;
    info.partner_transition = event.sender_transition;
    add_side(event.sender, event.sender_transition);
  }

  // Whether an event is enabled also depends on who is committed, and on whether this is a final
  // error state; a range error may write everything.
  for (std::size_t p = 0; program_.has_committed && p < program_.processes.size(); ++p) {
    const auto& locations = program_.processes[p].locations;
    if (std::any_of(locations.begin(), locations.end(),
                    [](const Location& location) { return location.committed; })) {
      add(info.reads, {.variable = of_location_[p]});
    }
  }
  const bool terminal = range_errors == RangeErrors::kTerminal;
  if (terminal && !program_.sites.empty()) add(info.reads, {.variable = of_location_[0]});
  if (faults && (terminal || range_errors == RangeErrors::kErrorState)) {
    info.writes.clear();
    for (std::uint32_t v = 0; v < variables_.size(); ++v) info.writes.push_back({.variable = v});
  }
  return info;
}

}  // namespace comback::dve

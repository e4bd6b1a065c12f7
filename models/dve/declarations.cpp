#include "models/dve/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/dve/expression_checker.h"
#include "models/dve/layout.h"

namespace comback::dve {

namespace {

std::string_view name_of(Type type) { return type == Type::kByte ? "byte" : "int"; }

}  // namespace

void Declarations::duplicate(const syntax::Name& name, std::string_view kind, SourceRange first) {
  report_.error(name.where, fmt::format("there already is a {} '{}'", kind, name.text),
                fmt::format("the other one is in line {}", report_.line(first)));
}

void Declarations::variable(const syntax::VariableDeclaration& declaration, std::uint32_t process) {
  NameTable<Symbol>& table =
      process == kGlobal ? names_.variables : names_.processes[process].variables;
  const std::string name(declaration.name.text);
  const auto existing = table.find(name);
  if (existing != table.end()) {
    duplicate(declaration.name, "variable or constant", existing->second.where);
    return;
  }
  Symbol symbol;
  symbol.where = declaration.name.where;
  std::uint32_t length = declaration.length.value_or(0);
  // An array that is refused is still declared, so that its uses are not reported too.
  if (!fits(declaration)) length = std::min<std::uint32_t>(length, kMaxWidth);
  std::vector<std::int64_t> initial = initial_values(declaration, process, length);
  if (declaration.constant && length == 0) {
    symbol.scalar_constant = true;
    symbol.value = initial[0];
    program_.constants.push_back({.name = name, .process = process, .value = initial[0]});
  } else {
    symbol.variable = static_cast<std::uint32_t>(program_.variables.size());
    Variable variable;
    variable.name = name;
    variable.type = declaration.type;
    variable.process = process;
    variable.length = length;
    variable.constant = declaration.constant;
    variable.initial = std::move(initial);
    variable.where = declaration.name.where;
    program_.variables.push_back(std::move(variable));
  }
  table.emplace(name, symbol);
}

bool Declarations::fits(const syntax::VariableDeclaration& declaration) {
  if (!declaration.length) return true;
  const std::size_t length = *declaration.length;
  if (declaration.constant) {
    constants_ += length;
    if (length <= kMaxConstants && constants_ <= kMaxConstants) return true;
    report_.error(
        declaration.name.where,
        fmt::format("the constant arrays of a model have at most {} elements", kMaxConstants));
    return false;
  }
  if (length * bytes_of(declaration.type) <= kMaxWidth) return true;
  report_.error(declaration.name.where,
                fmt::format("'{}' takes {} bytes of a state, which has at most {}",
                            declaration.name.text, length * bytes_of(declaration.type), kMaxWidth));
  return false;
}

std::vector<std::int64_t> Declarations::initial_values(
    const syntax::VariableDeclaration& declaration, std::uint32_t process, std::uint32_t length) {
  const TypeRange range = range_of(declaration.type);
  std::vector<std::int64_t> out(std::max(1u, length));
  ExpressionChecker checker(names_, program_.variables, report_, ExpressionChecker::Place::kInitial,
                            process);
  for (std::size_t i = 0; i < declaration.initial.size(); ++i) {
    const auto value = checker.check_constant(declaration.initial[i]);
    // Values beyond the array's end are dropped, as DiVinE does; models rely on it.
    if (!value || i >= out.size()) continue;
    if (!declaration.constant && (*value < range.min || *value > range.max)) {
      report_.error(declaration.initial[i].where,
                    fmt::format("the initial value {} of '{}' does not fit into its type: {} is {} "
                                "to {}",
                                *value, declaration.name.text, name_of(declaration.type), range.min,
                                range.max));
      continue;
    }
    out[i] = *value;
  }
  return out;
}

void Declarations::channel(const syntax::ChannelDeclaration& declaration) {
  const std::string name(declaration.name.text);
  if (const auto it = names_.channels.find(name); it != names_.channels.end()) {
    duplicate(declaration.name, "channel", program_.channels[it->second].where);
    return;
  }
  Channel channel;
  channel.name = name;
  channel.typed = declaration.typed;
  channel.items = declaration.items;
  channel.capacity = declaration.capacity;
  channel.where = declaration.name.where;
  if (channel.capacity > kMaxCapacity) {
    report_.error(declaration.name.where,
                  fmt::format("channel '{}' has a capacity of {}; the most is {}", name,
                              channel.capacity, kMaxCapacity));
    channel.capacity = 1;
  }
  names_.channels.emplace(name, static_cast<std::uint32_t>(program_.channels.size()));
  program_.channels.push_back(std::move(channel));
}

void Declarations::process(const syntax::Process& declaration, bool property) {
  const std::string name(declaration.name.text);
  if (const auto it = names_.process_numbers.find(name); it != names_.process_numbers.end()) {
    duplicate(declaration.name, "process", program_.processes[it->second].where);
  }
  names_.process_numbers.emplace(name, static_cast<std::uint32_t>(names_.processes.size()));
  ProcessNames names;
  names.name = name;
  names.property = property;
  Process out;
  out.name = name;
  out.where = declaration.name.where;
  locations(declaration, out, names);
  names_.processes.push_back(std::move(names));
  if (property) {
    program_.property = std::move(out);
  } else {
    program_.processes.push_back(std::move(out));
  }
}

void Declarations::locations(const syntax::Process& declaration, Process& out,
                             ProcessNames& names) {
  if (declaration.locations.size() > kMaxLocations) {
    report_.error(declaration.name.where,
                  fmt::format("process '{}' has {} states; the most is {}", out.name,
                              declaration.locations.size(), kMaxLocations));
  }
  std::vector<SourceRange> firsts;
  for (const syntax::Name& location : declaration.locations) {
    const std::string name(location.text);
    const auto [it, added] =
        names.locations.emplace(name, static_cast<std::uint32_t>(out.locations.size()));
    if (!added) {
      duplicate(location, "state", firsts[it->second]);
      continue;
    }
    firsts.push_back(location.where);
    out.locations.push_back({.name = name});
  }
  const auto find = [&](const syntax::Name& wanted) -> std::optional<std::uint32_t> {
    const auto it = names.locations.find(wanted.text);
    if (it != names.locations.end()) return it->second;
    report_.error(wanted.where,
                  fmt::format("process '{}' has no state '{}'", out.name, wanted.text),
                  did_you_mean(wanted.text, names_in(names.locations)));
    return std::nullopt;
  };
  if (declaration.initial) out.initial = find(*declaration.initial).value_or(0);
  for (const syntax::Name& name : declaration.committed) {
    if (const auto location = find(name)) {
      out.locations[*location].committed = true;
      if (!names.property) program_.has_committed = true;
    }
  }
  for (const syntax::Name& name : declaration.accepting) {
    if (const auto location = find(name)) out.locations[*location].accepting = true;
  }
}

}  // namespace comback::dve

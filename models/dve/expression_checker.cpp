#include "models/dve/expression_checker.h"

#include <fmt/format.h>

#include <utility>

#include "models/dve/fold.h"

namespace comback::dve {

namespace {

using Form = syntax::Expression::Form;

// Of an expression that was reported: no value, and not a constant either.
constexpr std::uint32_t kUnknownVariable = 0xffffffff;

bool is_constant(const Expr& e) { return e.op == Op::kConstant; }

}  // namespace

Expr ExpressionChecker::unknown(SourceRange where) const {
  Expr out;
  out.op = Op::kVariable;
  out.variable = kUnknownVariable;
  out.where = where;
  return out;
}

Expr ExpressionChecker::constant(SourceRange where, std::int64_t value) const {
  Expr out;
  out.value = value;
  out.where = where;
  return out;
}

Expr ExpressionChecker::check(const syntax::Expression& e) {
  switch (e.form) {
    case Form::kNumber:
      return constant(e.where, e.value);
    case Form::kName:
    case Form::kElement: {
      const Symbol* symbol = names_.find_variable(process_, e.name.text);
      if (symbol != nullptr) return use(e, *symbol);
      unknown_variable(e.name);
      return unknown(e.where);
    }
    case Form::kMember:
      return member(e);
    case Form::kForeign:
      return foreign(e);
    case Form::kOperator:
      return operation(e);
  }
  return unknown(e.where);
}

std::optional<std::int64_t> ExpressionChecker::check_constant(const syntax::Expression& e) {
  const Expr checked = check(e);
  if (is_constant(checked)) return checked.value;
  return std::nullopt;
}

Expr ExpressionChecker::use(const syntax::Expression& e, const Symbol& symbol) {
  if (symbol.scalar_constant) {
    if (e.args.empty()) return constant(e.where, symbol.value);
    report_.error(e.name.where, fmt::format("'{}' is not an array", e.name.text));
    return unknown(e.where);
  }
  const Variable& variable = variables_[symbol.variable];
  if (!fits(e, variable)) return unknown(e.where);
  Expr out;
  out.variable = symbol.variable;
  out.where = e.where;
  if (e.args.empty()) {
    if (place_ == Place::kInitial) return constant(e.where, variable.initial[0]);
    out.op = Op::kVariable;
    return out;
  }
  out.op = Op::kElement;
  out.args.push_back(check(e.args[0]));
  const Expr& index = out.args[0];
  if (!in_range(index, variable)) return unknown(e.where);
  if (is_constant(index) && (variable.constant || place_ == Place::kInitial)) {
    return constant(e.where, variable.initial[static_cast<std::size_t>(index.value)]);
  }
  return out;
}

bool ExpressionChecker::fits(const syntax::Expression& e, const Variable& variable) {
  if (variable.length != 0 && e.args.empty()) {
    report_.error(
        e.name.where, fmt::format("'{}' is an array and needs an index", e.name.text),
        fmt::format("its elements are {0}[0] to {0}[{1}]", e.name.text, variable.length - 1));
    return false;
  }
  if (variable.length == 0 && !e.args.empty()) {
    report_.error(e.name.where, fmt::format("'{}' is not an array", e.name.text));
    return false;
  }
  return true;
}

bool ExpressionChecker::in_range(const Expr& index, const Variable& variable) {
  if (!is_constant(index) || (index.value >= 0 && index.value < variable.length)) return true;
  report_.error(index.where, fmt::format("index {} is outside '{}', whose elements are 0 to {}",
                                         index.value, variable.name, variable.length - 1));
  return false;
}

Lvalue ExpressionChecker::check_lvalue(const syntax::Expression& e) {
  Lvalue out;
  out.where = e.where;
  const Symbol* symbol = names_.find_variable(process_, e.name.text);
  if (symbol == nullptr) {
    unknown_variable(e.name);
    return out;
  }
  if (symbol->scalar_constant || variables_[symbol->variable].constant) {
    report_.error(e.name.where,
                  fmt::format("'{}' is a constant and cannot be assigned to", e.name.text));
    return out;
  }
  const Variable& variable = variables_[symbol->variable];
  if (place_ == Place::kProperty && variable.process != process_) {
    report_.error(
        e.name.where,
        fmt::format("a property process cannot change '{}', only its own variables", e.name.text));
  }
  if (!fits(e, variable)) return out;
  out.variable = symbol->variable;
  if (!e.args.empty()) {
    out.index = check(e.args[0]);
    in_range(*out.index, variable);
  }
  return out;
}

std::optional<std::uint32_t> ExpressionChecker::process(const syntax::Name& name) {
  const auto found = names_.find_process(name.text);
  if (!found) {
    report_.error(name.where, fmt::format("there is no process '{}'", name.text),
                  did_you_mean(name.text, names_in(names_.process_numbers)));
    return std::nullopt;
  }
  if (names_.processes[*found].property && place_ != Place::kProperty) {
    report_.error(name.where, fmt::format("'{}' is the property process and not part of the system",
                                          name.text));
    return std::nullopt;
  }
  return found;
}

// P.location; in a predicate also P.variable.
Expr ExpressionChecker::member(const syntax::Expression& e) {
  if (place_ == Place::kInitial) {
    report_.error(e.where, "an initial value cannot depend on the state of a process");
    return unknown(e.where);
  }
  const auto number = process(e.process);
  if (!number) return unknown(e.where);
  const ProcessNames& names = names_.processes[*number];
  if (const auto location = names.locations.find(e.name.text);
      location != names.locations.end() && e.args.empty()) {
    Expr out;
    out.op = Op::kAt;
    out.process = *number;
    out.location = location->second;
    out.where = e.where;
    return out;
  }
  const auto variable = names.variables.find(e.name.text);
  if (place_ == Place::kPredicate && variable != names.variables.end()) {
    return use(e, variable->second);
  }
  std::string hint;
  if (variable != names.variables.end()) {
    hint = fmt::format(
        "'{}' is a variable of '{}', which only its own process can read; "
        "make it global to share it",
        e.name.text, names.name);
    if (place_ == Place::kProperty) {
      hint = fmt::format("for the variable write {}->{}", names.name, e.name.text);
    }
  } else {
    auto candidates = names_in(names.locations);
    if (place_ == Place::kPredicate) {
      for (const auto& [name, symbol] : names.variables) candidates.push_back(name);
    }
    hint = did_you_mean(e.name.text, candidates);
  }
  report_.error(e.name.where,
                fmt::format("process '{}' has no state{} '{}'", names.name,
                            place_ == Place::kPredicate ? " and no variable" : "", e.name.text),
                std::move(hint));
  return unknown(e.where);
}

// P->variable
Expr ExpressionChecker::foreign(const syntax::Expression& e) {
  if (place_ == Place::kInitial || place_ == Place::kModel) {
    report_.error(e.where,
                  "a variable of another process can be read only by a property process and in "
                  "predicates",
                  fmt::format("make '{}' global to share it", e.name.text));
    return unknown(e.where);
  }
  const auto number = process(e.process);
  if (!number) return unknown(e.where);
  const ProcessNames& names = names_.processes[*number];
  const auto variable = names.variables.find(e.name.text);
  if (variable != names.variables.end()) return use(e, variable->second);
  std::string hint = did_you_mean(e.name.text, names_in(names.variables));
  if (names.locations.count(e.name.text) != 0) {
    hint = fmt::format("'{1}' is a state of '{0}': write {0}.{1}", names.name, e.name.text);
  } else if (names_.variables.count(e.name.text) != 0) {
    hint = fmt::format("'{0}' is global: write {0}", e.name.text);
  }
  report_.error(e.name.where,
                fmt::format("process '{}' has no variable '{}'", names.name, e.name.text),
                std::move(hint));
  return unknown(e.where);
}

Expr ExpressionChecker::operation(const syntax::Expression& e) {
  Expr out;
  out.op = e.op;
  out.where = e.where;
  out.args.reserve(e.args.size());
  for (const syntax::Expression& arg : e.args) out.args.push_back(check(arg));
  const Expr& left = out.args[0];
  if (e.args.size() == 1) {
    return is_constant(left) ? constant(e.where, apply(e.op, left.value)) : out;
  }
  const Expr& right = out.args[1];
  if ((e.op == Op::kDivide || e.op == Op::kRemainder) && is_constant(right) && right.value == 0) {
    report_.error(right.where,
                  e.op == Op::kDivide ? "this divides by zero" : "this is a remainder by zero");
    return unknown(e.where);
  }
  if (!is_constant(left)) return out;
  // The right side is never evaluated where the left one decides.
  if (e.op == Op::kAnd && left.value == 0) return constant(e.where, 0);
  if (e.op == Op::kOr && left.value != 0) return constant(e.where, 1);
  if (e.op == Op::kImply && left.value == 0) return constant(e.where, 1);
  return is_constant(right) ? constant(e.where, apply(e.op, left.value, right.value)) : out;
}

void ExpressionChecker::unknown_variable(const syntax::Name& name) {
  std::string hint;
  for (const ProcessNames& process : names_.processes) {
    const bool own = process_ != kGlobal && &process == &names_.processes[process_];
    if (process.locations.count(name.text) != 0 && (hint.empty() || own)) {
      hint = fmt::format("'{1}' is a state: test it with {0}.{1}", process.name, name.text);
    }
    if (process.variables.count(name.text) == 0 || !hint.empty()) continue;
    hint = place_ == Place::kPredicate || place_ == Place::kProperty
               ? fmt::format("write {}->{}", process.name, name.text)
               : fmt::format("'{}' belongs to process '{}'; make it global to share it", name.text,
                             process.name);
  }
  if (names_.process_numbers.count(name.text) != 0) {
    hint = fmt::format("'{0}' is a process: {0}.STATE tests where it is", name.text);
  } else if (names_.channels.count(name.text) != 0) {
    hint = fmt::format("'{}' is a channel", name.text);
  }
  if (hint.empty()) hint = did_you_mean(name.text, names_.visible_variables(process_));
  report_.error(name.where, fmt::format("there is no variable or constant '{}'", name.text),
                std::move(hint));
}

}  // namespace comback::dve

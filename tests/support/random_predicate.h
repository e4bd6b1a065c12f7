#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "models/model.h"

namespace comback::test {

// A random expression over a model's variables, as text in the model's language and as a function
// that computes it in the plainest way there is, from the variables' values alone. Some divide by
// zero in some states, or have an index out of range.
class RandomPredicate {
 public:
  using Value = std::optional<std::int64_t>;
  struct Expression {
    std::string text;
    std::function<Value(const std::byte*)> value;
  };

  RandomPredicate(const Model& model, std::uint64_t seed)
      : model_(&model), random_(seed * 0x9e3779b97f4a7c15ull + 3) {
    for (std::uint32_t v = 0; v < model.variables().size(); ++v) {
      const VariableInfo& variable = model.variables()[v];
      if (variable.kind == VariableInfo::Kind::kChannel) continue;
      (variable.kind == VariableInfo::Kind::kLocation ? locations_ : data_).push_back(v);
    }
  }

  // One that the model accepts: some always divide by zero, or have an index that is never there.
  Expression next() {
    for (;;) {
      Expression found = expression(1 + below(3));
      if (!std::holds_alternative<Diagnostics>(model_->predicate(found.text))) return found;
    }
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  static Expression number(std::int64_t n) {
    return {std::to_string(n), [n](const std::byte*) -> Value { return n; }};
  }
  // "x", "P->x": how a predicate names a variable of a process.
  static std::string name(const VariableInfo& variable) {
    const std::size_t dot = variable.name.find('.');
    if (dot == std::string::npos) return variable.name;
    return variable.name.substr(0, dot) + "->" + variable.name.substr(dot + 1);
  }

  Expression leaf() {
    const unsigned kind = below(10);
    if (kind < 3 || data_.empty()) {
      if (kind == 0 || locations_.empty()) return number(below(6));
      const std::uint32_t v = locations_[below(locations_.size())];
      const VariableInfo& variable = model_->variables()[v];
      const std::int64_t at = below(variable.value_names.size());
      return {variable.name + "." + variable.value_names[static_cast<std::size_t>(at)],
              [m = model_, v, at](const std::byte* state) -> Value {
                return m->value(state, v, 0) == at ? 1 : 0;
              }};
    }
    const std::uint32_t v = data_[below(data_.size())];
    const VariableInfo& variable = model_->variables()[v];
    if (variable.length == 0) {
      return {name(variable),
              [m = model_, v](const std::byte* state) -> Value { return m->value(state, v, 0); }};
    }
    // Now and then one that is not there.
    const Expression index = below(3) == 0 ? leaf_without_array() : number(below(variable.length));
    return {name(variable) + "[" + index.text + "]",
            [m = model_, v, length = variable.length,
             index = index.value](const std::byte* state) -> Value {
              const Value i = index(state);
              if (!i || *i < 0 || *i >= length) return std::nullopt;
              return m->value(state, v, static_cast<std::uint32_t>(*i));
            }};
  }
  Expression leaf_without_array() {
    for (int i = 0; i < 10; ++i) {
      Expression found = leaf();
      if (found.text.find('[') == std::string::npos) return found;
    }
    return number(0);
  }

  Expression expression(unsigned depth) {
    if (depth == 0) return leaf();
    const Expression a = expression(depth - 1);
    if (below(8) == 0) {
      return {"not (" + a.text + ")", [a = a.value](const std::byte* state) -> Value {
                const Value x = a(state);
                return x ? Value(*x == 0 ? 1 : 0) : x;
              }};
    }
    const Expression b = expression(depth - 1);
    static const char* const kOperators[] = {
        "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", "and", "or"};
    const unsigned op = below(12);
    return {"(" + a.text + ") " + kOperators[op] + " (" + b.text + ")",
            [op, a = a.value, b = b.value](const std::byte* state) {
              return apply(op, a(state), [&] { return b(state); });
            }};
  }

  static Value apply(unsigned op, Value left, const std::function<Value()>& right_of) {
    if (!left) return left;
    const std::int64_t a = *left;
    if (op == 10 && a == 0) return 0;
    if (op == 11 && a != 0) return 1;
    const Value right = right_of();
    if (!right) return right;
    const std::int64_t b = *right;
    switch (op) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return a * b;
      case 3:
        return b == 0 ? Value() : Value(a / b);
      case 4:
        return b == 0 ? Value() : Value(a % b);
      case 5:
        return a == b ? 1 : 0;
      case 6:
        return a != b ? 1 : 0;
      case 7:
        return a < b ? 1 : 0;
      case 8:
        return a <= b ? 1 : 0;
      case 9:
        return a > b ? 1 : 0;
      default:
        return b != 0 ? 1 : 0;
    }
  }

  const Model* model_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> locations_;
  std::vector<std::uint32_t> data_;
};

}  // namespace comback::test

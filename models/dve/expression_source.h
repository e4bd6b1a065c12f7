#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dve/program.h"
#include "models/dve/value_range.h"

// C++ text for the expressions of a Program: part of models/dve/generator.h.

namespace comback::dve {

// A C++ expression. Its type is int where its values fit in one, i64 elsewhere; knowing the values,
// most arithmetic needs no care for overflow and most checks fall away.
struct Snippet {
  std::string text{};
  ValueRange values{};
  bool fails = false;  // it can run into FAULT(site, value), which leaves the enclosing function
};

// Where the text of a transition finds a variable. `s` is the state before the event and `d` the
// successor in the making; execute() works in place and passes one pointer as both. So what the
// event may have written is read through d, and through s only what it cannot have written yet:
// loads through s need not wait for the copy and are shared with the guards.
class ReadScope {
 public:
  // The state before the event.
  ReadScope() = default;
  // The effects of `process`. With `others_first`, other processes' effects came before.
  ReadScope(std::uint32_t process, bool others_first)
      : effects_(true), process_(process), others_first_(others_first) {}

  void write(std::uint32_t variable) { written_.push_back(variable); }
  const char* pointer(const Program& program, std::uint32_t variable) const;

 private:
  bool effects_ = false;
  std::uint32_t process_ = 0;
  bool others_first_ = false;
  std::vector<std::uint32_t> written_;
};

class ExpressionSource {
 public:
  explicit ExpressionSource(const Program& program) : program_(program) {}

  Snippet expression(const Expr& expr, const ReadScope& scope);
  // A name that no other text of this object uses.
  std::string name(char prefix) { return prefix + std::to_string(++names_); }

  // "if (...) FAULT(...);" where `value`, a name, may be no index of an array; empty elsewhere.
  static std::string index_check(const Snippet& value, std::uint32_t length, std::uint32_t site);
  // The condition that `value`, a name, is outside the type; empty where it cannot be.
  static std::string outside(const Snippet& value, Type type);
  static std::string literal(std::int64_t value);
  static const char* type_of(const ValueRange& values);

 private:
  Snippet element(const Expr& expr, const ReadScope& scope);
  Snippet binary(const Expr& expr, const ReadScope& scope);

  const Program& program_;
  std::uint64_t names_ = 0;
};

}  // namespace comback::dve

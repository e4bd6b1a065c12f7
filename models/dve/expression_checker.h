#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/dve/names.h"
#include "models/dve/program.h"
#include "models/dve/report.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// Looks up the names of expressions and folds what is constant. Leaves every site at kNoSite:
// models/dve/value_range.h decides which places can fail.
class ExpressionChecker {
 public:
  enum class Place : std::uint8_t {
    kInitial,    // constants and the initial values of variables
    kModel,      // a process of the system
    kProperty,   // the property process: also variables of other processes
    kPredicate,  // an expression over a state from outside the model
  };

  // `process` is where it stands, or kGlobal. REQUIRES: the references outlive the checker.
  ExpressionChecker(const Names& names, const std::vector<Variable>& variables, Report& report,
                    Place place, std::uint32_t process)
      : names_(names), variables_(variables), report_(report), place_(place), process_(process) {}

  // Where something was reported the result means nothing, but is not a constant.
  Expr check(const syntax::Expression& e);
  // Something to assign to or to receive into.
  Lvalue check_lvalue(const syntax::Expression& e);
  // A constant; nothing where it is none, which is reported.
  std::optional<std::int64_t> check_constant(const syntax::Expression& e);

 private:
  Expr unknown(SourceRange where) const;
  Expr constant(SourceRange where, std::int64_t value) const;
  Expr member(const syntax::Expression& e);
  Expr foreign(const syntax::Expression& e);
  // A use of `symbol`, with an index where `e` has one.
  Expr use(const syntax::Expression& e, const Symbol& symbol);
  Expr operation(const syntax::Expression& e);
  // Whether `e` has an index exactly where it needs one.
  bool fits(const syntax::Expression& e, const Variable& variable);
  bool in_range(const Expr& index, const Variable& variable);
  std::optional<std::uint32_t> process(const syntax::Name& name);
  void unknown_variable(const syntax::Name& name);

  const Names& names_;
  const std::vector<Variable>& variables_;
  Report& report_;
  Place place_;
  std::uint32_t process_;
};

}  // namespace comback::dve

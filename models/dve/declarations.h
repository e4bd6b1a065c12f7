#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/dve/names.h"
#include "models/dve/program.h"
#include "models/dve/report.h"
#include "models/dve/syntax.h"

namespace comback::dve {

// Declares what a model's text declares: fills in `names` and the tables of `program`.
class Declarations {
 public:
  // REQUIRES: all references outlive the object.
  Declarations(Program& program, Names& names, Report& report)
      : program_(program), names_(names), report_(report) {}

  // `process` is kGlobal or a number of names.processes.
  void variable(const syntax::VariableDeclaration& declaration, std::uint32_t process);
  void channel(const syntax::ChannelDeclaration& declaration);
  // The process with its locations, without its variables; the property process comes last.
  void process(const syntax::Process& declaration, bool property);

 private:
  std::vector<std::int64_t> initial_values(const syntax::VariableDeclaration& declaration,
                                           std::uint32_t process, std::uint32_t length);
  bool fits(const syntax::VariableDeclaration& declaration);
  void locations(const syntax::Process& declaration, Process& out, ProcessNames& names);
  void duplicate(const syntax::Name& name, std::string_view kind, SourceRange first);

  Program& program_;
  Names& names_;
  Report& report_;
  std::size_t constants_ = 0;  // values of all constant arrays so far
};

}  // namespace comback::dve

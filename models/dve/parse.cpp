#include "models/dve/parse.h"

#include <fmt/format.h>

#include <utility>

#include "models/dve/checker.h"
#include "models/dve/events.h"
#include "models/dve/expression_checker.h"
#include "models/dve/layout.h"
#include "models/dve/lexer.h"
#include "models/dve/parser.h"
#include "models/dve/report.h"
#include "models/dve/sites.h"

namespace comback::dve {

namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 30;  // bytes; ranges of it have 32 bits

}  // namespace

ProgramResult parse_program(std::string file, std::string text, bool ignore_property) {
  Program program;
  program.name = file.substr(file.find_last_of('/') + 1);
  program.file = std::move(file);
  program.source = std::move(text);
  if (program.source.size() > kMaxText) {
    return Diagnostics{{.file = program.file, .message = "the text is larger than 1 GiB"}};
  }
  Report report(program.file, program.source);
  SourceRange system_word;
  {
    // What was read has views of program.source, which must not move before it is gone.
    const std::vector<Token> tokens = tokenize(program.source, report);
    const syntax::System system = parse_system(tokens, report);
    if (report.failed()) return report.take();
    system_word = system.where;
    check_system(system, program, report);
    if (system.property && !ignore_property) {
      report.error(
          system.property->where,
          fmt::format("this model has a property process, '{}', and searches for accepting "
                      "cycles are not supported",
                      system.property->text),
          "--ignore-property explores the system without it");
    }
  }
  if (report.failed()) return report.take();
  lay_out(program, report);
  number_events(program, system_word, report);
  if (report.failed()) return report.take();
  place_sites(program);
  return program;
}

CheckedPredicateResult parse_predicate(const Program& program, std::string_view text) {
  CheckedPredicate out;
  out.text = text;
  if (out.text.size() > kMaxText) {
    return Diagnostics{{.file = "<predicate>", .message = "the text is larger than 1 GiB"}};
  }
  Report report("<predicate>", out.text);
  const syntax::Expression expression = parse_expression(tokenize(out.text, report), report);
  if (report.failed()) return report.take();
  const Names names = names_of(program);
  out.condition = ExpressionChecker(names, program.variables, report,
                                    ExpressionChecker::Place::kPredicate, kGlobal)
                      .check(expression);
  if (report.failed()) return report.take();
  place_sites(program.variables, out.condition, out.sites);
  return out;
}

}  // namespace comback::dve

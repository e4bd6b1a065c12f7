#include "models/dve/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/dve/declarations.h"
#include "models/dve/expression_checker.h"

namespace comback::dve {
namespace {

using Place = ExpressionChecker::Place;

class Checker {
 public:
  Checker(const syntax::System& system, Program& program, Report& report)
      : system_(system), program_(program), report_(report) {}

  void run() {
    program_.synchronous = system_.synchronous;
    find_property();
    declare();
    uses_.resize(program_.channels.size());
    for (std::size_t p = 0; p < order_.size() && !report_.full(); ++p) {
      body(*order_[p], static_cast<std::uint32_t>(p));
    }
    // The variables of the property process were declared last.
    const auto first_of_property =
        std::find_if(program_.variables.begin(), program_.variables.end(), [&](const Variable& v) {
          return v.process != kGlobal && v.process >= program_.processes.size();
        });
    program_.property_variables.assign(std::make_move_iterator(first_of_property),
                                       std::make_move_iterator(program_.variables.end()));
    program_.variables.erase(first_of_property, program_.variables.end());
  }

 private:
  bool is_property(std::uint32_t process) const { return names_.processes[process].property; }

  void find_property() {
    for (const syntax::Process& process : system_.processes) {
      if (system_.property && property_ == nullptr && process.name.text == system_.property->text) {
        property_ = &process;
      } else {
        order_.push_back(&process);
      }
    }
    if (order_.empty() && !system_.processes.empty()) {
      report_.error(system_.property->where,
                    "the model has no process besides the property process");
    } else if (order_.empty()) {
      report_.error(system_.where, "the model has no process");
    }
    if (property_ != nullptr) order_.push_back(property_);
    if (!system_.property || property_ != nullptr) return;
    std::vector<std::string_view> candidates;
    for (const syntax::Process& process : system_.processes) {
      candidates.push_back(process.name.text);
    }
    report_.error(system_.property->where,
                  fmt::format("there is no process '{}'", system_.property->text),
                  did_you_mean(system_.property->text, candidates));
  }

  void declare() {
    Declarations declarations(program_, names_, report_);
    for (const syntax::Declaration& declaration : system_.declarations) {
      if (report_.full()) return;
      if (const auto* variable = std::get_if<syntax::VariableDeclaration>(&declaration)) {
        declarations.variable(*variable, kGlobal);
      } else {
        declarations.channel(std::get<syntax::ChannelDeclaration>(declaration));
      }
    }
    for (const syntax::Process* process : order_) {
      declarations.process(*process, process == property_);
    }
    for (std::size_t p = 0; p < order_.size(); ++p) {
      for (const syntax::VariableDeclaration& variable : order_[p]->variables) {
        if (report_.full()) return;
        declarations.variable(variable, static_cast<std::uint32_t>(p));
      }
    }
  }

  void body(const syntax::Process& from, std::uint32_t p) {
    Process& process = is_property(p) ? *program_.property : program_.processes[p];
    ExpressionChecker checker(names_, program_.variables, report_,
                              is_property(p) ? Place::kProperty : Place::kModel, p);
    for (const syntax::Assertion& assertion : from.assertions) {
      if (is_property(p)) {
        report_.error(assertion.where, "a property process cannot have assertions");
        continue;
      }
      Assertion out;
      out.process = p;
      out.location = location(assertion.location, p);
      out.condition = checker.check(assertion.condition);
      out.where = assertion.where;
      program_.assertions.push_back(std::move(out));
    }
    process.transitions.reserve(from.transitions.size());
    for (const syntax::Transition& transition : from.transitions) {
      process.transitions.push_back(check(transition, p, checker));
    }
  }

  std::uint32_t location(const syntax::Name& name, std::uint32_t p) {
    const ProcessNames& process = names_.processes[p];
    const auto it = process.locations.find(name.text);
    if (it != process.locations.end()) return it->second;
    report_.error(name.where,
                  fmt::format("process '{}' has no state '{}'", process.name, name.text),
                  did_you_mean(name.text, names_in(process.locations)));
    return 0;
  }

  Transition check(const syntax::Transition& from, std::uint32_t p, ExpressionChecker& checker) {
    Transition out;
    out.process = p;
    out.source = location(from.source, p);
    out.target = location(from.target, p);
    out.where = from.where;
    out.line = report_.line(from.where);
    if (from.guard) out.guard = checker.check(*from.guard);
    if (from.sync) sync(*from.sync, p, checker, out);
    out.effects.reserve(from.effects.size());
    for (const syntax::Assignment& assignment : from.effects) {
      Assignment effect;
      effect.target = checker.check_lvalue(assignment.target);
      effect.value = checker.check(assignment.value);
      effect.where = assignment.where;
      out.effects.push_back(std::move(effect));
    }
    return out;
  }

  void sync(const syntax::Sync& from, std::uint32_t p, ExpressionChecker& checker,
            Transition& out) {
    if (is_property(p)) {
      report_.error(from.where, "a property process cannot use channels");
      return;
    }
    if (program_.synchronous) {
      report_.error(from.where, "channels cannot be used in a model with 'system sync'",
                    "let the processes share global variables, or use 'system async'");
    }
    out.sync = from.kind;
    if (const auto it = names_.channels.find(from.channel.text); it != names_.channels.end()) {
      out.channel = it->second;
      value_count(from, it->second);
    } else {
      report_.error(from.channel.where, fmt::format("there is no channel '{}'", from.channel.text),
                    names_.find_variable(p, from.channel.text) != nullptr
                        ? fmt::format("'{}' is a variable", from.channel.text)
                        : did_you_mean(from.channel.text, names_in(names_.channels)));
    }
    for (const syntax::Expression& value : from.values) {
      if (from.kind == SyncKind::kSend) {
        out.sent.push_back(checker.check(value));
      } else {
        out.received.push_back(checker.check_lvalue(value));
      }
    }
    out.sent_sites.assign(out.sent.size(), kNoSite);
  }

  // A typed channel says how many values a message has; of an untyped one all uses must agree.
  void value_count(const syntax::Sync& use, std::uint32_t number) {
    const Channel& channel = program_.channels[number];
    const std::size_t count = use.values.size();
    const auto values = [](std::size_t n) {
      return n == 0 ? std::string("no value") : n == 1 ? "one value" : fmt::format("{} values", n);
    };
    if (channel.typed) {
      if (count == channel.items.size()) return;
      report_.error(use.where,
                    fmt::format("messages on channel '{}' have {}, found {}", channel.name,
                                values(channel.items.size()), values(count)),
                    fmt::format("the channel is declared in line {}", report_.line(channel.where)));
      return;
    }
    if (count > 1) {
      report_.error(use.where,
                    fmt::format("messages on the untyped channel '{}' have at most one value, "
                                "found {}",
                                channel.name, count),
                    fmt::format("declare it with the types of its values: channel {{byte{}}} "
                                "{}[0];",
                                count == 2 ? ", byte" : ", ...", channel.name));
      return;
    }
    std::optional<Use>& first = uses_[number];
    if (!first) {
      first = Use{count, use.where};
    } else if (first->values != count) {
      report_.error(
          use.where,
          fmt::format("channel '{}' is used with {} here, and with {} in line {}", channel.name,
                      values(count), values(first->values), report_.line(first->where)));
    }
  }

  struct Use {
    std::size_t values;
    SourceRange where;
  };

  const syntax::System& system_;
  Program& program_;
  Report& report_;
  Names names_;
  std::vector<const syntax::Process*> order_;  // the property process last
  const syntax::Process* property_ = nullptr;
  std::vector<std::optional<Use>> uses_;  // of untyped channels: the first one
};

}  // namespace

void check_system(const syntax::System& system, Program& program, Report& report) {
  Checker(system, program, report).run();
}

Names names_of(const Program& program) {
  Names out;
  const auto add_process = [&](const Process& process, bool property) {
    out.process_numbers.emplace(process.name, static_cast<std::uint32_t>(out.processes.size()));
    ProcessNames names;
    names.name = process.name;
    names.property = property;
    for (std::uint32_t i = 0; i < process.locations.size(); ++i) {
      names.locations.emplace(process.locations[i].name, i);
    }
    out.processes.push_back(std::move(names));
  };
  for (const Process& process : program.processes) add_process(process, false);
  if (program.property) add_process(*program.property, true);
  const auto table = [&](std::uint32_t process) -> NameTable<Symbol>& {
    return process == kGlobal ? out.variables : out.processes[process].variables;
  };
  for (std::uint32_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    table(variable.process).emplace(variable.name, Symbol{.variable = v, .where = variable.where});
  }
  for (const ScalarConstant& constant : program.constants) {
    table(constant.process)
        .emplace(constant.name, Symbol{.scalar_constant = true, .value = constant.value});
  }
  for (std::uint32_t c = 0; c < program.channels.size(); ++c) {
    out.channels.emplace(program.channels[c].name, c);
  }
  return out;
}

}  // namespace comback::dve

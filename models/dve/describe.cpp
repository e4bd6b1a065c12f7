#include "models/dve/describe.h"

#include <fmt/format.h>

#include "models/diagnostic.h"
#include "models/dve/evaluator.h"

namespace comback::dve {

namespace {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// "box?{who, amount}"
std::string sync_text(const Program& program, const Transition& t) {
  std::vector<std::string> values;
  for (const Expr& value : t.sent) values.push_back(one_line(program, value.where));
  for (const Lvalue& target : t.received) values.push_back(one_line(program, target.where));
  const std::string list = joined(values, ", ");
  return fmt::format("{}{}{}", program.channels[t.channel].name,
                     t.sync == SyncKind::kSend ? '!' : '?',
                     values.size() > 1 ? "{" + list + "}" : list);
}

const char* type_words(Type type) {
  return type == Type::kByte ? "a byte (0 to 255)" : "an int (-32768 to 32767)";
}

// Who is to blame, as far as the event tells.
std::string actor(const Program& program, Event event) {
  if (event >= program.events.size()) return {};
  const StaticEvent& e = program.events[event];
  const auto side = [&](std::uint32_t process, std::uint32_t number) {
    const Process& p = program.processes[process];
    const Transition& t = p.transitions[number];
    return fmt::format("{} from {} to {} (line {})", p.name, p.locations[t.source].name,
                       p.locations[t.target].name, t.line);
  };
  std::string out = fmt::format(", in the step of {}", side(e.process, e.transition));
  if (e.sender != kGlobal) out += fmt::format(" with {}", side(e.sender, e.sender_transition));
  return out;
}

std::string fault_message(const Program& program, const Site& site, std::int64_t value) {
  switch (site.kind) {
    case Site::Kind::kIndex: {
      const Variable& variable = program.variables[site.variable];
      return fmt::format("index {} is outside {}[{}], whose elements are 0 to {}", value,
                         variable.name, variable.length,
                         static_cast<std::int64_t>(variable.length) - 1);
    }
    case Site::Kind::kDivision:
      return fmt::format("{} is divided by zero", value);
    case Site::Kind::kStore:
      break;
  }
  if (site.variable == kGlobal) {
    return fmt::format("{} does not fit into the channel's item, {}", value, type_words(site.type));
  }
  return fmt::format("{} does not fit into {}, {}", value, program.variables[site.variable].name,
                     type_words(program.variables[site.variable].type));
}

}  // namespace

std::string one_line(const Program& program, SourceRange range) {
  const std::string_view text = program.text(range);
  std::string out;
  const auto space = [&] {
    if (!out.empty() && out.back() != ' ') out += ' ';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      space();
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      space();
    } else if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r' ||
               text[i] == '\\') {
      space();
    } else {
      out += text[i];
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string describe(const Program& program, const Transition& t) {
  const Process& process = program.processes[t.process];
  std::vector<std::string> parts;
  if (t.guard) parts.push_back("guard " + one_line(program, t.guard->where));
  if (t.sync != SyncKind::kNone) parts.push_back("sync " + sync_text(program, t));
  if (!t.effects.empty()) {
    std::vector<std::string> effects;
    for (const Assignment& assignment : t.effects) {
      effects.push_back(one_line(program, assignment.where));
    }
    parts.push_back("effect " + joined(effects, ", "));
  }
  const std::string body = parts.empty() ? "{}" : "{ " + joined(parts, "; ") + " }";
  return fmt::format("{} line {}: {} -> {} {}", process.name, t.line,
                     process.locations[t.source].name, process.locations[t.target].name, body);
}

std::string describe(const Program& program, const StaticEvent& event, const std::byte* state) {
  const Transition& t = program.processes[event.process].transitions[event.transition];
  std::string out = describe(program, t);
  const Transition* sender = nullptr;
  if (event.sender != kGlobal) {
    sender = &program.processes[event.sender].transitions[event.sender_transition];
    out += " with " + describe(program, *sender);
  } else if (t.sync == SyncKind::kSend) {
    sender = &t;
  }
  if (state == nullptr || sender == nullptr || sender->sent.empty()) return out;
  std::vector<std::string> values;
  for (const Expr& expr : sender->sent) {
    Evaluator evaluator;
    const auto value = evaluator.evaluate(evaluator.add(program, expr), state);
    values.push_back(value ? std::to_string(*value) : "?");
  }
  return out +
         fmt::format(", {} passes {}", program.channels[t.channel].name, joined(values, ", "));
}

std::string describe(const Program& program, const Fault& fault) {
  if (fault.site >= program.sites.size()) return program.file + ": error: a range error";
  const Site& site = program.sites[fault.site];
  const auto [line, column] = program.line_and_column(site.where.begin);
  const std::size_t start = site.where.begin - (column - 1);
  const std::size_t end =
      std::min(program.source.find_first_of("\r\n", start), program.source.size());
  Diagnostic diagnostic{
      .file = program.file,
      .line = line,
      .column = column,
      .source_line = program.source.substr(start, end - start),
      .message = fault_message(program, site, fault.value) + actor(program, fault.event),
      .hint = site.kind == Site::Kind::kStore
                  ? "--range-errors wrap lets stored values wrap; error-state and terminal go on "
                    "from an error state"
                  : "--range-errors error-state or terminal goes on from an error state"};
  std::string out = to_string(diagnostic);
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string describe(const Program& program, const Assertion& assertion) {
  const Process& process = program.processes[assertion.process];
  return fmt::format("{}:{}: {}, for {} at {}", program.file,
                     program.line_and_column(assertion.where.begin)[0],
                     one_line(program, assertion.condition.where), process.name,
                     process.locations[assertion.location].name);
}

}  // namespace comback::dve

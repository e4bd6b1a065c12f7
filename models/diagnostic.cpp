#include "models/diagnostic.h"

#include <fmt/format.h>

namespace comback {

std::string to_string(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line != 0) out += fmt::format(":{}:{}", d.line, d.column);
  out += fmt::format(": error: {}\n", d.message);
  if (d.line != 0) {
    const std::string number = std::to_string(d.line);
    out += fmt::format(" {} | {}\n", number, d.source_line);
    // Tabs stay tabs, so that the caret stands below its column however wide the terminal shows
    // them.
    std::string pad;
    for (std::size_t i = 0; i + 1 < d.column; ++i) {
      pad += i < d.source_line.size() && d.source_line[i] == '\t' ? '\t' : ' ';
    }
    out += fmt::format(" {} | {}^\n", std::string(number.size(), ' '), pad);
  }
  if (!d.hint.empty()) out += fmt::format("  hint: {}\n", d.hint);
  return out;
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += to_string(d);
  return out;
}

}  // namespace comback

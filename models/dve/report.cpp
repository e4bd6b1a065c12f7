#include "models/dve/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace comback::dve {

LineIndex::LineIndex(std::string_view text) : begins_{0} {
  for (std::size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1)) {
    begins_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::uint32_t LineIndex::line(std::uint32_t offset) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
  return static_cast<std::uint32_t>(after - begins_.begin());
}

Report::Report(std::string file, std::string_view text)
    : file_(std::move(file)), text_(text), lines_(text) {}

void Report::error(SourceRange where, std::string message, std::string hint) {
  if (full()) return;
  const std::uint32_t line = lines_.line(where.begin);
  const std::uint32_t begin = lines_.begin(line);
  const std::uint32_t column = where.begin - begin + 1;
  for (const Diagnostic& d : diagnostics_) {
    if (d.line == line && d.column == column) return;
  }
  std::string source_line(text_.substr(begin, text_.find('\n', begin) - begin));
  if (!source_line.empty() && source_line.back() == '\r') source_line.pop_back();
  // A message goes to a terminal. One byte stays one byte, for the caret's sake.
  for (char& c : source_line) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  }
  diagnostics_.push_back({.file = file_,
                          .line = line,
                          .column = column,
                          .source_line = std::move(source_line),
                          .message = std::move(message),
                          .hint = std::move(hint)});
}

Diagnostics Report::take() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::tie(a.line, a.column) < std::tie(b.line, b.column);
                   });
  return std::move(diagnostics_);
}

}  // namespace comback::dve

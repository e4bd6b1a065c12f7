#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace comback::tools {

// One record as RFC 4180 has it, but with a plain newline: cells with commas, quotes or line breaks
// are quoted.
inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    const std::string& cell = cells[i];
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += '\n';
  return line;
}

}  // namespace comback::tools

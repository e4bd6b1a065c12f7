#pragma once

#include <string>
#include <string_view>

namespace comback::tools {

// Inside a quoted string of the DOT language; newlines become left-justified lines.
inline std::string dot_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '\n') {
      escaped += "\\l";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace comback::tools

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace comback {

// One thing wrong with a text that a person wrote: a model or a predicate.
struct Diagnostic {
  std::string file{};         // as the user named it; "<predicate>" for an option's text
  std::uint32_t line = 0;     // from 1; 0 where no place in the text is to blame
  std::uint32_t column = 0;   // from 1, in bytes
  std::string source_line{};  // without its newline
  std::string message{};      // what is wrong and what was expected
  std::string hint{};         // what to do about it; may be empty
};

using Diagnostics = std::vector<Diagnostic>;

// "FILE:LINE:COL: error: MESSAGE", the source line with a caret below it, and the hint.
std::string to_string(const Diagnostic& diagnostic);
std::string to_string(const Diagnostics& diagnostics);

}  // namespace comback

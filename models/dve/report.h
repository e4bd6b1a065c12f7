#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/diagnostic.h"
#include "models/dve/program.h"

namespace comback::dve {

// Where the lines of a text begin.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  std::uint32_t line(std::uint32_t offset) const;  // from 1
  std::uint32_t begin(std::uint32_t line) const { return begins_[line - 1]; }

 private:
  std::vector<std::uint32_t> begins_;
};

// What is wrong with one text, as it is found.
class Report {
 public:
  // More than a person reads; the rest is usually a consequence of the first.
  static constexpr std::size_t kMaxErrors = 20;

  // REQUIRES: `text` outlives the report.
  Report(std::string file, std::string_view text);

  // At most one error is kept per place: the first one found there.
  void error(SourceRange where, std::string message, std::string hint = {});

  bool failed() const { return !diagnostics_.empty(); }
  bool full() const { return diagnostics_.size() >= kMaxErrors; }
  std::uint32_t line(SourceRange where) const { return lines_.line(where.begin); }
  std::string_view text() const { return text_; }

  Diagnostics take();  // in the order of the text

 private:
  std::string file_;
  std::string_view text_;
  LineIndex lines_;
  Diagnostics diagnostics_;
};

}  // namespace comback::dve

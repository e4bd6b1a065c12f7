#pragma once

#include <string>
#include <vector>

namespace comback::tools {

// Lines of aligned columns. Numbers and percentages stand to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  // Each line indented by two; no blanks at the ends of lines.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace comback::tools

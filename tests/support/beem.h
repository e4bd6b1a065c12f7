#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace comback::test {

// An instance of BEEM, with what is published of it in expected.csv.
struct BeemInstance {
  std::string name;
  std::uint64_t states = 0;
  // Empty: not published.
  std::optional<std::uint64_t> transitions;
  std::optional<std::uint64_t> deadlocks;
  std::optional<std::uint64_t> levels;
  std::string range_errors;  // what --range-errors has to be; empty: nothing

  // As part of the name of a test case.
  std::string identifier() const {
    std::string id = name;
    for (char& c : id) {
      if (c == '.' || c == '-') c = '_';
    }
    return id;
  }
};
inline std::ostream& operator<<(std::ostream& out, const BeemInstance& i) { return out << i.name; }

// The instances with `from` to `to` states, the latter not included. None where the models, which
// are not part of the project, are absent.
inline std::vector<BeemInstance> beem_instances(std::uint64_t from, std::uint64_t to) {
  std::vector<BeemInstance> found;
  std::ifstream in(beem_dir() / "expected.csv");
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string cells[6];
    for (std::string& cell : cells) std::getline(fields, cell, ',');
    if (cells[1].empty()) continue;
    const auto number = [](const std::string& text) -> std::optional<std::uint64_t> {
      if (text.empty()) return std::nullopt;
      return std::stoull(text);
    };
    BeemInstance instance{cells[0],         *number(cells[1]), number(cells[2]),
                          number(cells[3]), number(cells[4]),  cells[5]};
    if (instance.states >= from && instance.states < to) found.push_back(std::move(instance));
  }
  return found;
}

}  // namespace comback::test

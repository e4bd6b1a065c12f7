#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/dve/program.h"

namespace comback::dve {

// What a name of a variable or constant stands for.
struct Symbol {
  bool scalar_constant = false;
  std::int64_t value = 0;      // of a scalar constant
  std::uint32_t variable = 0;  // otherwise: a number of Program::variables
  SourceRange where{};
};

template <class T>
using NameTable = std::map<std::string, T, std::less<>>;

struct ProcessNames {
  std::string name;
  bool property = false;
  NameTable<Symbol> variables;
  NameTable<std::uint32_t> locations;
};

// The name spaces of a model: variables share one with constants; locations, channels and
// processes have their own.
struct Names {
  NameTable<Symbol> variables;  // global ones
  NameTable<std::uint32_t> channels;
  NameTable<std::uint32_t> process_numbers;
  std::vector<ProcessNames> processes;  // the property process last

  // A variable as seen from inside `process`, or kGlobal: local ones first.
  const Symbol* find_variable(std::uint32_t process, std::string_view name) const;
  std::vector<std::string_view> visible_variables(std::uint32_t process) const;
  std::optional<std::uint32_t> find_process(std::string_view name) const;
};

template <class T>
std::vector<std::string_view> names_in(const NameTable<T>& table) {
  std::vector<std::string_view> out;
  for (const auto& [name, value] : table) out.push_back(name);
  return out;
}

// "did you mean 'X'?" for the candidate nearest to `name`, or nothing where none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace comback::dve

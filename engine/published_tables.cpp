#include "engine/published_tables.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <string_view>

namespace comback {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = line.find(',', start);
    cells.push_back(line.substr(start, comma == std::string::npos ? comma : comma - start));
    if (comma == std::string::npos) return cells;
    start = comma + 1;
  }
}

// One line of a table, its cells by the names of their columns.
class Row {
 public:
  Row(const std::vector<std::string>& names, const std::vector<std::string>& cells)
      : names_(names), cells_(cells) {}

  std::string text(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return cells_[i];
    }
    return {};
  }
  // Empty where there is no such column, or no number in it.
  std::optional<double> number(std::string_view name) const { return to_number(text(name)); }
  std::uint64_t count(std::string_view name) const {
    return static_cast<std::uint64_t>(number(name).value_or(0));
  }
  // Calls visit(name, number) for each column after `name`.
  void numbers_after(std::string_view name,
                     const std::function<void(const std::string&, double)>& visit) const {
    std::size_t i = 0;
    while (i < names_.size() && names_[i] != name) ++i;
    for (++i; i < names_.size(); ++i) {
      if (const auto value = to_number(cells_[i])) visit(names_[i], *value);
    }
  }

 private:
  static std::optional<double> to_number(const std::string& cell) {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size()) return {};
    return value;
  }
  const std::vector<std::string>& names_;
  const std::vector<std::string>& cells_;
};

// Calls visit for each line below the header; nothing where the file does not exist.
Status read_table(const std::filesystem::path& file, std::string_view first_column,
                  const std::function<void(const Row&)>& visit) {
  if (!std::filesystem::exists(file)) return Done{};
  std::ifstream in(file);
  std::string line;
  const auto next = [&] {
    if (!std::getline(in, line)) return false;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  };
  if (!next()) return Error{Errc::kIo, fmt::format("read {}: it is empty", file.string())};
  const std::vector<std::string> names = split(line);
  if (names[0] != first_column) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the first column must be '{}', not '{}'",
                                                     file.string(), first_column, names[0])};
  }
  for (std::size_t number = 2; next(); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = split(line);
    if (cells.size() != names.size()) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}:{}: {} cells below {} columns", file.string(), number,
                               cells.size(), names.size())};
    }
    visit(Row(names, cells));
  }
  return Done{};
}

// "F20H80", "F20-H80", "D" -> as CacheSpec writes it.
std::string strategy_name(const std::string& name) {
  if (name == "D") return "D:5";
  if (name == "R") return "R:0.5";
  if (name.size() > 1 && name[0] == 'F' && name.find('-') == std::string::npos) {
    const std::size_t second = name.find_first_of("HD");
    if (second != std::string::npos) {
      return fmt::format("{}-{}", name.substr(0, second), name.substr(second));
    }
  }
  return name;
}

}  // namespace

Result<PublishedTables> read_published_tables(const std::filesystem::path& directory) {
  PublishedTables tables;
  Status status = read_table(directory / "table6.csv", "instance", [&](const Row& row) {
    const std::string instance = row.text("instance");
    tables.sizes[instance] = {row.count("states"), row.count("transitions")};
    PublishedTables::Caching caching;
    caching.fraction = row.number("cache_fraction").value_or(0);
    caching.events_of_r_text = row.text("R_events_text");
    caching.events_of_r = row.number("R_events").value_or(0);
    row.numbers_after("R_events", [&](const std::string& name, double value) {
      caching.ratios[strategy_name(name)] = value;
    });
    tables.table6[instance].push_back(std::move(caching));
  });
  if (!status) return status.error();

  status = read_table(directory / "table7.csv", "instance", [&](const Row& row) {
    const std::string instance = row.text("instance");
    tables.sizes[instance] = {row.count("states"), row.count("transitions")};
    PublishedTables::Delaying delaying;
    delaying.strategy = strategy_name(row.text("strategy"));
    row.numbers_after("strategy", [&](const std::string& name, double value) {
      // "T_noDDD", "E_DDD0.1"
      if (name.size() < 3 || name[1] != '_') return;
      double size = 0;
      const std::string rest = name.substr(2);
      if (rest.starts_with("DDD")) {
        const std::string digits = rest.substr(3);
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
      } else if (rest != "noDDD") {
        return;
      }
      (name[0] == 'T' ? delaying.time : delaying.events)[size] = value;
    });
    tables.table7[instance].push_back(std::move(delaying));
  });
  if (!status) return status.error();

  status = read_table(directory / "table5.csv", "descriptors", [&](const Row& row) {
    tables.table5.push_back({row.count("descriptors"), strategy_name(row.text("strategy")),
                             row.number("cache").value_or(0), row.number("candidates").value_or(0),
                             row.number("queue").value_or(0), row.number("E").value_or(0)});
  });
  if (!status) return status.error();
  return tables;
}

}  // namespace comback

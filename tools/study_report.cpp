#include "tools/study_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "tools/json_text.h"
#include "tools/output.h"
#include "tools/quantity.h"
#include "tools/svg_plot.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

std::string cell_text(const StudyTable::Cell& cell) {
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return format_count(*count);
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{:.3f}", *value);
  return std::get<std::string>(cell);
}

std::string cell_csv(const StudyTable::Cell& cell) {
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return std::to_string(*count);
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{:.10g}", *value);
  const auto& text = std::get<std::string>(cell);
  return text.find_first_of(",\"\n") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

}  // namespace

std::string study_text(const Study& study) {
  std::string text;
  for (const StudyTable& table : study.tables) {
    if (table.rows.empty()) continue;
    Table lines(table.columns);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const StudyTable::Cell& cell : row) cells.push_back(cell_text(cell));
      lines.add(std::move(cells));
    }
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", table.title, lines.text());
  }
  return text;
}

std::string study_csv(const Study& study) {
  std::string text;
  for (const StudyTable& table : study.tables) {
    if (!text.empty()) text += "\n";
    text += "table";
    for (const std::string& column : table.columns) text += "," + cell_csv(column);
    text += "\n";
    for (const auto& row : table.rows) {
      text += table.name;
      for (const StudyTable::Cell& cell : row) text += "," + cell_csv(cell);
      text += "\n";
    }
  }
  return text;
}

std::string study_json(const std::string& experiment, const Study& study) {
  nlohmann::ordered_json json;
  json["experiment"] = experiment;
  json["tables"] = nlohmann::ordered_json::object();
  for (const StudyTable& table : study.tables) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      nlohmann::ordered_json object;
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::visit([&](const auto& value) { object[table.columns[i]] = value; }, row[i]);
      }
      rows.push_back(std::move(object));
    }
    json["tables"][table.name] = {{"title", table.title}, {"rows", std::move(rows)}};
  }
  return json_text(json);
}

Result<std::size_t> write_plots(const Study& study, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Error{Errc::kIo, fmt::format("--plots: make {}: {}", folder.string(), error.message())};
  }
  for (const StudyPlot& plot : study.plots) {
    SvgPlot svg;
    svg.title = plot.title;
    svg.x_label = plot.x_label;
    svg.y_label = plot.y_label;
    svg.log_x = plot.log_x;
    svg.log_y = plot.log_y;
    for (const StudyPlot::Curve& curve : plot.curves) {
      SvgPlot::Series series{.name = curve.name, .points = {}, .dashed = curve.dashed};
      for (const StudyPlot::Point& point : curve.points) {
        series.points.push_back({point.x, point.y, point.low, point.high});
      }
      svg.series.push_back(std::move(series));
    }
    const ResultFile file(folder / (plot.name + ".svg"));
    if (Status status = file.write(svg.text()); !status) return status.error();
  }
  return study.plots.size();
}

}  // namespace comback::tools

#include "tools/info_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "engine/covering_set.h"
#include "tools/json_text.h"
#include "tools/storing_report.h"

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback info models/samples/msi_bus.dve
  comback info models/samples/msi_bus.dve --events
  comback info models/samples/msi_bus.dve --covering
  comback info models/samples/msi_bus.dve --json)";

}  // namespace

CLI::App* InfoCommand::add_to(CLI::App& root) {
  CLI::App* command =
      root.add_subcommand("info", "Show what a model is made of, without exploring it");
  command->footer(kExamples);
  model_.add_file_to(*command);
  command->add_flag("--events", parts_.events, "List every event: process, line, action");
  command->add_flag("--control-graph", parts_.control_graph,
                    "List every process's locations and transitions");
  command->add_flag("--covering", covering_,
                    "List transitions of which every cycle has one, which store:cover and "
                    "store:combination use, and what each heuristic found");
  command->add_flag("--json", json_, "Write all of it as JSON");
  return command;
}

Status InfoCommand::check() const {
  if (model_.file.empty()) return Error{Errc::kInvalidArgument, "a MODEL is needed"};
  return Done{};
}

ExitCode InfoCommand::run(StandardOutput& out) {
  ModelOptions options = model_;
  options.dve.backend = dve::Backend::kInterpreted;  // nothing is executed
  options.dve.ignore_property = true;                // it is only looked at
  const auto loaded = load_model(options, {});
  if (const auto* problems = std::get_if<Diagnostics>(&loaded)) {
    complain(to_string(*problems));
    return ExitCode::kUsage;
  }
  const Model& model = *std::get<std::unique_ptr<Model>>(loaded);
  const std::string name = std::filesystem::path(options.file).filename().string();
  std::optional<CoveringSet> covering;
  if (covering_) {
    Result<CoveringSet> found = find_covering_set(model);
    if (!found) {
      complain(fmt::format("comback: {}\n", found.error().what));
      return ExitCode::kUsage;
    }
    covering = std::move(*found);
  }
  if (json_) {
    nlohmann::ordered_json json = info_json(model, name);
    if (covering) json["covering_set"] = covering_set_json(model, *covering);
    out.write(json_text(json));
  } else {
    out.write(info_text(model, name, parts_));
    if (covering) out.write("\n" + covering_set_report(model, *covering));
  }
  return ExitCode::kComplete;
}

}  // namespace comback::tools

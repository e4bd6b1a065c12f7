#include "tools/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "tools/names.h"
#include "tools/suggestion.h"

namespace comback::tools {
namespace {

std::vector<std::string> without_dashes(const std::vector<std::string>& options) {
  std::vector<std::string> names;
  for (const std::string& option : options) {
    if (option != "--help" && option != "--config") names.push_back(option.substr(2));
  }
  return names;
}

}  // namespace

Status apply_config(CLI::App& command, const std::string& file) {
  std::error_code ignored;
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file, ignored)) {
    return Error{Errc::kNotFound, fmt::format("--config: cannot read {}", file)};
  }

  const std::vector<std::string> names = without_dashes(option_names(command));
  std::set<std::string> seen;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(in)) {
    if (item.name == "++" || item.name == "--") continue;  // a section opens or closes
    const std::string section = item.parents.empty() ? "" : item.parents.front();
    if (!section.empty() && section != command.get_name()) {
      const std::vector<std::string> commands = command_names(*command.get_parent());
      if (std::find(commands.begin(), commands.end(), section) != commands.end()) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("--config: {}: there is no command [{}]", file, section)};
    }
    std::string name = item.name;
    std::replace(name.begin(), name.end(), '_', '-');
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return Error{Errc::kInvalidArgument, fmt::format("--config: {}: unknown option '{}'{}", file,
                                                       item.name, did_you_mean(name, names))};
    }
    CLI::Option* option = command.get_option("--" + name);
    if (option->count() > 0 && seen.count(name) == 0) continue;  // the command line wins
    seen.insert(name);
    if (option->get_expected_min() == 0) {  // a flag: true or false
      option->add_result(option->get_flag_value(name, CLI::ConfigTOML().to_flag(item)));
    } else {
      for (const std::string& value : item.inputs) option->add_result(value);
    }
    option->run_callback();
  }
  return Done{};
}

}  // namespace comback::tools

#include "tools/help_formatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace comback::tools {
namespace {

constexpr std::size_t kColumns = 96;
constexpr std::size_t kTextColumn = 32;            // where descriptions start
constexpr std::string_view kOwnGroup = "Options";  // CLI11's, for what has no other

// "  name          text text text", the text in lines below each other.
std::string entry(const std::string& name, const std::string& text) {
  std::string result = fmt::format("  {}", name);
  if (result.size() + 2 > kTextColumn) result += "\n";
  std::size_t column = result.back() == '\n' ? 0 : result.size();
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::size_t length = end - start;
    if (column > kTextColumn && column + 1 + length > kColumns) {
      result += "\n";
      column = 0;
    }
    if (column < kTextColumn) {
      result.append(kTextColumn - column, ' ');
      column = kTextColumn;
    } else {
      result += ' ';
      ++column;
    }
    result.append(text, start, length);
    column += length;
    start = end + 1;
  }
  return result + "\n";
}

std::string option_entry(const CLI::Option& option) {
  std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  if (!option.get_option_text().empty()) name += " " + option.get_option_text();
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) {
    text += fmt::format(" (default: {})", option.get_default_str());
  }
  return entry(name, text);
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  std::string usage;
  for (const CLI::App* a = app; a != nullptr; a = a->get_parent()) {
    usage = usage.empty() ? a->get_name() : a->get_name() + " " + usage;
  }
  const auto positionals =
      app->get_options([](const CLI::Option* o) { return o->get_positional(); });
  for (const CLI::Option* positional : positionals) usage += " " + positional->get_name(true);
  const auto commands = app->get_subcommands({});
  if (!commands.empty()) usage += " COMMAND";

  std::string text = fmt::format("{}\n\nUsage: {} [options]\n", app->get_description(), usage);
  if (!positionals.empty()) text += "\n";
  for (const CLI::Option* positional : positionals) text += option_entry(*positional);
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* command : commands) {
    text += entry(command->get_name(), command->get_description());
  }

  std::vector<std::string> groups = app->get_groups();
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != kOwnGroup; });
  for (const std::string& group : groups) {
    const auto options = app->get_options([&](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (options.empty()) continue;
    text += fmt::format("\n{}:\n", group == kOwnGroup && groups.size() > 1 ? "Other" : group);
    for (const CLI::Option* option : options) text += option_entry(*option);
  }
  if (!app->get_footer().empty()) text += fmt::format("\n{}\n", app->get_footer());
  return text;
}

}  // namespace comback::tools

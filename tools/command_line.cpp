#include "tools/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "tools/compare_command.h"
#include "tools/config_file.h"
#include "tools/experiment_command.h"
#include "tools/explore_command.h"
#include "tools/export_command.h"
#include "tools/help_formatter.h"
#include "tools/info_command.h"
#include "tools/names.h"
#include "tools/query_command.h"
#include "tools/report_command.h"
#include "tools/status_command.h"
#include "tools/suggestion.h"
#include "tools/trace_command.h"
#include "tools/tree_command.h"
#include "tools/verify_command.h"

#ifndef COMBACK_VERSION
#error "COMBACK_VERSION comes from CMakeLists.txt"
#endif

namespace comback::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  comback explore models/samples/peterson_filter.dve
  comback explore models/samples/bank_transfer_bug.dve --json summary.json
  comback info models/samples/msi_bus.dve

comback COMMAND --help tells more about each command.)";

struct Entry {
  std::unique_ptr<Command> command;
  CLI::App* app = nullptr;
  std::string config{};
};

ExitCode refuse(const std::string& message, const std::string& command) {
  complain(fmt::format("comback: {}\nTry 'comback {}--help'.\n", message,
                       command.empty() ? "" : command + " "));
  return ExitCode::kUsage;
}

// CLI11's sentences for values that are missing or too many, in better words.
std::string in_our_words(const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::string option = what.substr(0, what.find(':'));
  if (error.get_name() != "ArgumentMismatch") return what;
  if (what.find("missing") != std::string::npos) return option + " needs a value";
  return option + " is given more than once";
}

// What is wrong with arguments that no option took; empty where there are none.
std::string complaint_about(const std::vector<std::string>& extras, const CLI::App& command) {
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra[0] != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    return fmt::format("unknown option {}{}", name, did_you_mean(name, option_names(command)));
  }
  return extras.empty() ? "" : fmt::format("unexpected argument '{}'", extras.front());
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv, StandardOutput& out) {
  CLI::App root("Explores the reachable states of a model, all of them and exactly.", "comback");
  root.formatter(std::make_shared<HelpFormatter>());
  root.footer(kExamples);
  root.set_version_flag("--version", "comback " COMBACK_VERSION);
  root.allow_extras();

  std::vector<Entry> entries;
  entries.push_back({.command = std::make_unique<ExploreCommand>(ExploreCommand::Kind::kExplore)});
  entries.push_back({.command = std::make_unique<ExploreCommand>(ExploreCommand::Kind::kResume)});
  entries.push_back({.command = std::make_unique<StatusCommand>()});
  entries.push_back({.command = std::make_unique<InfoCommand>()});
  entries.push_back({.command = std::make_unique<TraceCommand>()});
  entries.push_back({.command = std::make_unique<QueryCommand>()});
  entries.push_back({.command = std::make_unique<TreeCommand>()});
  entries.push_back({.command = std::make_unique<ReportCommand>()});
  entries.push_back({.command = std::make_unique<ExportCommand>()});
  entries.push_back({.command = std::make_unique<VerifyCommand>()});
  entries.push_back({.command = std::make_unique<CompareCommand>()});
  entries.push_back({.command = std::make_unique<ExperimentCommand>()});
  for (Entry& entry : entries) {
    entry.app = entry.command->add_to(root);
    entry.app->allow_extras();
    entry.app
        ->add_option("--config", entry.config, "Read options from a TOML file: memory = \"2G\"")
        ->option_text("FILE");
  }

  std::string current;
  try {
    root.parse(argc, argv);
    for (Entry& entry : entries) {
      if (!entry.app->parsed()) continue;
      current = entry.app->get_name();
      if (const std::string what = complaint_about(entry.app->remaining(), *entry.app);
          !what.empty()) {
        return refuse(what, current);
      }
      if (!entry.config.empty()) {
        if (const Status status = apply_config(*entry.app, entry.config); !status) {
          return refuse(status.error().what, current);
        }
      }
      if (const Status status = entry.command->check(); !status) {
        return refuse(status.error().what, current);
      }
      return entry.command->run(out);
    }
  } catch (const CLI::CallForVersion& version) {
    out.write(fmt::format("{}\n", version.what()));
    return ExitCode::kComplete;
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> parsed = root.get_subcommands();
    out.write(parsed.empty() ? root.help() : parsed.front()->help());
    return ExitCode::kComplete;
  } catch (const CLI::ParseError& error) {
    for (const Entry& entry : entries) {
      if (entry.app->parsed()) current = entry.app->get_name();
    }
    return refuse(in_our_words(error), current);
  }

  const std::vector<std::string> extras = root.remaining();
  if (extras.empty()) {
    complain(root.help());
    return ExitCode::kUsage;
  }
  if (extras.front()[0] == '-') return refuse(complaint_about(extras, root), "");
  return refuse(fmt::format("unknown command '{}'{}", extras.front(),
                            did_you_mean(extras.front(), command_names(root))),
                "");
}

}  // namespace comback::tools

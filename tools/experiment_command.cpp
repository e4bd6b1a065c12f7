#include "tools/experiment_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "tools/json_text.h"
#include "tools/machine.h"
#include "tools/option_types.h"
#include "tools/quantity.h"
#include "tools/signals.h"
#include "tools/study_report.h"
#include "tools/suggestion.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  comback experiment table7 --models beem --max-states 3M
  comback experiment table6 --models beem --instances anderson.4,at.1 --published papers/tables
  comback experiment table4 --models beem --max-states 1M --format csv > table4.csv
  comback experiment omission --plots plots

The published figures are the authors' and do not come with comback: table7.csv, table6.csv,
table5.csv, in a folder 'tables' in or beside that of the models, or where --published says. Without
them the measured figures stand alone. A figure that differs from the published one by more than its
precision and the method's freedom allow is marked with '!'.)";

constexpr const char* kTableFiles[] = {"table7.csv", "table6.csv", "table5.csv"};

// What the paper shows of Table 7 in Table 3; its coloured Petri nets are not public.
const std::vector<std::string> kTable3 = {"brp.4",           "brp2.6",    "cambridge.7",
                                          "firewire_link.5", "needham.4", "synapse.7"};

// "anderson.10" after "anderson.9".
bool natural_less(const std::string& a, const std::string& b) {
  const std::size_t i = a.rfind('.');
  const std::size_t j = b.rfind('.');
  if (i == std::string::npos || j == std::string::npos || a.compare(0, i, b, 0, j) != 0) {
    return a < b;
  }
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Keeps rows, and tells on standard error what is going on.
class Collector : public ExperimentSink {
 public:
  void row(const ExperimentRow& row) override { rows.push_back(row); }
  void note(const std::string& text) override { complain(text + "\n"); }
  void conclude() {
    const auto compared = std::count_if(rows.begin(), rows.end(), [](const ExperimentRow& row) {
      return row.agreement && row.quantity != "T-up";
    });
    if (compared == 0) return;
    const auto differ = std::count_if(rows.begin(), rows.end(),
                                      [](const ExperimentRow& row) { return row.differs; });
    note(fmt::format("{} figures stand beside published ones, {} of them differ{}", compared,
                     differ, differ == 0 ? "" : ", marked '!' (docs/papers.md explains)"));
  }
  std::vector<ExperimentRow> rows;
};

std::string figure(const std::optional<double>& value) {
  if (!value) return "";
  return *value >= 1000 ? format_count(static_cast<std::uint64_t>(*value + 0.5))
                        : fmt::format("{:.3f}", *value);
}

nlohmann::ordered_json json_figure(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string csv_figure(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

}  // namespace

CLI::App* ExperimentCommand::add_to(CLI::App& root) {
  default_memory_ = granted_memory() / 4;
  CLI::App* command = root.add_subcommand(
      "experiment",
      "Reproduce a table of the papers, beside the published figures if there are any");
  command->footer(kExamples);
  command->add_option("TABLE", table_,
                      fmt::format("table2, table3, table4, table5, table6 or table7 of the ComBack "
                                  "papers, or one of {}",
                                  study_names()));
  command
      ->add_option("--models", models_,
                   "The folder with the models, *.dve; omission has one of its own")
      ->option_text("DIR");
  of_tables_.push_back(
      command
          ->add_option("--published", published_,
                       "The folder with the published figures: table7.csv, table6.csv, table5.csv; "
                       "default: 'tables' in or beside the folder of the models")
          ->option_text("DIR"));
  command
      ->add_option(
          "--instances", instances_,
          "These models, by name: anderson.4,at.1, or all; default: those of the published "
          "table, or all where there is none")
      ->delimiter(',')
      ->option_text("NAME,...");
  add_count(*command, "--max-states", max_states_, "Leave out models with more states");
  of_tables_.push_back(add_number(*command, "--seeds", seeds_, 1, 1000,
                                  "Runs of a random cache, which are averaged; default 5"));
  of_studies_.push_back(add_number(
      *command, "--seed", seed_, 0, 1'000'000,
      "Of studies: of whatever is random; default 1. A seed always gives the same figures"));
  of_omission_.push_back(add_number(*command, "--runs", runs_, 1, 100'000,
                                    "Of omission: runs for each point; default 100"));
  of_omission_.push_back(add_number(*command, "--probes", probes_, 1, 1000,
                                    "Of omission: slots that are tried for a state; default 3"));
  of_studies_.push_back(
      command->add_option("--plots", plots_, "Of studies: write plots as SVG files into DIR")
          ->option_text("DIR"));
  add_size(*command, "--memory", memory_,
           fmt::format("The budget of each search; default: a quarter of what the machine grants, "
                       "here {}",
                       format_size(default_memory_)));
  of_tables_.push_back(add_choice<bool>(
      *command, "--event-order", {{"authors", true}, {"ours", false}}, authors_order_,
      "The order of events where they are counted: with authors, rendezvous come last "
      "and by sender, as in the tool that was measured. Times are always told of ours"));
  of_tables_.push_back(
      add_number(*command, "--hash-bits", hash_bits_, 8, 64,
                 "Bits of a hash; default 64, with which no two states had the same"));
  model_.add_execution_to(*command);
  add_choice<Format>(*command, "--format",
                     {{"table", Format::kTable}, {"csv", Format::kCsv}, {"json", Format::kJson}},
                     format_, "How the result is written to standard output");
  return command;
}

const std::vector<ExperimentCommand::StudyKind>& ExperimentCommand::studies() {
  static const std::vector<StudyKind> kStudies = {{"caching", run_caching_study, true},
                                                  {"omission", run_omission_study, false},
                                                  {"storing", run_storing_study, true}};
  return kStudies;
}

std::string ExperimentCommand::study_names() {
  std::string names;
  for (const StudyKind& kind : studies())
    names += names.empty() ? kind.name : fmt::format(", {}", kind.name);
  return names;
}

const ExperimentCommand::StudyKind* ExperimentCommand::study() const {
  for (const StudyKind& kind : studies()) {
    if (table_ == kind.name) return &kind;
  }
  return nullptr;
}

// Refuses options that the experiment would not use.
Status ExperimentCommand::check_options() const {
  const auto refuse = [&](const std::vector<CLI::Option*>& options, const char* used_by) -> Status {
    for (const CLI::Option* option : options) {
      if (option->count() == 0) continue;
      return Error{Errc::kInvalidArgument, fmt::format("{} does nothing with {}: it is for {}",
                                                       option->get_name(), table_, used_by)};
    }
    return Done{};
  };
  if (study() != nullptr) {
    if (Status status = refuse(of_tables_, "table2 to table7"); !status) return status;
  } else {
    if (Status status = refuse(of_studies_, study_names().c_str()); !status) return status;
  }
  return table_ == "omission" ? Status(Done{}) : refuse(of_omission_, "omission");
}

Status ExperimentCommand::check() const {
  if (table_.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("a TABLE is needed: table2 to table7, {}", study_names())};
  }
  if (!parse_paper_table(table_) && study() == nullptr) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("TABLE: '{}' is not one of table2, table3, table4, table5, table6, "
                             "table7, {}",
                             table_, study_names())};
  }
  if (Status status = check_options(); !status) return status;
  if (models_.empty() && (study() == nullptr || study()->needs_models)) {
    return Error{Errc::kInvalidArgument, "--models DIR is needed"};
  }
  if (models_.empty() && (!instances_.empty() || max_states_)) {
    return Error{Errc::kInvalidArgument,
                 "--instances and --max-states choose among models: --models DIR is needed"};
  }
  for (const auto& [option, folder] :
       {std::pair{"--models", models_}, std::pair{"--published", published_}}) {
    if (!folder.empty() && !fs::is_directory(folder)) {
      return Error{Errc::kInvalidArgument, fmt::format("{}: {} is not a folder", option, folder)};
    }
  }
  if (models_.empty()) return Done{};
  if (auto planned = plan(); !planned) return planned.error();
  return Done{};
}

std::string ExperimentCommand::published_folder() const {
  if (!published_.empty()) return published_;
  for (const fs::path& folder :
       {fs::path(models_) / "tables", fs::path(models_) / ".." / "tables"}) {
    for (const char* file : kTableFiles) {
      if (fs::exists(folder / file)) return folder.lexically_normal().string();
    }
  }
  return {};
}

Result<std::vector<std::string>> ExperimentCommand::models() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(models_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".dve") names.push_back(it->path().stem().string());
  }
  if (error) {
    return Error{Errc::kIo, fmt::format("--models: read {}: {}", models_, error.message())};
  }
  if (names.empty()) {
    return Error{Errc::kInvalidArgument, fmt::format("--models: there is no *.dve in {}", models_)};
  }
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

bool ExperimentCommand::is_published(const PublishedTables& published,
                                     const std::string& name) const {
  switch (*parse_paper_table(table_)) {
    case PaperTable::kTable2:
    case PaperTable::kTable6:
      return published.table6.count(name) != 0;
    case PaperTable::kTable3:
      return std::find(kTable3.begin(), kTable3.end(), name) != kTable3.end();
    case PaperTable::kTable5:
      return published.sizes.count(name) != 0;
    default:
      return published.table7.count(name) != 0;
  }
}

Result<ExperimentCommand::Plan> ExperimentCommand::plan() const {
  Result<std::vector<std::string>> found = models();
  if (!found) return found.error();
  Plan plan;
  plan.names = *found;

  if (study() != nullptr) {
    // Its figures are of models that are not public.
  } else if (const std::string folder = published_folder(); folder.empty()) {
    plan.notes.push_back(fmt::format(
        "no published figures to compare with: there is no table7.csv, table6.csv or "
        "table5.csv in {0}/tables or {0}/../tables; --published DIR says where they are",
        models_));
  } else {
    Result<PublishedTables> published = read_published_tables(folder);
    if (!published) return published.error();
    plan.published = std::move(*published);
    plan.notes.push_back(fmt::format("published figures: {}", folder));
    if (*parse_paper_table(table_) == PaperTable::kTable5 && plan.published.table5.empty()) {
      plan.notes.push_back(
          fmt::format("{}: there is no table5.csv, so figures of this table stand "
                      "alone",
                      folder));
    }
  }

  if (instances_ == std::vector<std::string>{"all"}) return plan;
  if (!instances_.empty()) {
    for (const std::string& name : instances_) {
      if (std::find(found->begin(), found->end(), name) != found->end()) continue;
      return Error{Errc::kInvalidArgument, fmt::format("--instances: there is no {}.dve in {}{}",
                                                       name, models_, did_you_mean(name, *found))};
    }
    plan.names = instances_;
    return plan;
  }
  if (study() != nullptr) return plan;
  std::vector<std::string> chosen;
  std::copy_if(found->begin(), found->end(), std::back_inserter(chosen),
               [&](const std::string& name) { return is_published(plan.published, name); });
  if (chosen.empty() || chosen.size() == found->size()) return plan;
  plan.notes.push_back(
      fmt::format("{} of {} models are in the published table; --instances all "
                  "takes the others too",
                  chosen.size(), found->size()));
  plan.names = std::move(chosen);
  return plan;
}

ExperimentInstance ExperimentCommand::instance(const std::string& name) const {
  ModelOptions options = model_;
  options.file = (fs::path(models_) / (name + ".dve")).string();
  return {name, [options]() -> Result<std::unique_ptr<Model>> {
            // Times are compared, so native code must be there from the start.
            ModelOptions timed = options;
            if (timed.dve.backend == dve::Backend::kAuto) timed.dve.backend = dve::Backend::kNative;
            auto loaded = load_model(timed, {});
            if (std::holds_alternative<Diagnostics>(loaded) &&
                options.dve.backend == dve::Backend::kAuto) {
              timed.dve.backend = dve::Backend::kInterpreted;
              loaded = load_model(timed, {});
            }
            if (const auto* problems = std::get_if<Diagnostics>(&loaded)) {
              return Error{Errc::kInvalidArgument, to_string(*problems)};
            }
            return std::move(std::get<std::unique_ptr<Model>>(loaded));
          }};
}

ExitCode ExperimentCommand::run_study(StandardOutput& out) {
  StudyOptions options;
  options.max_states = max_states_;
  options.memory_bytes = memory_.value_or(default_memory_);
  options.seed = seed_.value_or(1);
  options.runs = runs_.value_or(options.runs);
  options.probes = probes_.value_or(options.probes);
  options.note = [](const std::string& text) { complain(text + "\n"); };
  if (!models_.empty()) {
    const Result<Plan> planned = plan();
    if (!planned) {
      complain(fmt::format("comback: {}\n", planned.error().what));
      return ExitCode::kUsage;
    }
    for (const std::string& name : planned->names) options.instances.push_back(instance(name));
  }
  Monitor monitor;
  const StopOnSignals signals(monitor, true);
  Study result;
  const Status status = study()->run(options, monitor, result);
  switch (format_) {
    case Format::kTable:
      out.write(study_text(result));
      break;
    case Format::kCsv:
      out.write(study_csv(result));
      break;
    case Format::kJson:
      out.write(study_json(table_, result));
      break;
  }
  if (!plots_.empty()) {
    const Result<std::size_t> count = write_plots(result, plots_);
    if (!count) {
      complain(fmt::format("comback: {}\n", count.error().what));
      return ExitCode::kFailure;
    }
    options.note(fmt::format("{} plots in {}", *count, plots_));
  }
  if (!status) {
    complain(fmt::format("comback: {}\n", status.error().what));
    return status.error().code == Errc::kOutOfMemory ? ExitCode::kUsage : ExitCode::kFailure;
  }
  return monitor.stop_requested() ? ExitCode::kIncomplete : ExitCode::kComplete;
}

ExitCode ExperimentCommand::run(StandardOutput& out) {
  if (study() != nullptr) return run_study(out);
  ExperimentOptions options;
  options.table = *parse_paper_table(table_);
  options.max_states = max_states_;
  options.memory_bytes = memory_.value_or(default_memory_);
  options.seeds = seeds_.value_or(options.seeds);
  options.authors_order = authors_order_;
  if (hash_bits_) options.hash_bits = *hash_bits_;
  Result<Plan> planned = plan();
  if (!planned) {
    complain(fmt::format("comback: {}\n", planned.error().what));
    return ExitCode::kUsage;
  }
  options.published = std::move(planned->published);
  for (const std::string& name : planned->names) options.instances.push_back(instance(name));

  Monitor monitor;
  const StopOnSignals signals(monitor, true);
  Collector collector;
  for (const std::string& note : planned->notes) collector.note(note);
  const Status status = run_experiment(options, monitor, collector);
  out.write(render(collector.rows));
  collector.conclude();
  if (!status) {
    complain(fmt::format("comback: {}\n", status.error().what));
    return status.error().code == Errc::kOutOfMemory ? ExitCode::kUsage : ExitCode::kFailure;
  }
  return monitor.stop_requested() ? ExitCode::kIncomplete : ExitCode::kComplete;
}

std::string ExperimentCommand::render(const std::vector<ExperimentRow>& rows) const {
  if (format_ == Format::kJson) {
    nlohmann::ordered_json json;
    json["table"] = table_;
    json["rows"] = nlohmann::ordered_json::array();
    for (const ExperimentRow& row : rows) {
      json["rows"].push_back({{"instance", row.instance},
                              {"configuration", row.configuration},
                              {"quantity", row.quantity},
                              {"published", json_figure(row.published)},
                              {"measured", json_figure(row.measured)},
                              {"ratio", json_figure(row.agreement)},
                              {"differs", row.differs}});
    }
    return json_text(json);
  }
  if (format_ == Format::kCsv) {
    std::string text = "instance,configuration,quantity,published,measured,ratio,differs\n";
    for (const ExperimentRow& row : rows) {
      text += fmt::format("{},\"{}\",{},{},{},{},{}\n", row.instance, row.configuration,
                          row.quantity, csv_figure(row.published), csv_figure(row.measured),
                          csv_figure(row.agreement), row.differs ? 1 : 0);
    }
    return text;
  }
  Table table({"instance", "configuration", "quantity", "published", "measured", "ratio", ""});
  for (const ExperimentRow& row : rows) {
    table.add({row.instance, row.configuration, row.quantity, figure(row.published),
               figure(row.measured), figure(row.agreement), row.differs ? "!" : ""});
  }
  return table.text();
}

}  // namespace comback::tools

#include "tools/status_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "engine/stored_run.h"
#include "storage/run_directory.h"
#include "tools/json_text.h"
#include "tools/metrics_log.h"
#include "tools/option_types.h"
#include "tools/quantity.h"
#include "tools/stored_model.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  comback status anderson.run
  comback status anderson.run --json - | jq .states
  comback status anderson.run --watch --interval 10s

Exit codes: 0 the run can be read, complete or not; 2 it is not a run; 4 it is damaged.)";

struct RunStatus {
  RunDirectory directory;
  std::optional<LockHolder> holder;
  std::optional<RunRecord> record;
  std::vector<Metrics> metrics;
  std::uint64_t disk_bytes = 0;
};

Result<RunStatus> read_status(const std::filesystem::path& dir) {
  auto directory = RunDirectory::open(dir);
  if (!directory) return directory.error();
  RunStatus status{std::move(*directory), RunLock::holder(dir), {}, {}, 0};
  auto record = read_record(dir);
  if (record) {
    status.record = std::move(*record);
  } else if (record.error().code != Errc::kNotFound) {
    return record.error();
  }
  status.metrics = read_last_metrics(dir / "metrics.ndjson");
  const auto bytes = bytes_below(dir);
  status.disk_bytes = bytes ? *bytes : 0;
  return status;
}

// Of the newest session, over the last minute.
double rate(const std::vector<Metrics>& metrics, std::uint64_t Metrics::*what) {
  constexpr double kWindow = 60;
  if (metrics.size() < 2) return 0;
  const Metrics& last = metrics.back();
  std::size_t first = metrics.size() - 1;
  while (first > 0 && metrics[first - 1].t >= last.t - kWindow &&
         metrics[first - 1].*what <= metrics[first].*what) {
    --first;
  }
  const double seconds = last.t - metrics[first].t;
  return seconds > 0 ? static_cast<double>(last.*what - metrics[first].*what) / seconds : 0;
}

const char* state_of(const RunStatus& status) {
  if (status.holder) return "exploring";
  if (!status.record) return "empty";
  if (!status.record->finished) {
    return status.record->summary.stop_reason == StopReason::kNone ? "crashed" : "stopped";
  }
  return status.record->summary.verdict == Verdict::kComplete ? "complete" : "violated";
}

std::string state_in_words(const RunStatus& status) {
  const std::string resume = fmt::format("comback resume {}", status.directory.path().string());
  if (status.holder) return "being explored by " + status.holder->in_words();
  if (!status.record) return "nothing is stored yet; start it by " + resume;
  const Summary& summary = status.record->summary;
  if (!status.record->finished) {
    if (summary.stop_reason == StopReason::kNone) {
      return "interrupted without a word (killed, or the machine went down); go on by " + resume;
    }
    return fmt::format("stopped ({}); go on by {}", to_string(summary.stop_reason), resume);
  }
  if (summary.verdict == Verdict::kComplete) return "complete, nothing violated";
  return fmt::format("finished: {}", summary.violations.empty() ? to_string(summary.verdict)
                                                                : summary.violations.front().what);
}

std::string option_words(const RunHeader& header) {
  std::string text;
  for (const auto& [name, values] : header.options) {
    for (const std::string& value : values) {
      text += text.empty() ? "" : " ";
      text += value == "true" ? "--" + name : fmt::format("--{} {}", name, value);
    }
  }
  return text;
}

double age(const RunStatus& status) {
  return std::max(
      0.0, std::difftime(std::time(nullptr), static_cast<std::time_t>(status.record->written)));
}

std::string to_text(const RunStatus& status) {
  const RunHeader& header = status.directory.header();
  std::vector<std::pair<std::string, std::string>> rows = {
      {"model", fmt::format("{} (from {})", header.model, header.model_path)},
      {"created", fmt::format("{} by comback {}", header.created, header.comback_version)},
      {"options", option_words(header)}};
  if (!status.metrics.empty() && status.holder) {
    const Metrics& now = status.metrics.back();
    rows.emplace_back("now", fmt::format("{}, level {}", now.phase, format_count(now.level)));
    rows.emplace_back("found", fmt::format("{} states, {} of them waiting, {} transitions",
                                           format_count(now.states), format_count(now.queued),
                                           format_count(now.transitions)));
    rows.emplace_back("rate",
                      format_rate(rate(status.metrics, &Metrics::states), "states") + ", " +
                          format_rate(rate(status.metrics, &Metrics::transitions), "transitions"));
    rows.emplace_back("memory",
                      fmt::format("{} of {}", format_size(now.memory), format_size(now.budget)));
    rows.emplace_back("time", format_duration(now.t));
  }
  if (status.record) {
    const RunRecord& record = *status.record;
    const Summary& summary = record.summary;
    rows.emplace_back("checkpoint", format_duration(age(status)) + " ago, after " +
                                        format_duration(summary.seconds) + " of exploration");
    rows.emplace_back("states", format_count(summary.states));
    rows.emplace_back("expanded", format_count(record.expanded));
    rows.emplace_back("transitions", format_count(summary.transitions));
    rows.emplace_back("deadlocks", format_count(summary.deadlocks));
    rows.emplace_back("levels", format_count(summary.level_sizes.size()));
    rows.emplace_back("violations", format_count(summary.violations.size()));
    rows.emplace_back("tables", record.on_disk ? "on disk" : "in memory; the tree is on disk");
  }
  rows.emplace_back("disk", format_size(status.disk_bytes));
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  std::string text =
      fmt::format("{}: {}\n", status.directory.path().string(), state_in_words(status));
  for (const auto& [name, value] : rows) text += fmt::format("  {:<{}}  {}\n", name, width, value);
  if (status.record) {
    for (const Violation& violation : status.record->summary.violations) {
      text += fmt::format("\nviolation: {}, in state {}, {} events from the initial state\n",
                          violation.what, violation.state, violation.depth);
    }
  }
  return text;
}

Json to_json(const RunStatus& status) {
  const RunHeader& header = status.directory.header();
  Json json;
  json["run"] = status.directory.path().string();
  json["status"] = state_of(status);
  json["complete"] = status.record && status.record->finished &&
                     status.record->summary.verdict == Verdict::kComplete;
  json["resumable"] = !status.record || !status.record->finished;
  json["model"] = header.model;
  json["model_path"] = header.model_path;
  json["created"] = header.created;
  json["comback"] = header.comback_version;
  json["format"] = header.format;
  json["options"] = header.options;
  json["explored_by"] = nullptr;
  if (status.holder) {
    json["explored_by"] = {{"pid", status.holder->pid},
                           {"host", status.holder->host},
                           {"since", status.holder->since}};
  }
  json["checkpoint"] = nullptr;
  if (status.record) {
    const RunRecord& record = *status.record;
    const Summary& summary = record.summary;
    Json& checkpoint = json["checkpoint"];
    checkpoint["written"] = record.written;
    checkpoint["age_seconds"] = age(status);
    checkpoint["verdict"] = to_string(summary.verdict);
    checkpoint["stop_reason"] = summary.stop_reason == StopReason::kNone
                                    ? Json(nullptr)
                                    : Json(to_string(summary.stop_reason));
    checkpoint["states"] = summary.states;
    checkpoint["expanded"] = record.expanded;
    checkpoint["transitions"] = summary.transitions;
    checkpoint["deadlocks"] = summary.deadlocks;
    checkpoint["levels"] = summary.level_sizes.size();
    checkpoint["violations"] = Json::array();
    for (const Violation& violation : summary.violations) {
      checkpoint["violations"].push_back({{"kind", to_string(violation.kind)},
                                          {"what", violation.what},
                                          {"state", violation.state},
                                          {"depth", violation.depth}});
    }
    checkpoint["tree_digest"] = fmt::format("{:016x}", summary.tree_digest.value_or(0));
    checkpoint["seconds"] = summary.seconds;
    checkpoint["tables"] = record.on_disk ? "disk" : "memory";
  }
  json["now"] = nullptr;
  if (!status.metrics.empty()) {
    const Metrics& now = status.metrics.back();
    json["now"] = {{"t", now.t},
                   {"phase", now.phase},
                   {"states", now.states},
                   {"transitions", now.transitions},
                   {"level", now.level},
                   {"queued", now.queued},
                   {"memory", now.memory},
                   {"budget", now.budget},
                   {"disk", now.disk},
                   {"states_per_second", rate(status.metrics, &Metrics::states)},
                   {"transitions_per_second", rate(status.metrics, &Metrics::transitions)}};
  }
  json["states"] = status.record ? status.record->summary.states : 0;
  json["disk_bytes"] = status.disk_bytes;
  return json;
}

}  // namespace

CLI::App* StatusCommand::add_to(CLI::App& root) {
  CLI::App* command =
      root.add_subcommand("status", "What a run is and how far it got, also while it goes on");
  command->footer(kExamples);
  command->add_option("DIR", dir_, "The directory of a run");
  command
      ->add_option("--json", json_,
                   "Write it to FILE; - is standard output, and then nothing else goes there")
      ->option_text("FILE");
  command->add_flag("--watch", watch_, "Show it again and again, until nobody explores the run");
  add_duration(*command, "--interval", interval_, "With --watch: from one time to the next; 2s");
  return command;
}

Status StatusCommand::check() const {
  if (dir_.empty()) return Error{Errc::kInvalidArgument, "the DIR of a run is needed"};
  if (json_) {
    if (Status status = ResultFile(*json_).check(); !status) {
      return Error{status.error().code, "--json: " + status.error().what};
    }
  }
  return Done{};
}

ExitCode StatusCommand::run(StandardOutput& out) {
  while (true) {
    const auto status = read_status(dir_);
    if (!status) {
      complain(fmt::format("comback: {}\n", status.error().what));
      return exit_code_of(status.error());
    }
    if (json_) {
      const ResultFile file(*json_);
      const std::string text = json_text(to_json(*status));
      if (file.is_standard_output()) {
        out.write(text);
      } else if (const Status written = file.write(text); !written) {
        complain(fmt::format("comback: {}\n", written.error().what));
        return ExitCode::kFailure;
      }
    }
    if (!json_ || *json_ != "-") out.write(to_text(*status));
    if (!watch_ || !status->holder || !out.status()) return ExitCode::kComplete;
    std::this_thread::sleep_for(interval_.value_or(std::chrono::duration<double>(2)));
    if (!json_ || *json_ != "-") out.write("\n");
  }
}

}  // namespace comback::tools

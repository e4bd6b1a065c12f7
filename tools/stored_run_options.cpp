#include "tools/stored_run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/machine.h"
#include "tools/model_options.h"
#include "tools/option_types.h"
#include "tools/quantity.h"

namespace comback::tools {

void StoredRunOptions::add_dir_to(CLI::App& command) {
  command.add_option("DIR", dir_, "The run directory, of explore --run DIR");
  default_memory_ = granted_memory() / 4;
}

void StoredRunOptions::add_pass_to(CLI::App& command) {
  default_memory_ = granted_memory() / 4;
  constexpr const char* kGroup = "Resources";
  add_size(command, "--memory", memory_,
           fmt::format("The budget for all that is held, such as 512M or 4G; default: a quarter of "
                       "what the machine grants, here {}",
                       format_size(default_memory_)))
      ->group(kGroup);
  add_number(command, "--threads", threads_, 1, 256, "Default: the cores granted")->group(kGroup);
  add_backend(command, backend_);
  progress_.add_to(command);
}

Status StoredRunOptions::check() const {
  if (dir_.empty()) {
    return Error{Errc::kInvalidArgument, "a DIR is needed: the run directory of explore --run DIR"};
  }
  return Done{};
}

unsigned StoredRunOptions::threads() const { return threads_.value_or(granted_cores()); }

ProgressReporter::Settings StoredRunOptions::progress() const {
  return progress_.settings(memory_bytes(), std::chrono::duration<double>(1));
}

Result<OpenedRun> StoredRunOptions::open(
    const std::function<void(std::string_view)>& status) const {
  return open_run(dir_, {.backend = backend_, .memory_bytes = memory_bytes(), .status = status});
}

Result<OpenedRun> StoredRunOptions::open_interpreted() const {
  return open_run(
      dir_, {.backend = dve::Backend::kInterpreted, .memory_bytes = memory_bytes(), .status = {}});
}

StateStream::Options StoredRunOptions::pass(const OpenedRun& run, const char* phase,
                                            const std::filesystem::path& temporary_dir) const {
  StateStream::Options options;
  options.memory_bytes = run.budget->left();
  options.temporary_dir = temporary_dir;
  options.phase = phase;
  return options;
}

bool has_all_states(const OpenedRun& run) {
  const RunRecord& record = run.stored->record();
  if (!record.finished) return false;
  const auto& violations = record.summary.violations;
  // A fault ends a search whatever it was told.
  if (std::any_of(violations.begin(), violations.end(),
                  [](const Violation& v) { return v.kind == Verdict::kError; })) {
    return false;
  }
  if (record.summary.verdict == Verdict::kComplete) return true;
  const std::string* goes_on = run.directory.header().option("continue");
  return goes_on != nullptr && *goes_on == "true";
}

std::string why_not_all(const OpenedRun& run) {
  if (has_all_states(run)) return {};
  if (!run.stored->record().finished) return "the run is incomplete, and comback resume goes on";
  return "the search ended at a violation, and explore --continue would go on";
}

std::string warning_of_missing_states(const OpenedRun& run) {
  if (has_all_states(run)) return {};
  return fmt::format("This is about the {} states stored so far: {}.\n",
                     format_count(run.stored->tree().states()), why_not_all(run));
}

ExitCode exit_code_of_answer(const OpenedRun& run) {
  return has_all_states(run) ? ExitCode::kComplete : ExitCode::kIncomplete;
}

Result<StateId> expanded_states(const StoredTree& tree, const RunRecord& record) {
  // Ids go by predecessors: all states below the last one's predecessor are done, whatever ended
  // the search.
  const Result<Backedge> last = tree.backedges->find(tree.states() - 1);
  if (!last) return last.error();
  return record.finished ? last->predecessor : std::min(record.expanded, last->predecessor);
}

}  // namespace comback::tools

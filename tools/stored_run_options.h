#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/state_stream.h"
#include "io/result.h"
#include "models/dve/dve.h"
#include "tools/progress_options.h"
#include "tools/progress_reporter.h"
#include "tools/stored_model.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// The run that a command reads, and what reading it may take.
class StoredRunOptions {
 public:
  // The positional DIR.
  void add_dir_to(CLI::App& command);
  // What a pass over all states may take, and how it tells of its progress.
  void add_pass_to(CLI::App& command);

  Status check() const;  // after parsing

  const std::string& dir() const { return dir_; }
  void set_dir(std::string dir) { dir_ = std::move(dir); }
  std::uint64_t memory_bytes() const { return memory_.value_or(default_memory_); }
  unsigned threads() const;
  dve::Backend backend() const { return backend_; }
  ProgressReporter::Settings progress() const;

  // The run as of its last checkpoint. `status` is told what takes long.
  Result<OpenedRun> open(const std::function<void(std::string_view)>& status) const;
  // The same for a command that executes few events: nothing is compiled.
  Result<OpenedRun> open_interpreted() const;

  // Of a pass over all states: the budget is what `run` has left of it.
  StateStream::Options pass(const OpenedRun& run, const char* phase,
                            const std::filesystem::path& temporary_dir) const;

 private:
  std::string dir_;
  std::uint64_t default_memory_ = 0;
  std::optional<std::uint64_t> memory_;
  std::optional<unsigned> threads_;
  dve::Backend backend_ = dve::Backend::kAuto;
  ProgressOptions progress_;
};

// Whether a run has stored every reachable state: it neither was stopped nor ended at a violation.
bool has_all_states(const OpenedRun& run);
// States before this one are expanded, so that all their successors are stored.
Result<StateId> expanded_states(const StoredTree& tree, const RunRecord& record);
// Where it has not, why, in words that end a sentence; else empty.
std::string why_not_all(const OpenedRun& run);
// Where it has not, a line that goes before any answer about it; else empty.
std::string warning_of_missing_states(const OpenedRun& run);
// kComplete for an answer about all reachable states, else kIncomplete.
ExitCode exit_code_of_answer(const OpenedRun& run);

}  // namespace comback::tools

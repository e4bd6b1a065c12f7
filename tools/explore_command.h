#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search.h"
#include "storage/run_directory.h"
#include "tools/command.h"
#include "tools/model_options.h"
#include "tools/progress_options.h"
#include "tools/search_settings.h"
#include "tools/trace_report.h"

namespace comback::tools {

// `comback explore MODEL`: explores, and reports what it found. `comback resume DIR`: the same,
// with the model, the options and what was found before from a run.
class ExploreCommand : public Command {
 public:
  enum class Kind { kExplore, kResume };
  explicit ExploreCommand(Kind kind) : resumes_(kind == Kind::kResume) {}
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  SearchOptions search_options() const;
  // Predicates of --invariant; the problems of all of them where one cannot be read.
  Diagnostics read_invariants(const Model& model, SearchOptions& options) const;
  void add_limits_to(CLI::App& command);
  // Of an option that the command line does not give, the run's value counts. kInvalidArgument
  // where it gives another value for one that a run cannot change.
  Status take_options_of_run();
  // The options of the run, as they are now.
  std::map<std::string, std::vector<std::string>> run_options(const SearchOptions& options) const;
  // Makes or takes over the run, and its lock.
  Result<RunLock> take_run(const SearchOptions& options, std::string_view source);
  // Says on standard error what can be done with a run that is not complete.
  void forget_limit(StopReason reason);
  void tell_how_to_go_on(const Summary& summary) const;
  ExitCode failed(const Error& error, const SearchOptions& options) const;
  ExitCode report(const Model& model, const SearchOptions& options, const Summary& summary,
                  StandardOutput& out) const;

  bool resumes_;
  CLI::App* command_ = nullptr;
  std::filesystem::path run_dir_;  // of resume
  std::optional<RunDirectory> run_;
  bool no_limits_ = false;
  ModelOptions model_;
  SearchSettings search_;
  std::uint64_t default_memory_ = 0;
  std::optional<std::uint64_t> memory_;
  bool deadlock_ = false;
  bool continue_ = false;
  std::vector<std::string> invariants_;
  std::optional<std::uint64_t> max_states_;
  std::optional<std::uint64_t> max_depth_;
  std::optional<std::chrono::duration<double>> time_limit_;
  std::optional<std::string> json_;
  TraceStyle traces_ = TraceStyle::kChanges;
  ProgressOptions progress_;
};

}  // namespace comback::tools

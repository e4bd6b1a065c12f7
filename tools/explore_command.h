#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/search.h"
#include "storage/run_directory.h"
#include "tools/command.h"
#include "tools/model_options.h"
#include "tools/progress_options.h"
#include "tools/search_settings.h"
#include "tools/trace_report.h"

namespace comback::tools {

// `comback explore MODEL`: explores, and reports what it found.
class ExploreCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  SearchOptions search_options() const;
  // Predicates of --invariant; the problems of all of them where one cannot be read.
  Diagnostics read_invariants(const Model& model, SearchOptions& options) const;
  // What run.json says of this exploration.
  RunHeader header(const SearchOptions& options) const;
  ExitCode report(const Model& model, const SearchOptions& options, const Summary& summary,
                  StandardOutput& out) const;

  CLI::App* command_ = nullptr;
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

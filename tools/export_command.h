#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/command.h"
#include "tools/export_formats.h"
#include "tools/stored_run_options.h"

namespace comback::tools {

// `comback export DIR --format FORMAT`: what a run has stored, for other programs.
class ExportCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  enum class Format { kAut, kDot, kCsv, kJson };
  enum class What { kGraph, kTree, kLevels };

  What what() const;
  SubtreeRange range() const;
  Status write(const OpenedRun& run, ResultStream& out, ProgressReporter& reporter) const;
  Status write_graph(const OpenedRun& run, const ExportedRun& exported, ResultStream& out,
                     ProgressReporter& reporter) const;
  Status write_tree(const ExportedRun& exported, ResultStream& out, const Monitor& monitor) const;

  StoredRunOptions stored_;
  std::optional<Format> format_;
  std::optional<What> what_;
  ExportLabels labels_ = ExportLabels::kWords;
  std::string output_ = "-";
  bool partial_ = false;
  std::optional<std::uint64_t> root_;
  std::optional<std::uint64_t> depth_;
  std::optional<std::uint64_t> max_nodes_;
  bool states_ = false;
};

}  // namespace comback::tools

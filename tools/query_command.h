#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/query.h"
#include "models/diagnostic.h"
#include "tools/command.h"
#include "tools/query_report.h"
#include "tools/stored_run_options.h"

namespace comback::tools {

// `comback query DIR 'PREDICATE'...`: what holds where, over all states of a stored run.
class QueryCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  Diagnostics read_questions(const Model& model, Query& query) const;
  // Traces to the first states of each predicate, as many as were asked for.
  Result<std::vector<std::vector<StatePath>>> paths(const OpenedRun& run,
                                                    const QueryAnswer& answer) const;
  ExitCode print(const QueryReport& report, ExitCode code, StandardOutput& out) const;

  StoredRunOptions stored_;
  std::vector<std::string> predicates_;
  std::vector<std::string> count_by_;
  std::vector<std::string> distinct_;
  std::optional<std::uint64_t> limit_;
  std::optional<std::uint64_t> values_;
  bool trace_ = false;
  bool all_traces_ = false;
  bool per_level_ = false;
  std::optional<std::string> json_;
};

}  // namespace comback::tools

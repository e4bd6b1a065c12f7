#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment.h"
#include "engine/study.h"
#include "tools/command.h"
#include "tools/model_options.h"

namespace CLI {
class Option;
}  // namespace CLI

namespace comback::tools {

// `comback experiment TABLE --models DIR`: an experiment of the papers, its figures beside the
// published ones where those are of models that are public.
class ExperimentCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  enum class Format { kTable, kCsv, kJson };

  // An experiment without published figures to compare with.
  struct StudyKind {
    const char* name;
    Status (*run)(const StudyOptions&, Monitor&, Study&);
    bool needs_models;
  };
  static const std::vector<StudyKind>& studies();
  static std::string study_names();
  const StudyKind* study() const;
  Status check_options() const;

  // Which models are run, which figures they are compared with, and what the user should know.
  struct Plan {
    std::vector<std::string> names;
    PublishedTables published;
    std::vector<std::string> notes;
  };
  Result<Plan> plan() const;
  // The folder with the published figures, as told or found beside the models; empty: none.
  std::string published_folder() const;
  // The models of the folder, in the order of their names.
  Result<std::vector<std::string>> models() const;
  ExperimentInstance instance(const std::string& name) const;
  bool is_published(const PublishedTables& published, const std::string& name) const;
  std::string render(const std::vector<ExperimentRow>& rows) const;
  ExitCode run_study(StandardOutput& out);

  std::string table_;
  std::string models_;
  std::string published_;
  std::vector<std::string> instances_;
  std::optional<std::uint64_t> max_states_;
  std::optional<std::uint64_t> memory_;
  std::uint64_t default_memory_ = 0;
  std::optional<unsigned> seeds_;
  std::optional<unsigned> hash_bits_;
  bool authors_order_ = true;
  std::optional<unsigned> runs_;
  std::optional<unsigned> seed_;
  std::optional<unsigned> probes_;
  std::string plots_;
  std::vector<CLI::Option*> of_tables_;   // options that only tables use
  std::vector<CLI::Option*> of_studies_;  // likewise studies
  std::vector<CLI::Option*> of_omission_;
  ModelOptions model_;
  Format format_ = Format::kTable;
};

}  // namespace comback::tools

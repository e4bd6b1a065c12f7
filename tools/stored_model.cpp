#include "tools/stored_model.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace comback::tools {

Result<ModelOptions> stored_model_options(const RunHeader& header) {
  ModelOptions options;
  options.file = header.model;
  if (const std::string* word = header.option("range-errors")) {
    if (!options.set_range_errors(*word)) {
      return Error{Errc::kCorruption,
                   fmt::format("run.json: option \"range-errors\" cannot be '{}'", *word)};
    }
  }
  if (const std::string* word = header.option("ignore-property")) {
    options.dve.ignore_property = *word == "true";
  }
  return options;
}

Result<std::unique_ptr<Model>> load_stored_model(
    const RunDirectory& directory, dve::Backend backend,
    const std::function<void(std::string_view)>& status) {
  auto options = stored_model_options(directory.header());
  if (!options) return options.error();
  auto source = directory.model_source();
  if (!source) return source.error();
  options->dve.backend = backend;
  options->dve.status = status;
  auto loaded = dve::load_text(options->file, std::move(*source), options->dve);
  if (auto* const problems = std::get_if<Diagnostics>(&loaded)) {
    return Error{Errc::kUnsupported, fmt::format("{} cannot be read:\n{}",
                                                 directory.model().string(), to_string(*problems))};
  }
  return std::move(std::get<std::unique_ptr<Model>>(loaded));
}

Result<OpenedRun> open_run(const std::filesystem::path& path, const OpenRunOptions& options) {
  auto directory = RunDirectory::open(path);
  if (!directory) return directory.error();
  auto model = load_stored_model(*directory, options.backend, options.status);
  if (!model) return model.error();
  auto budget = std::make_unique<MemoryBudget>(options.memory_bytes);
  StoredRun::Options stored_options;
  stored_options.width = (*model)->width();
  auto stored = StoredRun::open(path, stored_options, *budget);
  if (!stored) return stored.error();
  return OpenedRun{std::move(*directory), std::move(*model), std::move(budget), std::move(*stored)};
}

ExitCode exit_code_of(const Error& error) {
  switch (error.code) {
    case Errc::kInvalidArgument:
    case Errc::kNotFound:
    case Errc::kUnsupported:
    case Errc::kOutOfMemory:
      return ExitCode::kUsage;
    case Errc::kNoSpace:
      return ExitCode::kIncomplete;
    default:
      return ExitCode::kFailure;
  }
}

}  // namespace comback::tools

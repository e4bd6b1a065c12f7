#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "engine/stored_run.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/memory_budget.h"
#include "storage/run_directory.h"
#include "tools/exit_code.h"
#include "tools/model_options.h"

namespace comback::tools {

// How the run's model is read, as run.json has it. `backend` decides how its events are executed.
Result<ModelOptions> stored_model_options(const RunHeader& header);

// The model of a run, from the source kept inside: with the options it was explored with. Native
// code is built from that source; none is ever loaded from the run directory.
Result<std::unique_ptr<Model>> load_stored_model(
    const RunDirectory& directory, dve::Backend backend,
    const std::function<void(std::string_view)>& status = {});

// What every command on a run begins with: the run, its model, and what is stored, as of the last
// checkpoint.
struct OpenedRun {
  RunDirectory directory;
  std::unique_ptr<Model> model;
  std::unique_ptr<MemoryBudget> budget;
  std::unique_ptr<StoredRun> stored;
};

struct OpenRunOptions {
  dve::Backend backend = dve::Backend::kAuto;
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;  // the budget
  std::function<void(std::string_view)> status{};
};

Result<OpenedRun> open_run(const std::filesystem::path& path, const OpenRunOptions& options = {});

// The exit code for an error of the above: a path that is no run is the user's mistake, a run that
// is damaged is not.
ExitCode exit_code_of(const Error& error);

}  // namespace comback::tools

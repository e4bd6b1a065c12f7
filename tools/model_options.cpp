#include "tools/model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>
#include <vector>

#include "storage/run_directory.h"
#include "tools/option_types.h"
#include "tools/suggestion.h"

namespace comback::tools {
namespace {

namespace fs = std::filesystem;

const std::vector<std::pair<std::string, dve::RangeErrors>> kRangeErrors = {
    {"stop", dve::RangeErrors::kStop},
    {"wrap", dve::RangeErrors::kWrap},
    {"error-state", dve::RangeErrors::kErrorState},
    {"terminal", dve::RangeErrors::kTerminal}};

const std::vector<std::pair<std::string, dve::Backend>> kBackends = {
    {"auto", dve::Backend::kAuto},
    {"native", dve::Backend::kNative},
    {"interpreted", dve::Backend::kInterpreted}};

// The models in a folder, by path as the user would name them.
std::vector<std::string> models_in(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".dve") {
      found.push_back((folder / it->path().filename()).string());
    }
  }
  return found;
}

Diagnostics problem(const std::string& file, std::string message, std::string hint = {}) {
  return {{.file = file, .message = std::move(message), .hint = std::move(hint)}};
}

// Empty where the file can be read as a model.
Diagnostics check_file(const std::string& file) {
  const fs::path path(file);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (error && error != std::errc::no_such_file_or_directory) {
      return problem(file, fmt::format("cannot be read: {}", error.message()));
    }
    const std::string near = closest(file, models_in(path.parent_path()));
    return problem(file, "there is no such file",
                   near.empty() ? "" : fmt::format("did you mean {}?", near));
  }
  if (fs::is_directory(status)) {
    const std::vector<std::string> models = models_in(path);
    return problem(file, "is a directory, not a model",
                   models.empty() ? "" : fmt::format("there is {} in it", models.front()));
  }
  if (path.extension() != ".dve") {
    return problem(file,
                   path.has_extension()
                       ? fmt::format("models of kind '{}' are not known", path.extension().string())
                       : std::string("a model's kind is told by its extension, and this has none"),
                   "comback reads models in the DVE language, in files named *.dve");
  }
  return {};
}

}  // namespace

void ModelOptions::add_file_to(CLI::App& command) {
  command.add_option("MODEL", file, "A model in the DVE language: FILE.dve");
}

void add_backend(CLI::App& command, dve::Backend& backend) {
  add_choice(command, "--successors", kBackends, backend,
             "Execute the model as native code, compiled with the system's C++ compiler and kept "
             "for next time, or interpret it; auto interprets until native code is ready")
      ->group("Model");
}

void ModelOptions::add_execution_to(CLI::App& command) {
  add_backend(command, dve.backend);
  add_choice(command, "--range-errors", kRangeErrors, dve.range_errors,
             "What an index out of range, a division by zero and a value that leaves its type do")
      ->group("Model");
  command
      .add_flag("--ignore-property", dve.ignore_property,
                "Explore a model with a property process without that process")
      ->group("Model");
}

std::string ModelOptions::range_errors_in_words() const {
  return word_for(kRangeErrors, dve.range_errors);
}

bool ModelOptions::set_range_errors(std::string_view word) {
  for (const auto& [name, value] : kRangeErrors) {
    if (name != word) continue;
    dve.range_errors = value;
    return true;
  }
  return false;
}

std::variant<std::unique_ptr<Model>, Diagnostics> load_model(
    const ModelOptions& options, const std::function<void(std::string_view)>& status,
    std::string* source) {
  if (Diagnostics diagnostics = check_file(options.file); !diagnostics.empty()) return diagnostics;
  dve::Options dve = options.dve;
  dve.status = status;
  if (source != nullptr) {
    // Where it cannot be read, load_file says why.
    constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
    auto text = read_text_file(options.file, kMostBytes);
    if (text && !text->empty()) {
      *source = std::move(*text);
      return dve::load_text(options.file, *source, dve);
    }
  }
  return dve::load_file(options.file, dve);
}

}  // namespace comback::tools

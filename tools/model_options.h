#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "models/diagnostic.h"
#include "models/dve/dve.h"
#include "models/model.h"

namespace CLI {
class App;
}  // namespace CLI

namespace comback::tools {

// The model that a command is about, and how it is read.
struct ModelOptions {
  std::string file;
  dve::Options dve;

  // The positional MODEL.
  void add_file_to(CLI::App& command);
  // How its events are executed.
  void add_execution_to(CLI::App& command);

  std::string range_errors_in_words() const;     // as the option names it
  bool set_range_errors(std::string_view word);  // false where there is no such word
};

// --successors: how a model's events are executed.
void add_backend(CLI::App& command, dve::Backend& backend);

// Reads the model; `status` is told what takes long. Problems with the file itself (it is missing,
// it is a directory, its name says nothing) are diagnostics, too. The text of the file goes to
// `source`.
std::variant<std::unique_ptr<Model>, Diagnostics> load_model(
    const ModelOptions& options, const std::function<void(std::string_view)>& status,
    std::string* source = nullptr);

}  // namespace comback::tools

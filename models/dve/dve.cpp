#include "models/dve/dve.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "models/dve/dve_model.h"
#include "models/dve/native.h"
#include "models/dve/parse.h"

namespace comback::dve {

namespace {

// Far more than any model has; what is larger, or never ends, is something else.
constexpr std::size_t kMaxTextBytes = 64 << 20;

Diagnostics file_error(const std::filesystem::path& file, std::string message,
                       std::string hint = {}) {
  return {
      Diagnostic{.file = file.string(), .message = std::move(message), .hint = std::move(hint)}};
}

Diagnostics too_large(const std::filesystem::path& file) {
  return file_error(file, "has more than 64 MiB, which no model has");
}

}  // namespace

LoadResult load_file(const std::filesystem::path& file, const Options& options) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return file_error(file, "there is no such file");
  }
  if (error) return file_error(file, "cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) {
    return file_error(file, "is a directory", "name a file with a model in the DVE language");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return file_error(file, "cannot be read: " + std::generic_category().message(errno));
  }
  if (in.peek() == std::ifstream::traits_type::eof()) return file_error(file, "the file is empty");
  std::string text;
  std::vector<char> chunk(1 << 16);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxTextBytes) return too_large(file);
  }
  if (in.bad()) return file_error(file, "could not be read to its end");
  return load_text(file.string(), std::move(text), options);
}

LoadResult load_text(std::string file, std::string text, const Options& options) {
  if (text.size() > kMaxTextBytes) return too_large(file);
  ProgramResult parsed = parse_program(std::move(file), std::move(text), options.ignore_property);
  if (auto* diagnostics = std::get_if<Diagnostics>(&parsed)) return std::move(*diagnostics);
  auto model =
      std::make_unique<DveModel>(std::get<Program>(std::move(parsed)), options.range_errors);
  if (options.backend == Backend::kNative) {
    auto native = native_executor(model->program(), options);
    if (auto* diagnostics = std::get_if<Diagnostics>(&native)) return std::move(*diagnostics);
    model->take_over(std::get<0>(std::move(native)));
  } else if (options.backend == Backend::kAuto) {
    const auto take_over = [to = model.get()](std::unique_ptr<const Executor> native) {
      to->take_over(std::move(native));
    };
    model->keep(std::make_shared<NativeCode>(model->program(), options, take_over));
  }
  return model;
}

}  // namespace comback::dve

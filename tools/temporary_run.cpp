#include "tools/temporary_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

namespace comback::tools {

TemporaryRun::TemporaryRun() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  dir_ = parent / fmt::format("comback-{}-{:x}.run", ::getpid(), now);
}

TemporaryRun::~TemporaryRun() {
  std::error_code ignored;  // what cannot be removed is not worth an error at the end
  std::filesystem::remove_all(dir_, ignored);
}

}  // namespace comback::tools

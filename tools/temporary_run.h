#pragma once

#include <filesystem>

namespace comback::tools {

// A name for the folder of a run that is not kept, in $TMPDIR or /tmp. Nothing is made until the
// search needs it; what is there at the end is removed.
class TemporaryRun {
 public:
  TemporaryRun();
  TemporaryRun(const TemporaryRun&) = delete;
  TemporaryRun& operator=(const TemporaryRun&) = delete;
  ~TemporaryRun();

  const std::filesystem::path& dir() const { return dir_; }

 private:
  std::filesystem::path dir_;
};

}  // namespace comback::tools

#include "tests/support/paths.h"

#include <cstdlib>

namespace comback::test {

std::filesystem::path source_dir() { return COMBACK_SOURCE_DIR; }

std::filesystem::path build_dir() { return COMBACK_BUILD_DIR; }

std::filesystem::path binary() { return build_dir() / "comback"; }

std::filesystem::path samples_dir() { return source_dir() / "models" / "samples"; }

std::filesystem::path beem_dir() {
  // A relative path means relative to the source tree: ctest runs tests elsewhere.
  const char* given = std::getenv("COMBACK_BEEM_DIR");
  const std::filesystem::path dir = given != nullptr && *given != '\0' ? given : "../shared/beem";
  return (source_dir() / dir).lexically_normal();
}

}  // namespace comback::test

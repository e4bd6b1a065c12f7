#pragma once

#include <filesystem>

namespace comback::test {

std::filesystem::path source_dir();   // the root of the source tree
std::filesystem::path build_dir();    // the root of the build tree
std::filesystem::path binary();       // the `comback` command, as built
std::filesystem::path samples_dir();  // models/samples

// The BEEM models: $COMBACK_BEEM_DIR, or ../shared/beem beside the source tree. May not exist; a
// test that needs it skips itself then.
std::filesystem::path beem_dir();

}  // namespace comback::test

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "models/diagnostic.h"
#include "models/model.h"

// Models in the DVE language.

namespace comback::dve {

// What a range error of the model does: an index out of range, a division by zero, a stored value
// that leaves its type.
enum class RangeErrors {
  kStop,        // a fault
  kWrap,        // stored values wrap; the others are faults
  kErrorState,  // the event leads to one error state, explored like any other
  kTerminal,    // the same, and the error state has no successors
};

enum class Backend {
  kAuto,    // interpreted until native code is ready; interpreted where there is no compiler
  kNative,  // native, or an error
  kInterpreted,
};

struct Options {
  RangeErrors range_errors = RangeErrors::kStop;
  Backend backend = Backend::kAuto;
  bool ignore_property = false;  // explore a model with a property process without it
  // Where native code is kept; empty: $COMBACK_CACHE_DIR, $XDG_CACHE_HOME/comback or
  // ~/.cache/comback.
  std::filesystem::path cache_dir{};
  std::string compiler{};  // empty: $COMBACK_CXX, $CXX, or c++, g++, clang++ in the PATH
  // Told what is happening to native code ("compiling ...", "native code is ready"), and why there
  // is none. May be called from another thread, one call at a time.
  std::function<void(std::string_view)> status{};
};

using LoadResult = std::variant<std::unique_ptr<Model>, Diagnostics>;

LoadResult load_file(const std::filesystem::path& file, const Options& options = {});
// `file` is what messages call it.
LoadResult load_text(std::string file, std::string text, const Options& options = {});

}  // namespace comback::dve

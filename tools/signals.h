#pragma once

#include "engine/search.h"

namespace comback::tools {

// While it lives, the first SIGINT, SIGTERM or SIGHUP asks the search to stop and the second ends
// the process at once, as if nobody had caught it.
class StopOnSignals {
 public:
  // REQUIRES: `monitor` outlives it, and there is one at a time.
  explicit StopOnSignals(Monitor& monitor, bool announce);
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;
};

}  // namespace comback::tools

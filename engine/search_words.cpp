#include "engine/search.h"

namespace comback {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kComplete:
      return "complete";
    case Verdict::kDeadlock:
      return "deadlock";
    case Verdict::kAssertion:
      return "assertion";
    case Verdict::kInvariant:
      return "invariant";
    case Verdict::kError:
      return "error";
    case Verdict::kIncomplete:
      return "incomplete";
  }
  return "?";
}

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kNone:
      return "none";
    case StopReason::kMaxStates:
      return "max-states";
    case StopReason::kMaxDepth:
      return "max-depth";
    case StopReason::kTimeLimit:
      return "time-limit";
    case StopReason::kMemory:
      return "memory";
    case StopReason::kTableFull:
      return "table-full";
    case StopReason::kInterrupted:
      return "interrupted";
    case StopReason::kDisk:
      return "disk";
    case StopReason::kCacheFull:
      return "cache-full";
    case StopReason::kMaxRevisits:
      return "max-revisits";
  }
  return "?";
}

}  // namespace comback

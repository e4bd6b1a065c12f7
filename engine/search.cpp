#include "engine/search.h"

namespace comback {
const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kComplete: return "complete";
    case Verdict::kDeadlock: return "deadlock";
    case Verdict::kAssertion: return "assertion";
    case Verdict::kInvariant: return "invariant";
    case Verdict::kError: return "error";
    case Verdict::kIncomplete: return "incomplete";
  }
  return "?";
}
}  // namespace comback

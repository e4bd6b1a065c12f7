#include "engine/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace comback {

bool Findings::check_state(const std::byte* state, const Place& place) {
  if (const int failed = model_->failed_assertion(state); failed >= 0) {
    ++summary_->assertion_violations;
    std::string what;
    if (!found(Verdict::kAssertion)) what = "assertion " + model_->describe_assertion(failed);
    if (!record(Verdict::kAssertion, std::move(what), {}, place)) return false;
  }
  for (const auto& invariant : options_->invariants) {
    const std::optional<std::int64_t> value = invariant->evaluate(state);
    if (value && *value != 0) continue;
    ++summary_->invariant_violations;
    std::string what;
    if (!found(Verdict::kInvariant)) {
      what = fmt::format("invariant '{}'{}", invariant->text(),
                         value ? "" : " cannot be evaluated in this state");
    }
    return record(Verdict::kInvariant, std::move(what), {}, place);
  }
  return true;
}

bool Findings::deadlock(const Place& place) {
  return !options_->deadlock_is_violation || record(Verdict::kDeadlock, "deadlock", {}, place);
}

bool Findings::fault(const Fault& fault, const Place& place) {
  record(Verdict::kError, model_->explain(fault), fault.event, place);
  return false;
}

bool Findings::found(Verdict kind) const {
  return std::any_of(summary_->violations.begin(), summary_->violations.end(),
                     [&](const Violation& v) { return v.kind == kind; });
}

bool Findings::record(Verdict kind, std::string what, std::optional<Event> event,
                      const Place& place) {
  if (!found(kind)) {
    Result<Trace> trace = place.trace();
    if (!trace) {
      failure_ = trace.error();
      return false;
    }
    summary_->violations.push_back({.kind = kind,
                                    .what = std::move(what),
                                    .state = place.state,
                                    .depth = place.depth,
                                    .event = event,
                                    .trace = std::move(*trace)});
  }
  return options_->continue_after_violation;
}

void Findings::conclude(StopReason stop_reason) {
  summary_->stop_reason = stop_reason;
  if (!summary_->violations.empty()) {
    summary_->verdict = summary_->violations.front().kind;
  } else {
    summary_->verdict =
        stop_reason == StopReason::kNone ? Verdict::kComplete : Verdict::kIncomplete;
  }
}

}  // namespace comback

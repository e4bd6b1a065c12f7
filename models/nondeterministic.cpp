#include "models/nondeterministic.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

namespace comback {

void NondeterministicModel::successors(const std::byte* state, SuccessorBuffer& out) const {
  // Per thread, so that nothing is allocated for most states.
  thread_local std::vector<std::uint32_t> events;
  thread_local NondeterministicRelation::Results results;
  out.clear();
  relation_.enabled(state, events);
  for (const std::uint32_t event : events) {
    results.descriptors.clear();
    results.count = 0;
    relation_.execute(state, event, results);
    assert(results.count <= relation_.max_results());
    std::memcpy(out.view.descriptors + out.view.count * width(), results.descriptors.data(),
                results.descriptors.size());
    for (std::uint32_t i = 0; i < results.count; ++i) {
      out.view.events[out.view.count++] = event * relation_.max_results() + i;
    }
  }
}

void NondeterministicModel::execute(std::byte* state, Event event) const {
  thread_local NondeterministicRelation::Results results;
  results.descriptors.clear();
  results.count = 0;
  relation_.execute(state, event / relation_.max_results(), results);
  const std::uint32_t chosen = event % relation_.max_results();
  assert(chosen < results.count);
  std::memcpy(state, results.descriptors.data() + chosen * width(), width());
}

std::string NondeterministicModel::describe_event(const std::byte* /*state*/, Event event) const {
  return fmt::format("{}, result {}", relation_.describe_event(event / relation_.max_results()),
                     event % relation_.max_results());
}

std::string NondeterministicModel::explain(const Fault& fault) const {
  return fmt::format("event {} failed", fault.event);
}

PredicateResult NondeterministicModel::predicate(std::string_view text) const {
  return Diagnostics{{.file = "<predicate>",
                      .line = 1,
                      .column = 1,
                      .source_line = std::string(text),
                      .message = "this model has no named variables"}};
}

}  // namespace comback

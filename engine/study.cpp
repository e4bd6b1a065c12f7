#include "engine/study.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace comback {

Status for_each_instance(const StudyOptions& options, SearchOrder order, Monitor& monitor,
                         const std::function<Status(const StudyInstance&)>& measure) {
  std::size_t number = 0;
  for (const ExperimentInstance& instance : options.instances) {
    if (monitor.stop_requested()) break;
    options.note(
        fmt::format("{}: exploring ({} of {})", instance.name, ++number, options.instances.size()));
    Result<std::unique_ptr<Model>> model = instance.load();
    if (!model) {
      options.note(fmt::format("{}: left out, {}", instance.name, model.error().what));
      continue;
    }
    SearchOptions search;
    search.order = order;
    search.memory_bytes = options.memory_bytes;
    search.max_states = options.max_states;
    Result<Summary> full = explore(**model, search, monitor);
    if (!full) return full.error();
    if (full->verdict != Verdict::kComplete) {
      options.note(fmt::format("{}: left out, the search of all states did not end ({} states)",
                               instance.name, full->states));
      continue;
    }
    if (Status status = measure({instance.name, **model, *full}); !status) return status;
  }
  return Done{};
}

}  // namespace comback

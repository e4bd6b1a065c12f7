#include "engine/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/breadth_first.h"
#include "engine/caching_search.h"
#include "engine/comback_search.h"
#include "engine/depth_first.h"
#include "engine/level_search.h"
#include "engine/limited_visited.h"
#include "engine/storing_search.h"
#include "engine/visited.h"

namespace comback {

// A false match costs a reconstruction, a bit an eighth of a byte per state. With 64 MB and some
// ten million states 32 bits leave one false match in 400 look-ups; with 4 GB and 10^9 states 38
// leave one in 250.
unsigned LevelOptions::hash_bits_for(std::uint64_t memory_bytes) {
  return std::clamp(static_cast<unsigned>(std::bit_width(memory_bytes)) + 5, 32u, 42u);
}

namespace {

template <class Visited, template <class> class Driver>
Result<Summary> explore_with(const Model& model, const SearchOptions& options, Monitor& monitor) {
  using Search = Driver<Visited>;
  MemoryBudget budget(options.memory_bytes);
  Visited visited(model.width(), options, budget);
  const std::uint64_t needed =
      Visited::min_bytes(model.width(), options) + Search::min_bytes(model.width());
  if (needed > options.memory_bytes || !visited.open()) {
    return Error{Errc::kOutOfMemory,
                 fmt::format("a memory budget of {} bytes is too small: this search of {} needs at "
                             "least {} bytes",
                             options.memory_bytes, model.name(), needed)};
  }
  Summary summary;
  Search search(model, options, monitor, budget, visited, summary);
  if (Status status = search.run(); !status) return status.error();
  return summary;
}

template <class Visited>
Result<Summary> explore_in_order(const Model& model, const SearchOptions& options,
                                 Monitor& monitor) {
  return options.order == SearchOrder::kBreadthFirst
             ? explore_with<Visited, BreadthFirstSearch>(model, options, monitor)
             : explore_with<Visited, DepthFirstSearch>(model, options, monitor);
}

Result<Summary> explore_with_limited_table(const Model& model, const SearchOptions& options,
                                           Monitor& monitor) {
  if (options.order == SearchOrder::kBreadthFirst) {
    return Error{Errc::kUnsupported,
                 "a table that forgets states needs a depth-first search: breadth first, states "
                 "that replace each other would be found again for ever"};
  }
  if (options.limited.probes < 1 ||
      (options.table_slots && options.limited.probes > *options.table_slots)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} probes in a table of {} slots: must be 1 to the number of slots",
                             options.limited.probes, options.table_slots.value_or(0))};
  }
  return explore_with<LimitedVisited, DepthFirstSearch>(model, options, monitor);
}

}  // namespace

Result<Summary> explore(const Model& model, const SearchOptions& options, Monitor& monitor) {
  if (options.hash_bits < 8 || options.hash_bits > 64) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("hashes of {} bits: must be 8 to 64", options.hash_bits)};
  }
  if (options.sleep_sets || options.check_independence) {
    return explore_caching(model, options, monitor);
  }
  switch (options.visited) {
    case VisitedMode::kCache:
      return explore_caching(model, options, monitor);
    case VisitedMode::kFull:
      return explore_in_order<FullVisited>(model, options, monitor);
    case VisitedMode::kCompact:
      return explore_in_order<CompactVisited>(model, options, monitor);
    case VisitedMode::kCompactImproved:
      return explore_in_order<ProbedVisited>(model, options, monitor);
    case VisitedMode::kCompactCache:
      return explore_with_limited_table(model, options, monitor);
    case VisitedMode::kComBack:
      return explore_comback(model, options, monitor);
    case VisitedMode::kLevels:
      return explore_by_levels(model, options, monitor);
    case VisitedMode::kStoring:
      return explore_storing(model, options, monitor);
  }
  return Error{Errc::kUnsupported, "this search is not built in"};
}

}  // namespace comback

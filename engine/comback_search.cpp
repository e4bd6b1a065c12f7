#include "engine/comback_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/comback_breadth_first.h"
#include "engine/comback_depth_first.h"
#include "engine/comback_set.h"

namespace comback {
namespace {

Error too_little_memory(const Model& model, std::uint64_t given, std::uint64_t needed) {
  return {Errc::kOutOfMemory,
          fmt::format("a memory budget of {} bytes is too small: this search of {} needs at least "
                      "{} bytes",
                      given, model.name(), needed)};
}

// Adds what only the set knows to the summary of a search that has ended.
void complete(Summary& summary, const ComBackSet& set, const SearchControl& control) {
  summary.reconstruction_events += set.events();
  summary.events = summary.transitions + summary.reconstruction_events;
  summary.reconstructions += set.reconstructions();
  summary.hash_conflicts = set.hash_conflicts();
  summary.visited_bytes = set.table_bytes();
  summary.seconds = control.seconds();
}

Result<Summary> breadth_first(const Model& model, const SearchOptions& options,
                              SearchControl& control) {
  const std::uint64_t needed = ComBackSet::min_bytes(options, model.width()) +
                               ComBackBreadthFirst::min_bytes(options, model.width());
  std::uint64_t wasted_events = 0;
  std::uint64_t wasted_reconstructions = 0;
  for (const bool level_ends : {false, true}) {
    MemoryBudget budget(options.memory_bytes);
    ComBackSet set(model, options, budget);
    Summary summary;
    ComBackBreadthFirst search(model, options, level_ends, control, budget, set, summary);
    if (needed > options.memory_bytes || !set.open() || !search.open()) {
      return too_little_memory(model, options.memory_bytes, needed);
    }
    Result<ComBackBreadthFirst::End> end = search.run();
    if (!end) return end.error();
    if (*end == ComBackBreadthFirst::End::kDone) {
      summary.reconstruction_events = wasted_events;
      summary.reconstructions = wasted_reconstructions;
      complete(summary, set, control);
      return summary;
    }
    wasted_events = summary.transitions + set.events();
    wasted_reconstructions = set.reconstructions();
    control.start_again();
  }
  return Error{Errc::kCorruption, "levels out of order, although every level was completed"};
}

Result<Summary> depth_first(const Model& model, const SearchOptions& options,
                            SearchControl& control) {
  const std::uint64_t needed = ComBackSet::min_bytes(options, model.width()) +
                               ComBackDepthFirst::min_bytes(options, model.width());
  MemoryBudget budget(options.memory_bytes);
  ComBackSet set(model, options, budget);
  if (needed > options.memory_bytes || !set.open()) {
    return too_little_memory(model, options.memory_bytes, needed);
  }
  Summary summary;
  ComBackDepthFirst search(model, options, control, budget, set, summary);
  if (Status status = search.run(); !status) return status.error();
  complete(summary, set, control);
  return summary;
}

}  // namespace

Result<Summary> explore_comback(const Model& model, const SearchOptions& options,
                                Monitor& monitor) {
  constexpr std::uint64_t kMaxCache = std::uint64_t{1} << 30;
  if (options.comback.cache_size.value_or(0) > kMaxCache) {
    return Error{Errc::kInvalidArgument, fmt::format("a cache of {} states: must be at most {}",
                                                     *options.comback.cache_size, kMaxCache)};
  }
  constexpr std::uint64_t kMinDescriptors = 10;
  if (const auto& descriptors = options.comback.descriptors;
      descriptors && *descriptors != ComBackOptions::kFromMemory &&
      *descriptors < kMinDescriptors) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} descriptors cannot be split: at least {} are needed", *descriptors,
                             kMinDescriptors)};
  }
  if (options.comback.candidates == 0u || options.comback.queue_block == 0u) {
    return Error{Errc::kInvalidArgument,
                 "a set of candidates and a block of the queue need room for a state"};
  }
  const SearchOptions resolved = ComBackSet::resolve(options, model.width());
  SearchControl control(resolved, monitor);
  return resolved.order == SearchOrder::kBreadthFirst ? breadth_first(model, resolved, control)
                                                      : depth_first(model, resolved, control);
}

DescriptorSplit best_split(std::uint64_t descriptors) {
  // For the number of descriptors nearest to the paper's.
  if (descriptors < 316) return {50, 30, 20};
  if (descriptors < 3162) return {60, 20, 20};
  return {60, 30, 10};
}

ComBackOptions split_descriptors(std::uint64_t descriptors, const DescriptorSplit& split) {
  const auto share = [&](unsigned percent) {
    return percent == 0 ? 0 : std::max<std::uint64_t>(1, descriptors * percent / 100);
  };
  ComBackOptions options;
  options.queue = ComBackOptions::Queue::kIds;
  options.cache = {.strategy = CacheSpec::Strategy::kDistance, .fifo_percent = 80};
  options.cache_size = descriptors - share(split.candidates) - share(split.queue);
  if (split.candidates > 0) {
    options.detection = ComBackOptions::Detection::kDelayed;
    options.candidates = share(split.candidates);
  }
  options.queue_block = std::max<std::uint64_t>(1, share(split.queue));
  return options;
}

}  // namespace comback

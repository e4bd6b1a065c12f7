#include "engine/caching_search.h"

#include <fmt/format.h>

#include "engine/revisiting_search.h"
#include "engine/revisiting_stores.h"

namespace comback {
namespace {

template <class Store>
Result<Summary> explore_with(const Model& model, const SearchOptions& options, Monitor& monitor) {
  MemoryBudget budget(options.memory_bytes);
  Store store(model.width(), options, budget);
  const std::uint64_t needed =
      Store::min_bytes(model.width(), options) + RevisitingSearch<Store>::min_bytes(store);
  if (needed > options.memory_bytes || !store.open()) {
    return Error{Errc::kOutOfMemory,
                 fmt::format("a memory budget of {} bytes is too small: this search of {} needs at "
                             "least {} bytes",
                             options.memory_bytes, model.name(), needed)};
  }
  Summary summary;
  RevisitingSearch<Store> search(model, options, monitor, budget, store, summary);
  if (Status status = search.run(); !status) return status.error();
  return summary;
}

}  // namespace

Result<Summary> explore_caching(const Model& model, const SearchOptions& options,
                                Monitor& monitor) {
  if (options.order != SearchOrder::kDepthFirst) {
    return Error{Errc::kUnsupported, "a cache of states and sleep sets need a depth-first search"};
  }
  const bool cache = options.visited == VisitedMode::kCache;
  if (!cache && options.visited != VisitedMode::kFull) {
    return Error{Errc::kUnsupported,
                 "sleep sets need states that are told apart by their descriptors: full or cache"};
  }
  if ((options.sleep_sets || options.check_independence) && model.events().empty()) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: sleep sets need to know what each event reads and writes, and "
                             "this model has no fixed events; no 'system sync' has",
                             model.name())};
  }
  const auto& size = options.caching.cache_size;
  if (cache && size && (*size == 0 || *size > ErasableTable::kMaxSlots)) {
    return Error{Errc::kInvalidArgument, fmt::format("a cache of {} states: must be 1 to {}", *size,
                                                     ErasableTable::kMaxSlots)};
  }
  return cache ? explore_with<CacheStore>(model, options, monitor)
               : explore_with<FullStore>(model, options, monitor);
}

}  // namespace comback

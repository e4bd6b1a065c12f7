#pragma once

#include <cstdint>
#include <string>

#include "engine/keep_levels.h"
#include "engine/state_archive.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/level_store.h"

namespace comback {

// Which levels' descriptors stay on disk once they have been expanded: --keep-levels, or what auto
// chose.
class KeptLevels {
 public:
  explicit KeptLevels(KeepLevels keep) : keep_(keep) {}
  // What an earlier session chose, unless this one was told what to do.
  void restore(const std::string& choice) {
    if (const auto keep = KeepLevels::parse(choice);
        keep && keep_.kind == KeepLevels::Kind::kAuto) {
      keep_ = *keep;
    }
  }

  // auto keeps all levels until there are enough states in memory to measure with.
  void choose(const Model& model, const StateArchive& archive);
  bool keeps(std::uint64_t level) const;
  // Drops the levels below `expanded` that are not kept from disk. Where none is to be kept, some
  // stay in memory, compressed, as many as fit into about `cache_bytes`: every k-th, the distance
  // cache D(k) of the ComBack method [evangelista09] with a k that grows.
  Status drop(LevelStore& store, std::uint64_t expanded, std::uint64_t cache_bytes);

  std::string to_string() const { return keep_.to_string(); }

 private:
  KeepLevels keep_;
  std::uint64_t cached_every_ = 1;
  std::uint64_t dropped_ = 0;  // levels below it that are not kept are no longer held
};

}  // namespace comback

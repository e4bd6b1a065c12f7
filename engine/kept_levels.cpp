#include "engine/kept_levels.h"

#include <algorithm>
#include <vector>

#include "engine/keep_levels_choice.h"
#include "storage/bytes.h"

namespace comback {

void KeptLevels::choose(const Model& model, const StateArchive& archive) {
  constexpr std::uint64_t kSample = 4096;
  const std::uint64_t states = archive.size();
  const std::uint64_t first =
      std::max(archive.log().released_below(), states - std::min(states, kSample));
  const std::uint64_t count = states - first;
  if (keep_.kind != KeepLevels::Kind::kAuto || count < kSample / 4) return;
  const std::size_t width = model.width();
  std::vector<std::byte> rows(count * width + 64);
  for (std::uint64_t i = 0; i < count; ++i) {
    copy_bytes(rows.data() + i * width, archive.log().get(first + i), width);
  }
  keep_ = choose_keep_levels(measure_reconstruction(model, rows.data(), count));
}

bool KeptLevels::keeps(std::uint64_t level) const {
  if (level == 0) return true;
  switch (keep_.kind) {
    case KeepLevels::Kind::kAuto:
    case KeepLevels::Kind::kAll:
      return true;
    case KeepLevels::Kind::kEvery:
      return level % keep_.count == 0;
    case KeepLevels::Kind::kLast:
    case KeepLevels::Kind::kNone:
      return false;
  }
  return true;
}

Status KeptLevels::drop(LevelStore& store, std::uint64_t expanded, std::uint64_t cache_bytes) {
  const std::uint64_t stay = keep_.kind == KeepLevels::Kind::kLast ? keep_.count : 0;
  for (; dropped_ + stay < expanded; ++dropped_) {
    const auto level = static_cast<std::uint32_t>(dropped_);
    if (!store.held(level) || store.kept(level)) continue;
    const bool some_kept = keep_.kind == KeepLevels::Kind::kEvery;
    if (!some_kept && level % cached_every_ == 0) {
      const Result<bool> moved = store.move_to_memory(level);
      if (!moved) return moved.error();
      if (*moved) continue;
    }
    if (Status status = store.drop_level(level); !status) return status;
  }
  // Too many: every other one goes.
  while (store.memory_bytes() > cache_bytes) {
    cached_every_ *= 2;
    for (std::uint32_t level = 0; level < dropped_; ++level) {
      if (!store.in_memory(level) || level % cached_every_ == 0) continue;
      if (Status status = store.drop_level(level); !status) return status;
    }
    if (cached_every_ > dropped_) break;
  }
  return Done{};
}

}  // namespace comback

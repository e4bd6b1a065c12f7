#include "engine/memory_to_disk.h"

#include <algorithm>
#include <vector>

#include "engine/entries_by_hash.h"
#include "storage/bytes.h"

namespace comback {
namespace {

using StateId = std::uint64_t;

Status write_rows(const DescriptorLog& log, StateId first, StateId end, LevelWriter& writer) {
  constexpr StateId kGroup = 1 << 15;
  const std::size_t width = log.width();
  std::vector<std::byte> rows;
  for (; first < end; first = std::min(first + kGroup, end)) {
    const StateId to = std::min(first + kGroup, end);
    rows.resize((to - first) * width + 8);
    for (StateId id = first; id < to; ++id) {
      copy_bytes(rows.data() + (id - first) * width, log.get(id), width);
    }
    if (Status status = writer.append(rows.data(), to - first); !status) return status;
  }
  return Done{};
}

}  // namespace

Status write_states(const StateArchive& archive, bool in_last_level, KeptLevels& kept,
                    ThreadTeam& team, DiskPart& disk) {
  const DescriptorLog& log = archive.log();
  for (std::uint32_t level = 0; level < archive.levels(); ++level) {
    const bool last = level + 1 == archive.levels();
    const StateId end = last ? archive.size() : archive.first_id(level + 1);
    if (Status status = disk.levels().begin_level(kept.keeps(level)); !status) return status;
    if (Status status = write_rows(log, archive.first_id(level), end, disk.writer()); !status) {
      return status;
    }
    if (last && in_last_level) break;
    if (Status status = disk.writer().end_level(); !status) return status;
    // Those that were expanded and are not kept go at once: a file each would be too many.
    if (level + 2 < archive.levels()) {
      Status status = kept.drop(disk.levels(), level + 1, disk.plan().level_cache_bytes);
      if (!status) return status;
    }
  }

  EntriesByHash entries(log.width(), team);
  constexpr StateId kGroup = 1 << 16;
  for (StateId first = 0; first < archive.size(); first += kGroup) {
    const StateId end = std::min<StateId>(first + kGroup, archive.size());
    const auto group = entries.make(first, end, [&](StateId id) { return log.get(id); });
    if (Status status = disk.insert(group); !status) return status;
  }
  return Done{};
}

}  // namespace comback

#include "engine/stored_trace.h"

#include <fmt/format.h>

#include "engine/level_reader.h"
#include "engine/thread_team.h"
#include "engine/trace.h"

namespace comback {

Result<Trace> stored_trace(const Model& model, const StoredTree& tree, StateId id) {
  const Result<std::vector<Event>> path = tree.path_to(id);
  if (!path) return path.error();
  const std::uint32_t level = tree.level_of(id);
  if (path->size() != level) {
    return Error{Errc::kCorruption, fmt::format("the path to state {} has {} events, and the state "
                                                "is on level {}",
                                                id, path->size(), level)};
  }
  if (!tree.held(level)) return replay(model, *path);
  ThreadTeam team(1);
  Result<LevelReader> reader = LevelReader::open(*tree.levels, team, IoKind::kPread);
  if (!reader) return reader.error();
  if (const auto loaded = reader->load(id, id + 1); !loaded) return loaded.error();
  return make_trace(model, *path, reader->row(id));
}

}  // namespace comback

#pragma once

#include "engine/disk_part.h"
#include "engine/kept_levels.h"
#include "engine/state_archive.h"
#include "engine/thread_team.h"
#include "io/result.h"

namespace comback {

// Writes the states of `archive`, all of which are in memory, to the level store and the state
// table of `disk`. Every level but the last has ended; the store is left inside the last one if
// `in_last_level`.
Status write_states(const StateArchive& archive, bool in_last_level, KeptLevels& kept,
                    ThreadTeam& team, DiskPart& disk);

}  // namespace comback

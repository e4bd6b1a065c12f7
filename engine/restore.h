#pragma once

#include <filesystem>

#include "engine/disk_part.h"
#include "engine/kept_levels.h"
#include "engine/numbering.h"
#include "engine/run_record.h"
#include "engine/search_control.h"
#include "engine/state_archive.h"
#include "engine/stored_run.h"
#include "engine/thread_team.h"
#include "io/result.h"
#include "models/model.h"

// What a checkpoint leaves out, made again from the backedge tree.

namespace comback {

// That the tree is the one whose digest the record has. REQUIRES: nothing of the run is believed.
Status check_digest(const StoredRun& run);

// The violations of an earlier session, with their traces.
Status restore_traces(const Model& model, const StoredTree& tree,
                      std::vector<Violation>& violations);

// All states in memory, by executing the event of each. False where memory does not allow it; the
// search is of no use then. REQUIRES: the initial state is there, and nothing else.
Result<bool> replay_into_memory(const Model& model, const StoredTree& tree, Numbering& numbering,
                                StateArchive& archive, SearchControl& control);

// Which states go where.
struct OntoDisk {
  std::uint32_t from_level = 0;  // the levels before it are in the level store
  std::uint32_t ended = 0;       // so many levels end; the store is left inside of the next one
  bool into_table = false;       // also into the state table, which is empty
  std::filesystem::path temporary_dir{};
};
// The states from a level on, by a pass over the tree, in the level store of `disk`.
// False where `monitor` asked to stop before its end.
Result<bool> replay_onto_disk(const Model& model, const StoredTree& tree, const OntoDisk& what,
                              KeptLevels& kept, ThreadTeam& team, DiskPart& disk, IoKind io,
                              Monitor& monitor);

// A checkpoint of a search that has all states in memory: adds the backedges that the run does not
// have yet. Nothing stays in memory of it.
Status checkpoint_memory(const std::filesystem::path& run_dir, const StateArchive& archive,
                         const RunRecord& record, ThreadTeam& team);

}  // namespace comback

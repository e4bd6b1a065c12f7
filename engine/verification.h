#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/search.h"
#include "engine/state_stream.h"
#include "engine/stored_tree.h"
#include "engine/thread_team.h"
#include "models/model.h"
#include "storage/disk_state_table.h"
#include "storage/run_database.h"

namespace comback {

// A stored run as of its last commit, and what its record says of it.
struct VerifiedRun {
  const Model* model = nullptr;
  const StoredTree* tree = nullptr;
  const RunDatabase* database = nullptr;
  const DiskStateTable* table = nullptr;  // null: not looked at

  std::optional<std::uint64_t> tree_digest{};
  // Of the states below `expanded`, which have been expanded; the others wait to be.
  StateId expanded = 0;
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  bool changing = false;  // another process goes on with it, and may delete files
};

struct VerifyOptions {
  enum class Execution {
    kSample,  // the paths to some states
    kEach,    // the event that first reached it, for every state
    kAll,     // every event of every state: it is explored again
  };
  Execution execution = Execution::kEach;
  std::uint64_t sample = 1000;  // states, of kSample
  StateStream::Options stream{};
};

enum class RunPart { kFiles, kDatabase, kTree, kStateTable, kLevels, kExecution, kCounts };
const char* to_string(RunPart part);  // "files", "database", ...

struct Verification {
  struct Problem {
    RunPart part = RunPart::kDatabase;
    std::string what;  // with the file and the offset, where they are known
  };
  std::vector<Problem> problems;

  // What was looked at.
  std::uint64_t database_files = 0;
  std::uint64_t backedges = 0;
  std::uint64_t table_entries = 0;
  std::uint64_t kept_levels = 0;
  std::uint64_t kept_states = 0;
  std::uint64_t executed_states = 0;     // whose descriptors were made again and compared
  std::uint64_t expanded_states = 0;     // of kAll
  std::uint64_t checked_successors = 0;  // of kAll: looked up in the state table

  // The backedges of the levels below it hold together, and where they were executed they led to
  // the states of the other tables.
  std::uint32_t sound_levels = 0;
  bool interrupted = false;  // not everything was looked at

  bool sound() const { return problems.empty() && !interrupted; }
  bool sound(RunPart part) const;
};

// Looks for damage in a stored run, changing nothing:
//
//   database     every block of every file against its checksum
//   tree         every id once; predecessors on the level above, rising with the ids, the events of
//                one predecessor rising; the digest
//   state table  every id once, and no others
//   levels       every block of descriptors that is kept
//   execution    descriptors made again: each state has the events of its children; hashes are
//   those
//                that the state table has under their ids, and kept descriptors are equal
//   counts       of kAll: transitions, deadlocks; and all successors are in the state table
//
// What is found is in the result. Only what keeps it from looking, a disk that cannot be read or no
// memory, is an error. REQUIRES: all outlive the call.
Result<Verification> verify(const VerifiedRun& run, const VerifyOptions& options, ThreadTeam& team,
                            Monitor& monitor);

}  // namespace comback

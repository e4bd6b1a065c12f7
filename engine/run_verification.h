#pragma once

#include <filesystem>
#include <optional>

#include "engine/run_record.h"
#include "engine/thread_team.h"
#include "engine/verification.h"
#include "io/result.h"
#include "models/model.h"
#include "storage/memory_budget.h"

namespace comback {

struct RunVerification {
  Verification found;
  std::optional<RunRecord> record;  // of the last checkpoint; none where it cannot be read
  // Whether a search can go on with it: its tables are there and hold together.
  bool can_resume = false;
};

// Opens what can be opened of a run and verifies it; what cannot is damage, too. Where `changing`,
// another process explores the run. kNotFound where there was no checkpoint yet.
// REQUIRES: `budget` outlives the call.
Result<RunVerification> verify_run(const std::filesystem::path& run_dir, const Model& model,
                                   const VerifyOptions& options, bool changing, ThreadTeam& team,
                                   MemoryBudget& budget, Monitor& monitor);

}  // namespace comback

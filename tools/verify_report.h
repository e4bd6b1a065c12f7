#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_verification.h"
#include "storage/run_directory.h"

namespace comback::tools {

// What `comback verify` says of a run.
struct VerifyReport {
  std::string dir;
  std::optional<RunHeader> header;  // none where run.json cannot be read
  RunVerification result;
  VerifyOptions options;
  bool has_checkpoint = true;
  double seconds = 0;

  bool damaged() const { return !result.found.problems.empty(); }
  // "sound", "damaged" or "interrupted".
  const char* verdict() const;
  // What the run can still give, and what to do: sentences.
  std::vector<std::string> advice() const;
};

std::string to_text(const VerifyReport& report);
nlohmann::ordered_json to_json(const VerifyReport& report);

}  // namespace comback::tools

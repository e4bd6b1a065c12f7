#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/query.h"
#include "engine/stored_tree.h"
#include "models/model.h"
#include "tools/trace_formats.h"

namespace comback::tools {

// What `comback query` was asked and has found, for people and for programs.
struct QueryReport {
  std::string model_name;  // "anderson.4.dve"
  const Model& model;
  const StoredTree& tree;
  const Query& query;
  const QueryAnswer& answer;
  bool all_states = true;  // the run has stored every reachable state
  std::string warning;     // a line where it has not; else empty
  bool per_level = false;
  std::size_t values = 0;                     // of a distribution that are printed; 0: all
  std::vector<std::vector<StatePath>> paths;  // by predicate, to the first states; may be empty
  double seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

// The fields and their order are a promise: docs/query.md.
nlohmann::ordered_json query_json(const QueryReport& report);
std::string query_text(const QueryReport& report);

}  // namespace comback::tools

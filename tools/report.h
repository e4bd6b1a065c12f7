#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "engine/search.h"
#include "models/model.h"
#include "tools/exit_code.h"
#include "tools/trace_report.h"

// What `comback explore` found, for people and for programs.

namespace comback::tools {

struct Report {
  std::string model_name;  // "anderson.4.dve"
  const Model& model;
  const SearchOptions& options;
  const Summary& summary;
  nlohmann::ordered_json settings;
  std::string visited_in_words;
  std::uint64_t peak_memory_bytes = 0;
};

// A line of the text: what it is of, and what there is to say.
using Row = std::pair<std::string_view, std::string>;

// The fields and their order are a promise: docs/explore.md.
nlohmann::ordered_json to_json(const Report& report);

std::string to_text(const Report& report, TraceStyle traces);

ExitCode exit_code(const Summary& summary);

}  // namespace comback::tools

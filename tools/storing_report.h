#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/covering_set.h"
#include "models/model.h"
#include "tools/report.h"

// What a search that does not store every state has to tell.

namespace comback::tools {

// REQUIRES, of all three: there is a summary.storing.

// How many states there are, or how many were explored where that is all that is known.
std::string visits_in_words(const Summary& summary);
std::vector<Row> storing_rows(const Report& report);
void add_storing_json(const Report& report, nlohmann::ordered_json& json);

// A covering set by the lines of the model's source: a line for each transition.
std::string covering_set_text(const Model& model, const CoveringSet& set);
// The same with what each heuristic found.
std::string covering_set_report(const Model& model, const CoveringSet& set);
nlohmann::ordered_json covering_set_json(const Model& model, const CoveringSet& set);

}  // namespace comback::tools

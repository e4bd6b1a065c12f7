#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/search.h"
#include "tools/report.h"

namespace comback::tools {

// What a search with a cache or with sleep sets has to tell.

// REQUIRES, of the three: the summary has `caching`.

// "1,234", or "1,234 explored, of about 1,000 different ones" where that is not known.
std::string explored_in_words(const Summary& summary);
std::vector<Row> caching_rows(const Report& report);
void add_caching_json(const Summary& summary, nlohmann::ordered_json& json);
// Part of a line of progress. REQUIRES: it has `caching`.
std::string caching_in_a_line(const Progress& progress);

}  // namespace comback::tools

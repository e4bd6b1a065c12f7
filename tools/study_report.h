#pragma once

#include <filesystem>
#include <string>

#include "engine/study.h"
#include "io/result.h"

namespace comback::tools {

// The tables of a study, one after the other: aligned for people; as comma-separated values, each
// with its own header and an empty line between two; as JSON.
std::string study_text(const Study& study);
std::string study_csv(const Study& study);
std::string study_json(const std::string& experiment, const Study& study);

// Writes each plot as an SVG file into a folder, which is made where there is none. Returns how
// many there are.
Result<std::size_t> write_plots(const Study& study, const std::filesystem::path& folder);

}  // namespace comback::tools

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace comback::tools {

// The value as text that ends with a newline: a member per line, but arrays of plain values in one
// line each. Text that is not UTF-8 is repaired.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace comback::tools

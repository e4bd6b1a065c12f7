#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace comback::tools {

// Of `candidates`, what someone who wrote `word` probably meant: few letters wrong, missing, too
// many or swapped. Empty where nothing is near.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace comback::tools

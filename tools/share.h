#pragma once

#include <cstdint>
#include <string>

namespace comback::tools {

// "41.6 %" of a whole; what is there never looks as if it were not, and what is not all never as if
// it were: "< 0.01 %", "> 99.99 %", "100 %". "-" of nothing.
std::string format_share(std::uint64_t part, std::uint64_t whole);

}  // namespace comback::tools

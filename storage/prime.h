#pragma once

#include <cstdint>

namespace comback {

// The largest prime number that is not above `n`. REQUIRES: n >= 2.
std::uint64_t prime_up_to(std::uint64_t n);

}  // namespace comback

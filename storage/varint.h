#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace comback {

// Numbers in as few bytes as they need: seven bits each, the lowest first, with the top bit set in
// all but the last.

inline void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Takes a number off the front. False where there is none of at most 64 bits.
inline bool take_varint(std::string_view& from, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace comback

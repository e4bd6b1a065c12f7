#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comback {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

// Unsigned integers at any address, as files have them.
template <class T>
T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store_le(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace comback

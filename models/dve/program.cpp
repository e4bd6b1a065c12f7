#include "models/dve/program.h"

#include <algorithm>

namespace comback::dve {

std::array<std::uint32_t, 2> Program::line_and_column(std::uint32_t offset) const {
  const std::string_view before = std::string_view(source).substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == before.npos ? 0 : newline + 1;
  return {static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
          static_cast<std::uint32_t>(offset - begin + 1)};
}

}  // namespace comback::dve
